// Equal steps whose sums are exact: a million of them end where they should, and corners of inputs lie on ends of steps.
#pragma once
#include <vector>

namespace escapement::validation {

/// Appends n equal steps from one time to another. They differ in their last digits, so that every partial sum, added up as
/// run() does, is the number nearest to its time; sums of n equal numbers would drift by up to n/2 units of the last digit.
inline void append_even_steps(std::vector<double>& steps, double from, double until, int n) {
  double t = from;
  for (int k = 1; k <= n; ++k) {
    const double next = k == n ? until : from + (until - from) * (static_cast<double>(k) / n);
    steps.push_back(next - t);
    t += steps.back();
  }
}

inline std::vector<double> even_steps(double until, int n) {
  std::vector<double> steps;
  steps.reserve(n);
  append_even_steps(steps, 0, until, n);
  return steps;
}

}  // namespace escapement::validation
