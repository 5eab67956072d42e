// One variational step while it is computed, linear or not: its data, and its rows as Newton sees them (T-variational-3, T-spook-3).
#pragma once
#include "core/manifold.hpp"
#include "core/sizes.hpp"
#include "steppers/end_of_step.hpp"
#include "steppers/variational_history.hpp"
#include "steppers/variational_options.hpp"

namespace escapement {

struct VariationalStep {
  explicit VariationalStep(const System& system);

  double h = 0;
  /// What the step starts with.
  struct Start {
    std::vector<double> p;        // momenta, to which `impulse` of the constraints has acted already
    std::vector<double> impulse;  // by row
    std::vector<double> half;     // velocity of the step before
    std::vector<double> bend;     // v_{n+1} + v_n − 2 v_{n+½}, as far as it is known
    std::vector<double> stored;   // what store + weight · flow of the states is to be at the midpoint
    std::vector<double> multiplier_shift;  // of λ from t_n to the midpoint
    std::vector<double> phi_rate;          // of SPOOK: Φ̇ as the last step left it
    double share = 1;          // of hλ that acts at the beginning, beside what has acted (T-node-4)
    double softening = 1e-10;  // of SPOOK: Σ of rigid constraints, relative to Φ_q M⁻¹ Φ_qᵀ
  } start;
  /// Constraints at one end of the step.
  struct Constraints {
    std::vector<double> gradient;  // Φ_qᵀ, k_vᵀ in the columns of the multipliers
    std::vector<double> phi;
  } before, after;
  std::vector<char> open;  // rows of constraints that do not act

  State mid;                            // t_{n+½}, with the velocity of the step: its unknowns
  State end;                            // q_{n+1}, for Φ there
  std::vector<double> u, u_half;        // h v, h v/2
  std::vector<double> T, T_half;        // T(u) of both …
  std::vector<double> back, back_half;  // … and T(−u)ᵀ (T-variational-9)
  std::vector<double> unturned,
      pushed;  // p_n − Φ_qᵀ hλ − k_vᵀ hμ, and in the axes of the momentum at the midpoint
};

/// The equations in the unknowns v_{n+½}, x, y at the midpoint and the impulses hλ, hμ.
class VariationalEquations final : public NewtonProblem {
 public:
  VariationalEquations(const System& system, const VariationalOptions& options, VariationalStep& step,
                       const EndOfStep& end_of_step, const VariationalHistory& history);

  /// Before a step from this state.
  void begin(const State& from);
  /// q_{n+½} = q_n ∘ exp(h v/2), q_{n+1} = q_n ∘ exp(h v).
  void place();
  /// T(−u)ᵀ (p_n − Φ_qᵀ hλ − k_vᵀ hμ): what the step starts with, in the axes of its momentum.
  void push();
  /// Of the flow at the midpoint, in what states have stored there.
  double state_weight() const { return (options_.damped_states ? 0.25 : 0.5) * step_.h; }
  /// d of a constraint row under SPOOK, s.
  double damping_time(int row) const;
  void forget_proximal() { epsilon_.clear(); }

  void residual(std::span<double> r) override;
  void tangent(std::span<double> r, std::span<double> values) override;
  void move(std::span<const double> du, double scale) override;
  std::span<const double> weights() const override { return weights_; }
  std::span<const double> most_left_over() const override { return left_over_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override;
  void rounded_sizes(std::span<double> size) const override;
  void add_rounding(std::span<double> rows) override;
  void archive(Archive& a) { a(epsilon_); }

 private:
  Shift shift() const;
  Shift end_shift() const;
  Shift driven_shift() const;
  bool is_driven(int row) const;
  double impulse(int row) const;
  double share(int row) const;
  double relaxation(int row) const;
  double softness(int row) const;
  double rigid_softness(int row) const;
  void correct_own_masses(std::span<double> r);
  void put_driven(std::span<double> r) const;
  void balance(std::span<double> r);
  void constrain(std::span<double> r);
  void put_end_rows(std::span<double> values);
  void put_relaxed_rows(std::span<double> values);
  void put_reactions(std::span<double> values);
  void put_turning(std::span<double> values);
  void regularise(std::span<double> values);

  const System& system_;
  const VariationalOptions& options_;
  VariationalStep& step_;
  const EndOfStep& end_of_step_;
  const VariationalHistory& history_;
  const State* from_ = nullptr;
  int n_, positions_;
  Range states_, holonomic_;
  CoordinateSizes coordinate_size_;
  std::vector<int> holonomic_entries_, lie_of_row_;
  std::vector<double> weights_, left_over_;
  std::vector<double> epsilon_;            // proximal terms, by row; empty: not known, or none is needed
  std::vector<double> momenta_, force_;    // at the midpoint; of the Lie variables in the axes of the balance
  std::vector<double> driven_, end_rows_;  // rows of stores that are driven; of Φ(q_{n+1})
  std::vector<double> unbent_;             // rows without the bend
  std::vector<double> part_;               // of the matrix that replaces some of its rows
  std::vector<double> unused_, stiffness_;  // rows that come with a matrix; ∂R/∂q
};

}  // namespace escapement
