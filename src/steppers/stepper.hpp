// Stepper: what a run needs of a scheme, whichever it is. Components never see it: they give stores and flows (T-one-1), and a
// scheme decides at which instants, and with which weights, the rows hold.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/newton.hpp"
#include "core/start.hpp"
#include "core/warning.hpp"

namespace escapement {

/// What one step did. `status` other than converged: the state is untouched and the failing rows are named.
struct StepReport {
  NewtonReport newton;
  bool restarted = false;  // history restarted because the step ratio left its bounds (T-alpha-8)
  /// Of a scheme that solves once: what a second solve would change, relative to the size of the unknown that changes most.
  double left_over = 0;
  int left_over_row = -1;
  bool ok() const { return newton.ok(); }
};

/// Where the local error of a step comes from (T-error).
enum class ErrorEstimator {
  embedded,  // the difference to formulas of one order more, with the accelerations and rates of three points
  history    // the leading term of the position formula, from the change of the accelerations
};

/// What counts as how much: |error| of an unknown, over relative · |value| + absolute · nominal (T-scale-1).
struct ErrorScales {
  struct Tolerance {
    double relative = 0, absolute = 0;  // 0 both: it does not count
  };
  Tolerance positions, velocities, states, signals, multipliers;
  double horizon = 1;  // s: over which the errors of all steps may add up to the tolerance
  bool learn = true;   // how large small unknowns are (T-scale-1); false: absolute tolerances are as given
  ErrorEstimator estimator = ErrorEstimator::embedded;
};

struct LocalError {
  double size = 0;    // ≤ 1: within the tolerance
  int row = -1;       // of the unknown that is farthest off
  bool rate = false;  // its velocity is
  double noise = 0;  // of it, what rounding and Newton's method may cause: at most this part of the tolerance
};

class Stepper {
 public:
  explicit Stepper(const System& system) : system_(system) {}
  virtual ~Stepper() = default;

  /// Makes the state consistent and starts there. If there is no consistent start, the state stays as it is.
  StartReport start(State& state) { return start(state, start_options()); }
  /// A new beginning at the present state: after velocity jumps, changes of structure, or values set by hand. Velocities are
  /// projected onto the constraints.
  StartReport restart(State& state);
  /// One step in two parts: computed but not taken, as often as one likes (the state stays as it is), and the last one taken.
  /// In between result() is where it leads, and interpolate() what lies on the way.
  virtual StepReport attempt(State& state, double h) = 0;
  virtual const State& result() const = 0;
  virtual double step_size() const = 0;  // of the step just computed
  virtual void commit(State& state) = 0;
  /// Both. On failure the state is as before. A state's value changed by hand counts only after restart().
  StepReport advance(State& state, double h) {
    const StepReport report = attempt(state, h);
    if (report.ok()) commit(state);
    return report;
  }
  /// The motion within the step just computed, at the fraction s of it.
  virtual void interpolate(const State& from, double s, State& between) const = 0;
  /// What must be computed before attempt(), for the error of the step and for what lies within it; none: nothing.
  virtual std::optional<StepReport> look_ahead_if_needed(State&, double /*h*/) { return std::nullopt; }
  /// How far the step just computed is off; 0 for a scheme that does not know.
  virtual LocalError local_error(State&, const ErrorScales&) { return {}; }
  /// The largest size of an unknown so far; 0 of a scheme that does not know.
  virtual double size_of(int /*row*/) const { return 0; }
  /// Rows of unknowns that moved, but so little that their errors never counted.
  virtual std::vector<int> uncontrolled(const ErrorScales&) const { return {}; }
  /// To be called at a time where inputs jumped: recomputes v̇, ṡ, λ, y (T-jump). `slack`: what is due so little later counts
  /// as now. Throws ModelError, with the state as before, if no consistent values exist.
  virtual void discontinuity(State& state, double slack = 0) = 0;
  /// Does once, for nothing, what discontinuity() does: from then on it need not allocate.
  virtual void rehearse_jump(const State& state) = 0;
  /// To be called where something has a corner: v̇ and ṡ go on, but not along the last steps.
  virtual void corner() = 0;

  /// What the scheme violates of what it promises, in words.
  virtual std::vector<Warning> warnings() const = 0;
  virtual const StartOptions& start_options() const = 0;
  virtual Newton& newton() = 0;
  /// So often matrices had new pivots: of steps and of jumps.
  virtual long pivotings() const = 0;
  /// Everything that the next step depends on, beside the state. Throws ArchiveError for that of another system.
  virtual void archive(Archive& a) = 0;

 protected:
  /// What a scheme keeps beside the state begins at this consistent one.
  virtual void begin(const State& state, const StartReport& report) = 0;
  virtual bool started() const = 0;
  /// Throws ModelError for a step that is none, or that comes before the start.
  void check_step(const State& state, double h) const;

  const System& system_;

 private:
  StartReport start(State& state, const StartOptions& options);
};

}  // namespace escapement
