// What the blocks for the smallest and the largest of several signals share.
#pragma once
#include <span>

#include "model/schema.hpp"

namespace escapement::control {

/// max(u) · sign with sign = 1, min for sign = −1: pair by pair, each corner rounded over `width`.
double extremum(double sign, double width, std::span<const double> u, std::span<double> gradient);

/// The block; `word` is "smallest" or "largest".
ComponentType extremum_block(const char* name, const std::string& word, double sign);

}  // namespace escapement::control
