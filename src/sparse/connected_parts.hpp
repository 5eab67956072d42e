// Which unknowns of a system have to do with each other.
#pragma once
#include <vector>

#include "sparse/pattern.hpp"

namespace escapement {

/// By row: one row of the part of the system that it belongs to, the same for all of that part. Nothing couples two parts.
std::vector<int> connected_parts(const Pattern& pattern);

}  // namespace escapement
