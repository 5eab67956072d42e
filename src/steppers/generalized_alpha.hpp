// Generalized-α in Arnold–Brüls form for all five kinds at once: the equations hold exactly at t_{n+1}, the
// recursions run on accelerations (positions) and on stores (states). docs/theory.md, T-alpha and T-constraint.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "core/manifold.hpp"
#include "core/sizes.hpp"
#include "steppers/alpha_parameters.hpp"
#include "steppers/settling.hpp"
#include "steppers/stepper.hpp"

namespace escapement {

enum class ConstraintForm {
  index3,  // Φ = 0 at t_{n+1}; the velocity carries the offset that keeps λ second order (T-constraint-4)
  index2,  // Φ = 0 and Φ̇ = 0 at t_{n+1}, positions projected (stabilised, T-constraint-6)
  index1  // Φ̈ = 0 and k̇ = 0, positions and velocities projected: where a step is so small that rounding would show in
          // v̇ and λ of the others, they change to this one (T-constraint-9)
};

/// Where the equations of motion hold (T-weighted).
enum class BalanceForm {
  exact,  // at t_{n+1}, with the true accelerations
  weighted  // as weighted means between t_n and t_{n+1}, the classical form, with a_n as accelerations: for comparison
};

/// Where the history starts: D_0 = α h (the documents' classical γ from the first step) or D_0 = 0 (exact for a_0 = v̇_0).
enum class StartHistory { automatic, classical, consistent };

struct GeneralizedAlphaOptions {
  MechanicsParameters mechanics = MechanicsParameters::chung_hulbert(0.8);
  StateParameters states = StateParameters::jansen_whiting_hulbert(0.8);
  ConstraintForm constraints = ConstraintForm::index3;
  bool change_form =
      false;  // to index 1 in tiny steps (T-constraint-10): every run of a model does. Without it errors are
              // those of one form at all steps, and extrapolate
  BalanceForm balance = BalanceForm::exact;
  StartHistory history = StartHistory::automatic;  // consistent with constraints, classical without
  bool update_parameters =
      true;                 // γ_n, θ_n follow the step sizes (T-alpha-6); false: the classical constants
  bool update_beta = true;  // β_n = ¼(γ_n + ½)², for stability under changing steps
  bool offset_projection = true;  // index 3 only
  bool settling = true;           // after a start or a jump that excites what steps cannot resolve (T-settle)
  bool jump_slopes = false;  // at a jump v̈ and s̈ count too: for steps whose error is controlled (T-jump-4)
  /// Of Newton for states of steps whose error is controlled, relative: the smallest that is asked for (T-error-7).
  double state_tolerance = INFINITY;
  /// > 0: the error of steps is controlled, over so long a time (s), and Newton's method measures small unknowns by themselves (T-scale-1).
  double horizon = 0;
  double proximal = 0;  // > 0: redundant constraints allowed (T-proximal)
  NewtonOptions newton;
  StartOptions start;
};

/// Throws ModelError E-SCHEME for a scheme that cannot advance this system (ρ∞ = 1 or β = 0 with index-3 rows; weighted means
/// of what has no constant mass, or switches).
void refuse_scheme(const System& system, const GeneralizedAlphaOptions& options);

class GeneralizedAlpha final : public Stepper {
 public:
  /// Throws as refuse_scheme().
  GeneralizedAlpha(const System& system, GeneralizedAlphaOptions options);
  GeneralizedAlpha(System&&, GeneralizedAlphaOptions) = delete;  // the system must outlive the stepper

  StepReport attempt(State& state, double h) override;
  const State& result() const override { return trial_; }
  double step_size() const override { return c_.h; }
  void commit(State& state) override;
  /// Third order in positions and velocities, second in all else (T-dense).
  void interpolate(const State& from, double s, State& between) const override;
  /// By the formulas of T-error: per unknown, relative to the scales, over the length of the step relative to `horizon`; the
  /// largest counts. Infinite while there is no third point (see look_ahead).
  LocalError local_error(State& from, const ErrorScales& scales) override;
  /// Is there a third point, for the error of the next step and for what lies within it? Not after a start or a jump: then
  /// a trial step of half the size gives one.
  /// Nor after a step so much smaller than this one that differences over it say nothing.
  bool third_point() const { return useful_third(c_.h); }
  StepReport look_ahead(State& state, double h);
  std::optional<StepReport> look_ahead_if_needed(State& state, double h) override;
  /// Adds the jumps of v̇ and ṡ to the history (T-jump).
  void discontinuity(State& state, double slack = 0) override;
  void rehearse_jump(const State& state) override;
  void corner() override { forget_slopes(); }

