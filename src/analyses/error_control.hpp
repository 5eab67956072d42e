// ErrorControl: adaptive steps, as long as the errors of the last ones allow (T-step), and what is reported where they do not keep the
// tolerance.
#pragma once
#include <vector>

#include "analyses/run_log.hpp"
#include "analyses/simulate_options.hpp"
#include "core/system.hpp"
#include "steppers/step_control.hpp"

namespace escapement {

class ErrorControl {
 public:
  ErrorControl(const System& system, const Stepper& stepper, const SimulateOptions& options, RunLog& log);

  /// From this state on.
  void begin(const State& state);
  double next() const { return control_.next(); }
  /// Is the error of this step within the tolerance; or can it be paid for; or would no shorter step have less (T-step-4, 5)?
  bool acceptable(const State& state, double h, const LocalError& error);
  /// After acceptable(): the step goes over a corner or a jump that is no event.
  bool passes() const { return passes_; }
  /// It was taken. `whole`: not cut short.
  void taken(double h, const LocalError& error, bool whole);
  /// It was not; false: no shorter one is allowed.
  bool rejected(double h, const LocalError& error);
  bool failed(double h);
  /// What comes next has nothing to do with what was before.
  void interrupted() { control_.interrupted(); }
  /// Steps near the end of a solution that has one, as where x'' = x³ becomes infinite, keep shrinking without getting there
  /// (T-step-8).
  std::optional<Hopeless> look_at_progress(const State& state, double h);
  /// The error of this step is too large, and no shorter one is allowed.
  RunFailure failure(const State& state, double h, const LocalError& error) const;
  /// At the end of the run.
  void tell();
  void archive(Archive& a);

 private:
  StepControl control(double first) const;
  double first_step(const State& state) const;
  double tolerance() const;
  double size_now(const State& state, int row) const;
  void tell_limits() const;
  void warn_of_excess();
  void warn_of_rounding();
  void warn_of_uncontrolled();

  const System& system_;
  const Stepper& stepper_;
  const SimulateOptions& options_;
  RunLog& log_;
  StepControl control_;
  bool passes_ = false;
  struct Stall {
    long steps = 0;    // in a row that are shorter than adaptive ones usually get,
    double first = 0;  // s, the first of them,
    int row = -1;      // and which unknown decided the last
    void archive(Archive& a) { a(steps, first, row); }
  } stall_;
  struct Excess {
    long steps = 0;                                     // whose error stayed above the tolerance …
    double time = 0, size = 0, error = 0, falls = NAN;  // … and the worst of them
    int row = -1;
    bool rate = false;
    void archive(Archive& a) { a(steps, time, size, error, falls, row, rate); }
  } excess_;
  double noise_ = 0;  // squares of what rounding may add, in tolerances
  std::vector<long>
      limited_;  // steps by the unknown that decided their size: by row, then by row of velocities
};

}  // namespace escapement
