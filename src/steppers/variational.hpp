// Variational time stepping: the discrete Lagrangian L_d = h L(q_{n+½}, (q_{n+1} − q_n)/h) of the midpoint, forced and constrained,
// for all five kinds at once. Rows hold at the midpoint of a step, constraints at its end with their force at its beginning; from
// node to node q, the momenta p and the stores s are carried on (docs/theory.md, T-variational).
//
// Quasi-linear it is SPOOK: one linear solve per step, and constraints that relax (T-spook).
#pragma once
#include <algorithm>
#include <vector>

#include "core/manifold.hpp"
#include "core/sizes.hpp"
#include "steppers/node.hpp"
#include "steppers/stepper.hpp"

namespace escapement {

/// How a constraint is kept under SPOOK.
struct Relaxation {
  double damping = 2;       // over which time a violation decays: so many steps …
  bool in_seconds = false;  // … or seconds
  double compliance = 0;    // violation per load (m/N, rad/(N m)); 0: rigid
};

struct VariationalOptions {
  bool quasi_linear = false;  // SPOOK
  double step = 0;            // s, the usual one: what `damping` counts in, where events cut a step short
  Relaxation relaxation;      // of all constraints …
  std::vector<Relaxation> relaxations;  // … or of each row, holonomic ones first
  bool damped_states = true;            // states by TR-BDF2 (T-variational-6); false: by the midpoint rule
  bool naive_start = false;             // v_{−½} = v_0, as is often done: first order (T-spook-5)
  double proximal = 0;         // > 0: redundant constraints allowed (T-proximal); SPOOK allows them always
  bool tell_left_over = true;  // SPOOK: StepReport::left_over, for one more solve
  NewtonOptions newton;
  StartOptions start;
};

/// Throws ModelError E-SCHEME for a system that the scheme cannot advance.
void refuse_scheme(const System& system, const VariationalOptions& options);

class Variational final : public Stepper {
 public:
  /// Throws as refuse_scheme().
  Variational(const System& system, VariationalOptions options);
  Variational(System&&, VariationalOptions) = delete;  // the system must outlive the stepper

  StepReport attempt(State& state, double h) override;
  const State& result() const override { return trial_; }
  double step_size() const override { return h_; }
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
  long pivotings() const override { return newton_.pivotings() + node_.pivotings() + jumps_->pivotings(); }
  void archive(Archive& a) override;

  const VariationalOptions& options() const { return options_; }
  /// Where the rows of the last step hold: t_{n+½}, with the velocity of the step.
  const State& midpoint() const { return mid_; }
  /// Momenta at the last node, in the axes of the velocities.
  std::span<const double> momenta() const { return history.p; }

  /// What is carried on beside the state.
  struct History {
    std::vector<double> p;        // momenta, after the impulses that make Φ̇ = 0
    std::vector<double> impulse;  // … and these, by row
    std::vector<double> half;     // velocity of the last step
    std::vector<double> bend;  // v_{n+1} + v_n − 2 v_{n+½}: where velocities are not the mean of their ends
    std::vector<double> slope;           // of x, y, λ over the last step
    double bend_step = 0, bend_age = 0;  // of the step it is from, and how long ago that was
    double step = 0;                     // the last one
    std::vector<double> stiffness;       // 1/s, of the states: so fast they decay by themselves
    std::vector<double> largest;         // sizes of unknowns and velocities so far (Sizes)
    bool fresh = true, started = false;
    bool jumped = false;  // multipliers did, since the last step
    bool bent = false;    // do signals or states read accelerations?
    bool driven = false;  // do stores change with velocities?
    void archive(Archive& a) {
      a(p, impulse, half, bend, slope, bend_step, bend_age, step, stiffness, largest, fresh, started, jumped,
        bent, driven);
    }
  };
  History history;

 private:
  class Step;
  void begin(const State& state, const StartReport& report) override;
  bool started() const override { return history.started; }
  void examine(const State& state);
  void set_gradient(const State& at, std::span<double> gradient, std::span<double> phi);
  void begin_step(const State& state, double h);
  StepReport compute(State& state, double h);
  NewtonReport solve_linear(Step& step);
  void measure_left_over(Step& step, const State& state, StepReport& report);
  void measure_against_solution(Step& step, StepReport& report);
  void refuse_contradiction(NewtonReport& report);
  NewtonReport finish_node(const State& state);
  void count_mean_velocities(const State& state);
  void carry_impulses();
  /// Of the flow at the midpoint, in what states have stored there.
  double state_weight() const { return (options_.damped_states ? 0.25 : 0.5) * h_; }
  bool is_soft(int row) const { return !node_.soft.empty() && node_.soft[row - holonomic_.begin]; }
  double share(int row) const { return is_soft(row) ? 1.0 : share_; }
  double relax(int row) const;  // τ of a constraint row
  /// To the midpoint along the slopes of the last step; slopes of a far shorter one are rounding.
  double half_ahead(double h) const { return 0.5 * (history.fresh ? h : std::min(h, 10 * history.step)); }
  double damping_time(int row) const;  // d of it
  double softness(int row) const;      // Σ of a constraint row

  VariationalOptions options_;
  int n_, positions_;
  int position_values_ = 0;  // numbers of all positions: the first ones of State::value
  Range states_, holonomic_;
  Newton newton_;
  NodeEquations node_;
  double h_ = 0, factored_for_ = 0, factored_share_ = 1;
  double share_ = 1;  // of hλ that acts at the beginning of a step, beside what has acted (T-node-4)
  std::optional<JumpSolver> jumps_;
  State after_;               // a jump
  double softening_ = 1e-10;  // Σ of rigid constraints under SPOOK, relative to Φ_q M⁻¹ Φ_qᵀ
  State mid_, end_, trial_;   // midpoint; q_{n+1}, for Φ; the node at the end
  State linear_;              // the midpoint as one linear solve has it
  Reach reach_;
  Sizes sizes_;
  std::vector<double> u_, u_half_, T_, T_half_, back_,
      back_half_;  // h v, h v/2, T of both, and T(−u)ᵀ (T-variational-9)
  std::vector<double> gradient_, end_gradient_,
      end_values_;                                // Φ_qᵀ, k_vᵀ at both nodes; tangent of Φ(q_{n+1})
  std::vector<double> phi_, end_phi_, phi_rate_;  // Φ at both nodes; Φ̇ as the last step left it
  std::vector<double> p_start_, half_start_, impulse_start_, multiplier_shift_, bend_,
      stored_;  // what the step starts with
  std::vector<double> pushed_, unturned_, force_, momentum_, next_p_, next_bend_, flow_;
  std::vector<double> linear_matrix_;  // that SPOOK factored last
  std::vector<double> work_, rows_, rows_linear_, stiffness_, weights_, left_over_, epsilon_;
  mutable std::vector<double> dense_end_, dense_u_;
  std::vector<char> open_;
  std::vector<int> holonomic_entries_, lie_of_row_;
};

}  // namespace escapement
