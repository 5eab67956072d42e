// Generalized-α in Arnold–Brüls form for all five kinds at once: the equations hold exactly at t_{n+1}, the
// recursions run on accelerations (positions) and on stores (states). docs/theory.md, T-alpha and T-constraint.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "steppers/alpha_history.hpp"
#include "steppers/alpha_step.hpp"
#include "steppers/constraint_rounding.hpp"
#include "steppers/local_error.hpp"
#include "steppers/proximal_terms.hpp"
#include "steppers/settling_step.hpp"
#include "steppers/stepper.hpp"
#include "steppers/velocity_offset.hpp"

namespace escapement {

class GeneralizedAlpha final : public Stepper {
 public:
  /// Throws as refuse_scheme().
  GeneralizedAlpha(const System& system, GeneralizedAlphaOptions options);
  GeneralizedAlpha(System&&, GeneralizedAlphaOptions) = delete;  // the system must outlive the stepper
  GeneralizedAlpha(const GeneralizedAlpha&) = delete;            // its parts know each other by their places

  StepReport attempt(State& state, double h) override;
  const State& result() const override { return step_.end; }
  double step_size() const override { return step_.c.h; }
  void commit(State& state) override;
  /// Third order in positions and velocities, second in all else (T-dense).
  void interpolate(const State& from, double s, State& between) const override;
  /// By the formulas of T-error: per unknown, relative to the scales, over the length of the step relative to `horizon`; the
  /// largest counts. Infinite while there is no third point (see look_ahead).
  LocalError local_error(State& from, const ErrorScales& scales) override;
  /// Is there a third point, for the error of the next step and for what lies within it? Not after a start or a jump: then
  /// a trial step of half the size gives one.
  /// Nor after a step so much smaller than this one that differences over it say nothing.
  bool third_point() const { return history.third_point(step_.c.h); }
  StepReport look_ahead(State& state, double h);
  std::optional<StepReport> look_ahead_if_needed(State& state, double h) override;
  /// Adds the jumps of v̇ and ṡ to the history (T-jump).
  void discontinuity(State& state, double slack = 0) override;
  void rehearse_jump(const State& state) override;
  void corner() override { history.forget_slopes(); }

  AlphaHistory history;
  double size_of(int row) const override { return history.largest[row]; }
  std::vector<int> uncontrolled(const ErrorScales& scales) const override;

  /// The conditions that the parameters violate, in words.
  const std::vector<ParameterWarning>& parameter_warnings() const { return warnings_; }
  std::vector<Warning> warnings() const override;
  const GeneralizedAlphaOptions& options() const { return options_; }
  const StartOptions& start_options() const override { return options_.start; }
  /// Of the last step.
  const AlphaCoefficients& coefficients() const { return step_.c; }
  /// The iteration matrix at a state for the last coefficients, with T(u) = I and without proximal terms (for condition
  /// numbers and benchmarks).
  void iteration_matrix(const State& state, std::span<double> values);
  Newton& newton() override { return newton_; }
  long pivotings() const override { return newton_.pivotings() + jumps_.pivotings(); }
  void archive(Archive& a) override;

 private:
  /// Where the recursion of a step starts from: the history, or anew (T-alpha-8).
  struct RecursionStart {
    std::span<const double> a, w;
    double D, E;
    bool anew = false;
  };
  /// A jump, and what is left of it when it is over.
  struct Jump {
    State after, later;                      // right behind it, and a little later
    std::vector<double> acceleration, rate;  // jumps of v̇ and ṡ
    std::vector<double> third_before, third;  // d³Φ/dt³ and k̈ on both sides, by row; then D times their jump
    std::vector<double> moved, slope;         // u from `after` to `later`; v̈ there
  };

  void begin(const State& state, const StartReport& report) override;
  bool started() const override { return !std::isnan(history.offset); }
  void find_algebraic(const State& state);

  RecursionStart recursion_start(const State& state, double h) const;
  ConstraintForm suitable_form(const State& state);
  StepReport attempt_in_form(ConstraintForm form, const RecursionStart& start, State& state);
  bool project_velocity(const State& state, NewtonReport& report);
  void predict(const RecursionStart& start, const State& state);
  void guess(const State& state);
  void guess_steady(const State& state);
  void correct(const State& state, NewtonReport& report);
  void refuse_whole_turns(NewtonReport& report) const;
  void prepare_proximal(const State& state);
  StepReport attempt_settling(State& state, double h);
  void tell_failure(NewtonReport& report);
  void carry_on_recursion(const State& state);
  void start_recursion_anew();
  void take(State& state);
  void third_slope_from(const State& state, double ahead);
  void jump_slopes(const State& after);

  GeneralizedAlphaOptions options_;
  std::vector<ParameterWarning> warnings_;
  Range states_;
  int positions_;
  bool constrained_;
  Sizes sizes_;
  Newton newton_;
  AlphaStep step_;
  AlphaEquations equations_;
  ProximalTerms proximal_;
  VelocityOffset offset_;
  ConstraintRounding rounding_;
  AlphaError error_;
  std::optional<SettlingStep> settling_;  // none: steps do not settle
  bool settled_ = false;                  // the step just computed has settled
  JumpSolver jumps_;
  Jump jump_;
  mutable std::vector<double> end_velocity_, way_;  // of interpolate(): T(u)⁻¹ v_{n+1}, u
};

}  // namespace escapement
