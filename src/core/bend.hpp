// How much a switch bends what an element does: whether it is worth ending a step there (T-kink-3).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement {

struct Bend {
  double value = 0;                                         // on the present side
  double change = std::numeric_limits<double>::infinity();  // on the other one, if that should hold by now
};

/// At the beginning, in the middle and at the end of a step along the present side: is what the step is off by if it goes
/// on there more than what it leaves of the curvature? Where the step does not resolve the curve, every kink matters.
inline bool matters(const Bend& begin, const Bend& middle, const Bend& end) {
  constexpr double resolved = 0.05;
  const double change = std::max(middle.change, end.change);
  const double size = std::max({std::abs(begin.value), std::abs(middle.value), std::abs(end.value)});
  const double curve = std::abs(begin.value - 2 * middle.value + end.value);
  return !(change <= 4 * curve + 1e-13 * size && curve <= resolved * size);
}

/// Numbers that were computed to be the same: 0.1 + 0.2 and 0.3.
inline bool equal_but_for_rounding(double a, double b) {
  return std::abs(a - b) <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

}  // namespace escapement
