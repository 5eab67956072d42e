// Variational time stepping: the discrete Lagrangian L_d = h L(q_{n+½}, (q_{n+1} − q_n)/h) of the midpoint, forced and constrained,
// for all five kinds at once. Rows hold at the midpoint of a step, constraints at its end with their force at its beginning; from
// end to end q, the momenta p and the stores s are carried on (docs/theory.md, T-variational).
//
// Quasi-linear it is SPOOK: one linear solve per step, and constraints that relax (T-spook).
#pragma once
#include <algorithm>
#include <vector>

#include "steppers/stepper.hpp"
#include "steppers/variational_step.hpp"

namespace escapement {

class Variational final : public Stepper {
 public:
  /// Throws as refuse_scheme().
  Variational(const System& system, VariationalOptions options);
  Variational(System&&, VariationalOptions) = delete;  // the system must outlive the stepper
  Variational(const Variational&) = delete;            // its parts know each other by their places

  StepReport attempt(State& state, double h) override;
  const State& result() const override { return next_.state; }
  double step_size() const override { return step_.h; }
  void commit(State& state) override;
  /// Third order in positions and velocities; all else along a parabola through both ends and the midpoint.
  void interpolate(const State& from, double s, State& between) const override;
  bool overshoots(const State& from) const;
  void discontinuity(State& state, double slack = 0) override;
  void rehearse_jump(const State& state) override;
  void corner() override { std::fill(history.slope.begin(), history.slope.end(), 0.0); }
  std::vector<Warning> warnings() const override { return {}; }
  const StartOptions& start_options() const override { return options_.start; }
  Newton& newton() override { return newton_; }
  long pivotings() const override {
    return newton_.pivotings() + end_of_step_.pivotings() + jumps_.pivotings();
  }
  void archive(Archive& a) override;

  const VariationalOptions& options() const { return options_; }
  /// Where the rows of the last step hold: t_{n+½}, with the velocity of the step.
  const State& midpoint() const { return step_.mid; }
  /// Momenta at the end of the last step, in the axes of the velocities.
  std::span<const double> momenta() const { return history.p; }

  VariationalHistory history;

 private:
  /// What a step leads to.
  struct Next {
    State state;                   // at t_{n+1}
    std::vector<double> arriving;  // momenta before the impulses of the constraints there …
    std::vector<double> impulse;   // … these, by row …
    std::vector<double> p;         // … and momenta after them
    std::vector<double> bend;      // v_{n+1} + v_n − 2 v_{n+½}
    std::vector<double> flow;      // of the states at the midpoint, by row
    std::vector<double> soft_impulses, soft_multipliers;  // from the first constraint on; of soft ones
  };

  void begin(const State& state, const StartReport& report) override;
  bool started() const override { return history.started; }
  void examine(const State& state);
  void set_gradient(const State& at, VariationalStep::Constraints& constraints);

  void begin_step(const State& state, double h);
  void begin_fresh(const State& state);
  void relax_constraints(const State& state);
  void guess(const State& state);
  StepReport compute(State& state, double h);
  NewtonReport solve(const State& state);
  NewtonReport solve_linear();
  void measure_left_over(const State& state, StepReport& report);
  void measure_against_solution(StepReport& report);
  void refuse_contradiction(NewtonReport& report);

  NewtonReport finish(const State& state);
  void carry_momenta();
  void guess_end(const State& state);
  void carry_stores(const State& state);
  EndOfStep::Arrival arrival();
  void take_off_impulses(const State& state, const EndOfStep::Moving& moving);
  void set_soft_multipliers();
  void count_mean_velocities(const State& state);
  void carry_impulses();
  void set_driven_stores();

  /// To the midpoint along the slopes of the last step; slopes of a far shorter one are rounding.
  double half_ahead() const { return 0.5 * (history.fresh ? step_.h : std::min(step_.h, 10 * history.step)); }
  bool is_stored(int state) const;

  VariationalOptions options_;
  int n_, positions_;
  int position_values_ = 0;  // numbers of all positions: the first ones of State::value
  Range states_, holonomic_;
  Sizes sizes_;
  Newton newton_;
  EndOfStep end_of_step_;
  VariationalStep step_;
  VariationalEquations equations_;
  JumpSolver jumps_;
  Next next_;
  State after_jump_;
  double factored_for_ = 0, factored_share_ = 1;  // step and share that the matrix is for
  std::vector<double> linear_matrix_;             // that SPOOK factored last
  std::vector<double> increment_;                 // of SPOOK's solve, or of one more
  State linear_;                                  // the midpoint as one linear solve has it
  std::vector<double> momenta_, force_;           // at the midpoint: p; (h/2) F
  std::vector<double> T_transposed_, T_half_transposed_;
  std::vector<double> store_, violation_;           // store(z), Φ or Φ̇ by row
  std::vector<double> velocity_;                    // at the end, while another one is looked at …
  std::vector<double> end_flow_, mean_flow_;        // … and the flows of both
  std::vector<double> unused_, flow_tangent_;       // of carry_impulses()
  mutable std::vector<double> end_velocity_, way_;  // of interpolate(): T(u)⁻¹ v_{n+1}, u
};

}  // namespace escapement
