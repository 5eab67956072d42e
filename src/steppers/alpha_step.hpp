// One generalized-α step while it is computed, or one stage of a settling step: its data, and its nonlinear equations as Newton
// sees them.
#pragma once
#include "core/manifold.hpp"
#include "core/sizes.hpp"
#include "core/state.hpp"
#include "steppers/alpha_coefficients.hpp"

namespace escapement {

struct AlphaStep {
  explicit AlphaStep(const System& system);

  AlphaCoefficients c;
  ConstraintForm form = ConstraintForm::index3;
  /// All of t_{n+1} but what the new accelerations and flows add (T-alpha-1…4).
  struct Prediction {
    std::vector<double> velocity;  // v_n as the step starts from it, with the offset of (T-constraint-4)
    std::vector<double> a, w;      // of a_{n+1} and w_{n+1}
    std::vector<double> u, v;      // ū and v̄: u = ū + c0 v̇, v = v̄ + c1 v̇
    std::vector<double> s;         // s̄: s = s̄ + κ ṡ
    std::vector<double> balance;   // of weighted means: what the equations are at t_n, by α_m and α_f
  } predicted;
  State end;                      // t_{n+1}
  std::vector<double> u;          // q_{n+1} = q_n ∘ exp(u)
  std::vector<double> d, e;       // what projections add to u and v_{n+1} (T-constraint-6, T-constraint-9)
  std::vector<double> operators;  // T(u) of the Lie variables

  void clear_projections();
};

/// The equations in the unknowns v̇, x, y, λ, μ (and the projections: d of index 2, d and e of index 1).
class AlphaEquations final : public NewtonProblem {
 public:
  AlphaEquations(const System& system, const GeneralizedAlphaOptions& options, const Sizes& sizes,
                 AlphaStep& step);

  /// Before a step from this state. `largest`: sizes of unknowns and velocities so far.
  void begin(const State& from, std::span<const double> largest);
  /// q = q_n ∘ exp(ū + c0 v̇ + d), v = v̄ + c1 v̇ + e (T-alpha-2, T-alpha-3).
  void place();
  /// ṡ = −flow(z_{n+1}), s = s̄ + κ ṡ (T-alpha-5).
  void follow_stores();

  Shift shift() const;
  /// The iteration matrix at a state, with T(u) = I.
  void matrix(const State& at, std::span<double> values);
  /// Are the coefficients others than those of the last matrix, by more than a little?
  bool outgrew_matrix() const;
  /// −ε on the diagonal of the constraint rows (T-proximal).
  void regularise(std::span<const double> epsilon) { epsilon_ = epsilon; }
  /// What rounding moves the unknowns of the step just solved by, along the constraints (T-error-7).
  void rounding_along_constraints(Newton& newton, std::span<double> noise);

  void residual(std::span<double> r) override;
  void tangent(std::span<double> r, std::span<double> values) override;
  void move(std::span<const double> du, double scale) override;
  std::span<const double> weights() const override { return weights_; }
  std::span<const double> most_left_over() const override { return left_over_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override;
  void rounded_sizes(std::span<double> size) const override;
  void add_rounding(std::span<double> rows) override;
  void complete(LinearSolver& solver, std::span<const double>, std::span<double> du) override;
  void archive(Archive& a) { a(factored_for_); }

  static constexpr double rounding = 16 * 2.2e-16;

 private:
  class AlongConstraints;
  /// Derivatives of Φ and of k, −1: none.
  struct Levels {
    int holonomic, nonholonomic;
  };
  void set_weights();
  void unknowns(std::span<double> size) const;
  void stabilise(LinearSolver& solver, std::span<double> du);
  void project(LinearSolver& solver, std::span<double> du);
  void solve_for(LinearSolver& solver, std::span<const double> du, Levels levels, std::span<double> x);
  void subtract_history(std::span<double> r) const;
  template <class Size>
  void add_stiff_rounding(std::span<double> rows, const Size& size);

  const System& system_;
  const GeneralizedAlphaOptions& options_;
  const Sizes& sizes_;
  AlphaStep& step_;
  const State* from_ = nullptr;
  std::span<const double> largest_, epsilon_;
  Range states_;
  int positions_, multipliers_;  // rows of positions; the first one of constraints
  bool constrained_, regularised_;
  CoordinateSizes coordinate_size_;
  AlphaCoefficients factored_for_;
  std::vector<double> weights_, left_over_;
  std::vector<double> expected_;          // sizes, as far as they are foreseen
  std::vector<double> projection_;        // an increment along the constraints
  std::vector<double> flow_, stiffness_;  // flow(z_{n+1}); ∂R/∂q
  std::vector<double> unused_;            // rows that come with a matrix
};

}  // namespace escapement
