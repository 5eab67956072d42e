#include "analyses/left_over.hpp"

#include <fmt/format.h>

#include "model/row_owner.hpp"

namespace escapement {

bool LeftOverWatch::noticed() const { return log_.statistics().largest_left_over > 0.02; }

void LeftOverWatch::look(const State& state, const StepReport& report) {
  RunStatistics& s = log_.statistics();
  if (!report.ok() || !(report.left_over > s.largest_left_over)) return;
  const bool before = noticed();
  s.largest_left_over = report.left_over;
  if (report.left_over_row >= 0) s.left_over_of = system_.unknown_name(report.left_over_row);
  if (before || !noticed()) return;
  log_.warn(
      {"W-LEFTOVER",
       fmt::format("at t = {:.4g} s one linear solve leaves {} off by {:.2g} % of its size, and perhaps "
                   "more later on (largest_left_over in summary.json)",
                   state.t, s.left_over_of, 100 * report.left_over),
       "a smaller step, or `scheme: variational`", owner_of_unknown(s.left_over_of), state.t});
}

std::string LeftOverWatch::hint() const {
  if (!noticed()) return "";
  const RunStatistics& s = log_.statistics();
  return fmt::format(
      "a smaller step, or `scheme: variational`: before, one linear solve left {} off by {:.2g} % of its "
      "size",
      s.left_over_of, 100 * s.largest_left_over);
}

}  // namespace escapement
