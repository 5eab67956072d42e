// The nonlinear equations of one generalized-α step, or of one stage of a settling step, as Newton sees them.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/manifold.hpp"
#include "steppers/generalized_alpha.hpp"

namespace escapement {

/// The nonlinear equations of one step, in the unknowns v̇, x, y, λ, μ (and the projections: d of index 2, d and e of index 1).
class GeneralizedAlpha::Step final : public NewtonProblem {
 public:
  /// `across`: increments that the rounding of q and v causes through Φ and k count as rounding.
  Step(GeneralizedAlpha& g, const State& from, bool across = true) : g_(g), from_(from), across_(across) {}

  /// q = q_n ∘ exp(ū + c0 v̇ + d), v = v̄ + c1 v̇ + e (T-alpha-2, T-alpha-3).
  void place() {
    const int positions = g_.system_.rows(Kind::position).end;
    for (int i = 0; i < positions; ++i) {
      g_.u_[i] = g_.u_bar_[i] + g_.c_.c0 * g_.trial_.acceleration[i] + g_.d_[i];
      g_.trial_.rate[i] = g_.v_bar_[i] + g_.c_.c1 * g_.trial_.acceleration[i] + g_.e_[i];
    }
    move_positions(g_.system_, from_.value, g_.u_, g_.trial_.value, g_.operators_);
  }
  void residual(std::span<double> r) override {
    g_.system_.residual(g_.trial_, g_.shift(), r);
    subtract_history(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    g_.system_.tangent(g_.trial_, g_.shift(), g_.operators_, r, values);
    add_proximal(g_.system_, g_.epsilon_, values);
    g_.factored_for_ = g_.c_;
    subtract_history(r);
  }
  void move(std::span<const double> du, double scale) override {
    const int positions = g_.system_.rows(Kind::position).end, n = g_.system_.size();
    const auto at = g_.system_.value_of_row();
    for (int i = 0; i < positions; ++i) g_.trial_.acceleration[i] += scale * du[i];
    for (int i = positions; i < n; ++i) g_.trial_.value[at[i]] += scale * du[i];
    const double unit = g_.form_ == ConstraintForm::index2 ? g_.c_.c0 : 1.0;
    for (int i = 0; i < positions && g_.constrained_; ++i) {
      g_.d_[i] += scale * unit * du[n + i];
      g_.e_[i] += scale * du[n + positions + i];
    }
    place();
  }
  std::span<const double> weights() const override { return g_.weights_; }
  std::span<const double> most_left_over() const override { return g_.left_over_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    const auto at = g_.system_.value_of_row();
    const auto nominal = g_.system_.nominal();
    const int positions = g_.system_.rows(Kind::position).end;
    const bool holonomic = across_ && g_.system_.rows(Kind::holonomic).size() > 0;
    const bool slip = across_ && g_.system_.rows(Kind::nonholonomic).size() > 0;
    const bool index1 = g_.constrained_ && g_.form_ == ConstraintForm::index1;
    for (int i = 0; i < positions; ++i) {  // rounding of q and v comes back through Φ and k (T-newton-3)
      const double speed = std::abs(g_.trial_.rate[i]);
      size[i] = std::abs(g_.trial_.acceleration[i]);
      if (index1) {
        noise[i] += GeneralizedAlpha::rounding * speed * speed / nominal[i];
        continue;
      }
      if (holonomic)
        noise[i] += GeneralizedAlpha::rounding * std::max(nominal[i], g_.reach_(g_.trial_, i)) / g_.c_.c0;
      if (slip || (holonomic && g_.form_ == ConstraintForm::index2))
        noise[i] += GeneralizedAlpha::rounding * std::max(nominal[i], speed) / g_.c_.c1;
    }
    for (int i = positions; i < g_.system_.size(); ++i) size[i] = std::abs(g_.trial_.value[at[i]]);
    if (!across_) return;
    // Multipliers sum up the rounding of all they hold: they are judged by the accelerations they cause.
    for (int i = g_.system_.rows(Kind::holonomic).begin; i < g_.system_.size(); ++i) noise[i] = INFINITY;
  }

  void rounded_sizes(std::span<double> size) const override {
    const auto at = g_.system_.value_of_row();
    const int positions = g_.system_.rows(Kind::position).end;
    for (int i = 0; i < positions; ++i)
      size[i] = std::abs(g_.trial_.acceleration[i]) + std::abs(g_.trial_.rate[i]) / g_.c_.c1 +
                (g_.c_.c0 > 0 ? g_.reach_(g_.trial_, i) / g_.c_.c0 : 0.0);
    for (int i = positions; i < g_.system_.size(); ++i) size[i] = std::abs(g_.trial_.value[at[i]]);
  }

  /// 16 ε|q| through K = ∂R/∂q: forces are differences of positions times their stiffness (T-newton-3).
  void add_rounding(std::span<double> rows) override {
    const Pattern& p = g_.system_.pattern();
    const int positions = g_.system_.rows(Kind::position).end;
    const auto at = g_.system_.value_of_row();
    const auto nominal = g_.system_.nominal();
    // What has an orientation has points that are far from its origin; others are where their coordinates say.
    const auto size = [&](int j) {
      return !across_ && at[j] >= 0 ? small_size(g_.system_, j, g_.history.largest[j]) : nominal[j];
    };
    g_.system_.tangent(g_.trial_, Shift::stiffness(), {}, g_.scratch_, g_.stiffness_);
    for (int j = 0; j < positions; ++j) {
      const double moved = GeneralizedAlpha::rounding * std::max(size(j), g_.reach_(g_.trial_, j));
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] < positions) rows[p.row[k]] += std::abs(g_.stiffness_[k]) * moved;
    }
  }

