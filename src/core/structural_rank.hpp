// Structural rank: can the equations determine the unknowns for any numbers at all?
#pragma once
#include <string>
#include <vector>

#include "core/system.hpp"

namespace escapement {

/// Rows that no choice of numbers could solve for, by name; empty when there are none.
std::vector<std::string> structurally_singular_rows(const System& system);

}  // namespace escapement