  /// Is it worth asking what fast parts forget of errors? Where it made no difference, only before a step is rejected, and again
  /// every few steps: or a size that one of them asks for would be kept for ever.
  struct Forgetting {
    bool pays = true;
    int waited = 0;
    bool is_due(double error);
    void found(bool it_pays) { pays = it_pays, waited = 0; }
    void archive(Archive& a) { a(pays, waited); }
  };

  /// The recursion's memory: plain data; copying it with the state is checkpoint and rollback.
  struct History {
    std::vector<double> a, w;          // a_n ≈ v̇(t_n + D), w_n ≈ ṡ(t_n + E)
    double D = 0, E = 0;               // time offsets of a and w
    bool first = true;                 // no step yet: D and E wait for the first step size
    std::vector<double> slope, curve;  // divided differences of v̇, x, y, λ over the last steps
    double last_step = 0;              // 0: slope and curve are not known yet
    double span = 0;                   // of the last two steps
    std::vector<double> third_slope;   // of v̇, x, y, λ and of ṡ, from here to a third point …
    std::vector<double> largest;       // sizes of unknowns and velocities so far (Sizes)
    double third = NAN;                // … at this time from here; NaN: there is none
    double offset = NAN;               // C h² of the last step's velocity offset; NaN: not started
    std::vector<char>
        algebraic;          // state rows in which nothing is stored: their error counts as that of a signal
    bool hidden = false;    // some rates of stores follow from derivatives of algebraic rows
    Excitation excitation;  // the last jump, or the start
    Forgetting states, velocities;  // of their errors (T-error-5, T-error-10)
    bool tiny = false;              // the last step was in index-1 form because of its size (T-constraint-10)
    std::vector<double> mass;       // of positions, at the start
    void archive(Archive& ar) {
      ar(excitation, states, velocities, algebraic, hidden, a, w, D, E, first, slope, curve, last_step, span,
         third_slope, largest, third, offset, tiny, mass);
    }
  };
  History history;
  double size_of(int row) const override { return history.largest[row]; }
  std::vector<int> uncontrolled(const ErrorScales& scales) const override;

  /// The conditions that the parameters violate, in words.
  const std::vector<ParameterWarning>& parameter_warnings() const { return warnings_; }
  std::vector<Warning> warnings() const override;
  const GeneralizedAlphaOptions& options() const { return options_; }
  const StartOptions& start_options() const override { return options_.start; }
  /// Coefficients of the last step: c0, c1, κ and γ_n, β_n, θ_n.
  struct Coefficients {
    double h = 0, gamma = 0, beta = 0, theta = 0;
    double c0 = 0, c1 = 0, kappa = 0;             // dq/dv̇, dv/dv̇, weight of the flow of state rows
    double D = 0, E = 0, D_next = 0, E_next = 0;  // time offsets of a and w, before and after
    double C = 0;                                 // error constant of the position formula (T-constraint-3)
    void archive(Archive& a) { a(h, gamma, beta, theta, c0, c1, kappa, D, E, D_next, E_next, C); }
  };
  const Coefficients& coefficients() const { return c_; }
  /// The iteration matrix at a state for the last coefficients, with T(u) = I and without proximal terms (for condition
  /// numbers and benchmarks).
  void iteration_matrix(const State& state, std::span<double> values);
  Newton& newton() override { return newton_; }
  long pivotings() const override { return newton_.pivotings() + jumps_->pivotings(); }
  void archive(Archive& a) override;

