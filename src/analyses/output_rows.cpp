#include "analyses/output_rows.hpp"

#include <cmath>

namespace escapement {

OutputRows::OutputRows(const System& system, const SimulateOptions& options, RunObserver& observer,
                       Interior& interior, RunStatistics& statistics)
    : system_(system),
      options_(options),
      observer_(observer),
      interior_(interior),
      statistics_(statistics),
      rows_(system.size()) {}

double OutputRows::next_due() const {
  if (options_.output_times.empty()) return static_cast<double>(next_) * options_.output_interval;
  const auto k = static_cast<std::size_t>(next_);
  return k < options_.output_times.size() ? options_.output_times[k] : INFINITY;
}

void OutputRows::begin(const State& start) {
  if (!options_.output_times.empty() && options_.output_times[0] != 0) return;
  record(start);
  note_violations(start);
  ++next_;
}

void OutputRows::within(const Stepper& stepper, State& from, const PlannedStep& step) {
  if (!at_times()) return;
  for (double due = next_due(); due < step.end - 1e-9 * step.size; due = next_due()) {
    interior_.at(stepper, from, (due - from.t) / step.size, between_);
    between_.t = due;
    ++next_;
    record(between_);
  }
}

void OutputRows::at_end(const State& state, const PlannedStep& step, bool last) {
  if (at_times()) {
    const double now = state.t + 1e-9 * step.size;
    if (next_due() > now && !(last && options_.output_times.empty())) return;
    record(state);
    note_violations(state);
    while (next_due() <= now) ++next_;
  } else if (step.regular || last) {
    if (++regular_steps_ % options_.output_steps != 0 && !last) return;
    record(state);
    note_violations(state);
  }
}

void OutputRows::record(const State& state) {
  observer_.row(state);
  ++statistics_.rows;
}

/// Of constraints, where a step ends.
void OutputRows::note_violations(const State& state) {
  const Range holonomic = system_.rows(Kind::holonomic), constraints{holonomic.begin, system_.size()};
  if (constraints.size() == 0) return;
  const auto note = [&](Range rows, double& largest, int& where) {
    for (int i = rows.begin; i < rows.end; ++i)
      if (std::abs(rows_[i]) > largest) {
        largest = std::abs(rows_[i]);
        where = i;
      }
  };
  system_.constraints(state, 0, 0, rows_);
  note(constraints, statistics_.largest_violation, most_violated_);
  system_.constraints(state, 1, -1, rows_);
  note(holonomic, statistics_.largest_velocity_violation, most_violated_velocity_);
}

void OutputRows::name_the_most_violated() {
  if (most_violated_ >= 0) statistics_.most_violated = system_.unknown_name(most_violated_);
  if (most_violated_velocity_ >= 0)
    statistics_.most_violated_velocity = system_.unknown_name(most_violated_velocity_);
}

}  // namespace escapement
