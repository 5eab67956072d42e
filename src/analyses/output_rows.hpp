// OutputRows: when rows of results are due: one every so many steps, at an interval of time, or at times that are listed.
#pragma once
#include <vector>

#include "analyses/interior.hpp"
#include "analyses/run_observer.hpp"
#include "analyses/run_result.hpp"
#include "analyses/simulate_options.hpp"
#include "analyses/timetable.hpp"

namespace escapement {

class OutputRows {
 public:
  OutputRows(const System& system, const SimulateOptions& options, RunObserver& observer, Interior& interior,
             RunStatistics& statistics);

  void begin(const State& start);
  /// At times of their own, rather than at the ends of steps?
  bool at_times() const { return options_.output_interval > 0 || !options_.output_times.empty(); }
  /// … the next of them.
  double next_due() const;
  /// Those within the step just computed, from its interpolant.
  void within(const Stepper& stepper, State& from, const PlannedStep& step);
  /// The one at its end, if it is due. `last`: of the run.
  void at_end(const State& state, const PlannedStep& step, bool last);
  /// Which constraint was violated most, by name, in the statistics.
  void name_the_most_violated();
  void archive(Archive& a) { a(next_, regular_steps_); }

 private:
  void record(const State& state);
  void note_violations(const State& state);

  const System& system_;
  const SimulateOptions& options_;
  RunObserver& observer_;
  Interior& interior_;
  RunStatistics& statistics_;
  long next_ = 0;  // number of the next row at a time of its own
  long regular_steps_ = 0;
  int most_violated_ = -1, most_violated_velocity_ = -1;  // by row
  std::vector<double> rows_;
  State between_;
};

}  // namespace escapement