 private:
  class Step;
  void begin(const State& state, const StartReport& report) override;
  bool started() const override { return !std::isnan(history.offset); }
  void find_algebraic(const State& state);
  void prepare_settling();
  StepReport attempt_in_form(State& state, double h);
  void prepare_proximal(const State& state);
  void predict(const State& state, double h);
  void renew_matrix_if_changed();
  /// Does this step settle (T-settle-1)?
  bool settles(const State& state, double h);
  StepReport attempt_settling(State& state, double h);
  bool settling_stage(Step& step, const State& state, int stage, NewtonReport& report);
  void finish_settling(NewtonReport& report);
  void commit_settling(State& state);
  void interpolate_settling(const State& from, double s, State& between) const;
  bool useful_third(double h) const {
    return (history.third > 0 || history.third < -much_smaller * h) &&
           std::abs(history.third - h) > much_smaller * h;
  }
  void choose_coefficients(const State& state, double h, StepReport& report);
  void find_masses(const State& state);
  void choose_form(const State& state);
  double rounding_shown(const State& state);
  double velocity_offset() const { return form_ == ConstraintForm::index3 ? c_.C * c_.h * c_.h : 0.0; }
  bool project_velocity(const State& state, std::span<double> v, NewtonReport& report);
  Shift shift() const;
  bool weighted() const { return options_.balance == BalanceForm::weighted; }
  void weigh_start(const State& state);
  void set_weights(const State& state);
  /// May constraints depend on each other?
  bool regularised() const { return options_.proximal > 0 || system_.switches(); }
  void refuse_contradiction(NewtonReport& report);
  void drop_undetermined();
  void forget_slopes();
  void jump_slopes(const State& after);
  void defects(const State& from, ErrorEstimator estimator);
  void keep_along_constraints(std::span<double> defect, bool velocity);
  void filter_defects(State& from);
  void find_noise(const State& from, bool rounding_too);
  void rounding_noise(const State& from, std::span<double> noise);
  LocalError largest_error(State& from, const ErrorScales& scales);
  bool forget(double horizon);
  bool forget_velocities(double horizon);
  void prepare_slow();
  double between_ends(int row, double change) const;

  static constexpr double rounding = 16 * 2.2e-16;
  static constexpr double much_smaller = 1e-3;  // a step than the next one: its differences are noise there
  GeneralizedAlphaOptions options_;
  std::vector<ParameterWarning> warnings_;
  bool constrained_;
  ConstraintForm form_;  // of this step
  Newton newton_;
  Coefficients c_, factored_for_;
  State trial_, aside_, after_, later_;  // after_, later_: of jumps
  Reach reach_;
  Sizes sizes_;
  std::optional<JumpSolver> jumps_;
  std::optional<ExcitationTest> excitation_test_;  // none: steps do not settle
  bool settled_ = false;                           // the step just computed has settled …
  std::vector<double> stage_v_[SettlingStages::count], stage_a_[SettlingStages::count],
      stage_w_[SettlingStages::count];  // … through these rates of its stages,
  State within_;                        // and this is its first one
  std::vector<double> within_u_;
  std::unique_ptr<LinearSolver> slow_;  // work of forget()
  std::vector<double> stores_, slow_values_, carried_[3];
  std::vector<char> at_rest_;
  std::vector<int> nodes_;  // rows of the nodes of circuits
  // Work: predicted u and v without the new acceleration, stores without the new flow, projections d and e, T(u), weights.
  std::vector<double> u_bar_, v_bar_, s_bar_, a_bar_, w_bar_, u_, d_, e_, operators_, stiffness_, weights_,
      work_, rows_, scratch_, velocity_, velocity_start_, defect_q_, across_, defect_v_, defect_s_, noise_,
      sizes_now_, expected_, left_over_;
  mutable std::vector<double> dense_end_, dense_u_;
  std::vector<double> balance_start_;  // of weighted means: α_m and α_f times what the equations are at t_n
  std::vector<char> turns_;            // positions that are angles: their size is no measure of their error
  std::vector<double> epsilon_;        // proximal terms of the constraint rows, empty without
  std::span<const double> a_, w_;      // the history this step starts from
};

}  // namespace escapement
