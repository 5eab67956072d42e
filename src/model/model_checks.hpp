// What only the finished assembly shows: what cannot be simulated, and what in the model has no effect.
#pragma once
#include "model/assembly.hpp"

namespace escapement {

struct Draft;

/// Throws ModelError E-TOPOLOGY where a position without inertia has no acceleration, and for circuits that hang in the air.
void refuse_what_cannot_move(const Draft& draft, const Assembly& assembly);
/// Warnings and notes about parameters that nothing uses, settings that this model has no use for.
void note_what_does_nothing(const Draft& draft, Assembly& assembly);

}  // namespace escapement