  void complete(LinearSolver& solver, std::span<const double>, std::span<double> du) override {
    if (!g_.constrained_) return;
    std::fill(du.begin() + g_.system_.size(), du.end(), 0.0);
    if (g_.form_ == ConstraintForm::index2) stabilise(solver, du);
    if (g_.form_ == ConstraintForm::index1) project(solver, du);
  }

 private:
  /// Stabilised index 2: after the index-3 increment, the velocity increment p that makes Φ̇ = 0 there, with the same
  /// factored matrix: S (p, η) = −(0, Φ̇/c1); v̇ += p, λ += η, and d −= c0 p keeps the position (T-constraint-7).
  void stabilise(LinearSolver& solver, std::span<double> du) {
    const int n = g_.system_.size(), positions = g_.system_.rows(Kind::position).end;
    auto& x = g_.work_;
    solve_for(solver, du, {1, -1}, x);
    for (int i = 0; i < n; ++i) x[i] /= g_.c_.c1;
    apply_operators(g_.system_, g_.operators_, x);  // the matrix holds Φ_q T(u), velocities need Φ_q
    for (int i = 0; i < n; ++i) du[i] += x[i];
    for (int i = 0; i < positions; ++i) du[n + i] = -x[i];
  }
  /// Index 1: after the increment of v̇ and λ, which these leave alone, the position onto Φ = 0, then the velocity onto
  /// Φ̇ = 0 and k = 0, along S⁻¹Φ_qᵀ and S⁻¹k_vᵀ (T-constraint-9).
  void project(LinearSolver& solver, std::span<double> du) {
    const int n = g_.system_.size(), positions = g_.system_.rows(Kind::position).end;
    auto& x = g_.work_;
    if (g_.system_.rows(Kind::holonomic).size() > 0) {
      solve_for(solver, du, {0, -1}, x);
      remove_operators(g_.system_, g_.operators_, x);
      std::copy_n(x.begin(), positions, du.begin() + n);
    }
    solve_for(solver, du, {1, 0}, x);
    std::copy_n(x.begin(), positions, du.begin() + n + positions);
  }
  struct Levels {
    int holonomic, nonholonomic;
  };
  /// S x = −(0, these derivatives of Φ and k) after the increment.
  void solve_for(LinearSolver& solver, std::span<const double> du, Levels levels, std::span<double> x) {
    move(du, 1.0);
    g_.system_.constraints(g_.trial_, levels.holonomic, levels.nonholonomic, x);
    move(du, -1.0);
    for (double& e : x) e = -e;
    solver.solve(x);
  }
  void subtract_history(std::span<double> r) {
    const Range states = g_.system_.rows(Kind::state);
    for (int i = states.begin; i < states.end; ++i) r[i] -= g_.s_bar_[i - states.begin];
    if (g_.weighted())
      for (int i = 0; i < g_.system_.rows(Kind::position).end; ++i) r[i] += g_.balance_start_[i];
  }
  GeneralizedAlpha& g_;
  const State& from_;
  bool across_;
};

}  // namespace escapement
