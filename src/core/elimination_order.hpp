// The order in which the linear solver eliminates the unknowns of a system with constraints (T-order).
#pragma once
#include <vector>

#include "core/system.hpp"

namespace escapement {

/// Rows in the order of elimination: for little fill, and every multiplier as soon as unknowns that it concerns, eliminated
/// before it, give it a pivot. Empty without multipliers: the solver may choose.
std::vector<int> elimination_order(const System& system);

}  // namespace escapement
