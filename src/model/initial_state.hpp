// The state that a model starts with: what components say, and where joint coordinates put bodies.
#pragma once
#include "model/assembly.hpp"

namespace escapement {

struct Draft;

/// Fills the assembly's initial state and what of it is fixed, once its system is finished.
void set_initial_state(Draft& draft, Assembly& assembly);

}  // namespace escapement
