#include "analyses/event_location.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

/// To which events are located in a step of this size: never by how long the run is (T-event-2).
double EventLocation::tolerance(double t, double h) const {
  const double wanted = options_.event_tolerance > 0 ? options_.event_tolerance : 1e-12 * h;
  return std::max(wanted, 4e-16 * t);
}

bool EventLocation::locate(State& state, PlannedStep& step, std::vector<int>& fired) {
  if (watch_.empty()) return true;
  const auto first = watch_.first(computed(state));
  Search search{state, step, fired, tolerance(state.t, step.size), turning_.angle() / step.size};
  if (const std::vector<int>& resting = watch_.resting(computed(state)); !resting.empty()) {
    end_at_start(search, resting);
    return true;
  }
  return !first || by_interior(search, *first);
}

/// `first`: the fraction of the whole step at which the interpolant passes.
bool EventLocation::by_interior(Search& search, double fraction) {
  State& state = search.state;
  const double whole = search.step.size, exact = search.exact, rough = std::max(exact, 1e-3 * whole);
  if (watch_.at_end()) search.passed = whole;
  double low = 0, high = whole, tolerance = exact;
  const auto aim = [&](double at) {
    tolerance = watch_.corners_only() ? rough : exact;
    return tolerance == exact ? at : std::min(at + 0.5 * rough, high);
  };
  std::optional<double> first = fraction;
  double size = aim(std::min(fraction, 1.0) * whole);
  for (int k = 0; k < 60; ++k) {
    if (size <= exact) {
      end_at_start(search, watch_.early_at_start());
      return true;
    }
    if (size != stepper_.step_size()) {
      if (!compute(search, size))
        return failed_.status == NewtonStatus::singular && at_shortest_that_passes(search, size);
      first = watch_.first(computed(state), true);
      if (watch_.at_end()) search.passed = std::min(search.passed, size);
    }
    if (k == 10) return by_ends(search);
    if (first) {
      high = size;
      const double earlier = std::max(*first * size, low);
      const double next = aim(earlier);
      if (size - earlier <= tolerance || high - low <= tolerance) break;
      size = k % 4 == 3 ? 0.5 * (low + earlier) : next;
      continue;
    }
    low = size;
    if (!watch_.passing(computed(state), exact).empty() || high - low <= exact) break;
    const double later = low + watch_.soonest() + (tolerance == exact ? 0.0 : 0.5 * rough);
    size = later > low && later < high ? later : 0.5 * (low + high);
  }
  end_here(search);
  return true;
}

/// So short a step that rounding leaves its equations singular locates nothing: the event ends the shortest step that passes it
/// and has a solution.
bool EventLocation::at_shortest_that_passes(Search& search, double too_short) {
  double passed = search.passed, low = too_short;
  if (passed == INFINITY) return false;
  while (passed > 1.2 * low) {
    const double middle = std::sqrt(low * passed);
    const StepReport report = stepper_.attempt(search.state, middle);
    log_.count(report.newton);
    if (!report.ok() && report.newton.status != NewtonStatus::singular) return false;
    if (report.ok()) watch_.look_at_end(stepper_);
    (report.ok() && watch_.at_end() ? passed : low) = middle;
  }
  // At the edge of what has a solution the next attempt may have none.
  while (!stepper_.attempt(search.state, passed).ok())
    if ((passed *= 2) > search.step.size) return false;
  turning_.set_angle(search.turn_rate * passed);
  watch_.look_at_end(stepper_);
  end_here(search);
  return true;
}

/// The interior of steps leads nowhere, since they do not resolve what is fast: only their ends count. If nothing is below zero at
/// the end of any there is no event, and the whole step is taken.
bool EventLocation::by_ends(Search& search) {
  search.fired.clear();
  const auto at_end_of = [&](double size) {
    const bool solved = compute(search, size);
    watch_.look_at_end(stepper_);
    return solved;
  };
  if (search.passed == INFINITY) return at_end_of(search.step.size);
  double low = 0, high = search.passed;
  while (high - low > search.exact) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    if (!at_end_of(middle)) {
      if (failed_.status != NewtonStatus::singular) return false;
      break;  // too short (as in at_shortest_that_passes)
    }
    (watch_.at_end() ? high : low) = middle;
  }
  if (!at_end_of(high)) return false;
  end_here(search);
  return true;
}

bool EventLocation::compute(const Search& search, double size) {
  const StepReport report = stepper_.attempt(search.state, size);
  log_.count(report.newton);
  if (report.ok()) turning_.set_angle(search.turn_rate * size);
  else failed_ = report.newton;
  return report.ok();
}

void EventLocation::end_here(Search& search) {
  search.fired = watch_.passing(computed(search.state), search.exact);
  const double taken = stepper_.step_size();
  if (search.step.size - taken > search.exact) search.step.shorten(search.state.t, taken);
}

/// Something switches before any time passes.
void EventLocation::end_at_start(Search& search, const std::vector<int>& fired) {
  search.fired = fired;
  search.step.shorten(search.state.t, 0);
}

}  // namespace escapement
