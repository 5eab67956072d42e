// Velocities at the start: of least change, on all constraints that hold on both sides; what touches a stop may leave it
// (T-start-10).
#pragma once
#include "core/projection.hpp"

namespace escapement {

/// As project(), but stops only push: what moves away from one goes on to do so, and the stop is open then. Friction that would
/// contradict a drive gives way.
void assemble_start(const System& system, State& state, const StartOptions& options);

}  // namespace escapement
