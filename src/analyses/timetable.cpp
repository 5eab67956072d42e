#include "analyses/timetable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

bool Substeps::halve(PlannedStep& step, double t) {
  const double half = 0.5 * step.size;
  if (half < std::ldexp(0.99 * timetable_.size(), -options_.substeps) || !(t + half > t)) return false;
  if (std::isnan(log_.statistics().first_divided)) log_.statistics().first_divided = t;
  size_ = half;
  step.shorten(t, half);
  return true;
}

void Substeps::taken(double size) {
  if (size_ == INFINITY) return;
  RunStatistics& s = log_.statistics();
  s.smallest_substep = s.substeps++ == 0 ? size : std::min(s.smallest_substep, size);
  size_ = std::max(size_, 2 * size);
  if (size_ >= timetable_.size()) size_ = INFINITY;
}

void Substeps::tell() {
  const RunStatistics& s = log_.statistics();
  if (s.substeps == 0) return;
  log_.warn(
      {"W-SUBSTEPS",
       fmt::format("steps had no solution as a whole and were halved, first at t = {:.4g} s: {} substeps, "
                   "the smallest of {:.2g} s",
                   s.first_divided, s.substeps, s.smallest_substep),
       "look at what happens there; a smaller step or `adaptive: true` avoids it", "", s.first_divided});
}

}  // namespace escapement
