// The values of all components: their fields read and checked, with what studies and events set instead, and loads scaled.
#pragma once
#include <vector>

#include "model/assembly.hpp"

namespace escapement {

struct Draft;

/// Fills the draft's values; faults are collected.
void read_values(Draft& draft, const std::vector<Override>& overrides, double loads);

}  // namespace escapement
