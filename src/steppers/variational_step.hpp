// The rows of one variational step, linear or not (T-variational-3, T-spook-3): for variational.cpp alone.
#pragma once
#include <algorithm>
#include <cmath>

#include "steppers/variational.hpp"

namespace escapement {

/// d(T(u) w)/du of SO(3), with T(u) w = w − a u×w + b u×(u×w).
inline Matrix3 turned_tangent(const Vector3& u, const Vector3& w) {
  const TangentCoefficients<double> c(dot(u, u));
  const Vector3 uw = cross(u, w), uuw = cross(u, uw);
  Matrix3 D;
  for (int j = 0; j < 3; ++j) {
    Vector3 e;
    e[j] = 1;
    const Vector3 ew = cross(e, w);
    const Vector3 column =
        -c.a * ew + c.b * (cross(e, uw) + cross(u, ew)) + (2 * u[j]) * (c.b_slope * uuw - c.a_slope * uw);
    for (int i = 0; i < 3; ++i) D.m[i][j] = column[i];
  }
  return D;
}

/// The equations of one step, in the unknowns v_{n+½}, x, y at the midpoint and the impulses hλ, hμ.
class Variational::Step final : public NewtonProblem {
  static constexpr double rounding = 16 * 2.2e-16;

 public:
  Step(Variational& v, const State& from) : v_(v), from_(from) {}

  Shift shift() const {
    Shift c;
    c.position = 0.5 * v_.h_;
    c.velocity = 1;
    c.acceleration = 2 / v_.h_;
    c.momentum = 1;
    c.momentum_rate = 0;
    c.force = 0.5 * v_.h_;
    c.flow = v_.state_weight();
    c.reaction = 0;
    c.store = 1;
    c.holonomic_scale = 0;
    return c;
  }
  Shift end_shift() const {
    return {.position = v_.h_,
            .momentum_rate = 0,
            .force = 0,
            .reaction = 0,
            .flow = 0,
            .holonomic_scale = 1 / v_.h_,
            .nonholonomic_scale = 0};
  }
  Shift driven_shift() const {
    Shift c = shift();
    c.store = 0;
    c.flow = c.store_rate = 1;
    return c;
  }

  /// q_{n+½} = q_n ∘ exp(h v/2), q_{n+1} = q_n ∘ exp(h v).
  void place() {
    const double h = v_.h_;
    for (int i = 0; i < v_.positions_; ++i) {
      const double speed = v_.mid_.rate[i];
      v_.u_half_[i] = 0.5 * h * speed;
      v_.u_[i] = h * speed;
      v_.mid_.acceleration[i] = (2 * (speed - from_.rate[i]) + v_.bend_[i]) / h;
      v_.end_.rate[i] = 2 * speed - from_.rate[i];  // angles count their turns by it (T-turn-1)
    }
    move_positions(v_.system_, from_.value, v_.u_half_, v_.mid_.value, v_.T_half_);
    move_positions(v_.system_, from_.value, v_.u_, v_.end_.value, v_.T_);
    const auto at = v_.system_.value_of_row();
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m) v_.end_.value[at[m]] = v_.mid_.value[at[m]];
  }
  /// The impulse hλ of a constraint at t_n.
  double impulse(int m) const {
    return v_.h_ * (v_.mid_.value[v_.system_.value_of_row()[m]] - v_.multiplier_shift_[m]);
  }
  /// T(u) (p_n − Φ_qᵀ hλ − k_vᵀ hμ): what the step starts with, in the axes of its momentum.
  void push() {
    const Pattern& p = v_.system_.pattern();
    std::copy(v_.p_start_.begin(), v_.p_start_.end(), v_.pushed_.begin());
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m) {
      const double rest = v_.share(m) * impulse(m) - v_.impulse_start_[m];
      for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < v_.positions_; ++k)
        v_.pushed_[p.row[k]] -= v_.gradient_[k] * rest;
    }
    std::copy(v_.pushed_.begin(), v_.pushed_.end(), v_.unturned_.begin());
    apply_operators(v_.system_, v_.T_, v_.pushed_);
  }

  void residual(std::span<double> r) override {
    v_.system_.residual(v_.mid_, shift(), r);
    correct_own_masses(r);
    if (v_.node_.state_rows().has_driven) {
      v_.system_.residual(v_.mid_, driven_shift(), v_.rows_);
      put_driven(r, v_.rows_);
    }
    balance(r);
    constrain(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    v_.system_.tangent(v_.mid_, shift(), v_.T_half_, r, values);
    correct_own_masses(r);
    if (v_.node_.state_rows().has_driven) {
      v_.system_.tangent(v_.mid_, driven_shift(), v_.T_half_, v_.rows_, v_.end_values_);
      put_driven(r, v_.rows_);
      const Pattern& p = v_.system_.pattern();
      for (int k = 0; k < p.nonzeros(); ++k)
        if (is_driven(p.row[k])) values[k] = v_.end_values_[k];
    }
    balance(r);
    constrain(r);
    const Pattern& p = v_.system_.pattern();
    for (int k = p.column_begin[v_.holonomic_.begin]; k < p.nonzeros(); ++k) values[k] /= v_.h_;
    if (v_.options_.quasi_linear) put_relaxed_rows(values);
    else put_end_rows(values);
    put_reactions(values);
    put_turning(values);
    regularise(values);
  }
  void move(std::span<const double> du, double scale) override {
    const auto at = v_.system_.value_of_row();
    for (int i = 0; i < v_.positions_; ++i) v_.mid_.rate[i] += scale * du[i];
    for (int i = v_.positions_; i < v_.n_; ++i)
      v_.mid_.value[at[i]] += scale * (i < v_.holonomic_.begin ? 1.0 : 1 / v_.h_) * du[i];
    place();
  }
  std::span<const double> weights() const override { return v_.weights_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    const auto at = v_.system_.value_of_row();
    const auto nominal = v_.system_.nominal();
    for (int i = 0; i < v_.positions_; ++i) {  // rounding of q comes back through Φ (T-newton-3)
      size[i] = std::abs(v_.mid_.rate[i]);
      if (v_.holonomic_.size() > 0)
        noise[i] += rounding * std::max(nominal[i], v_.reach_(v_.end_, i)) / v_.h_;
    }
    for (int i = v_.positions_; i < v_.n_; ++i)
      size[i] = std::abs(v_.mid_.value[at[i]]) * (i < v_.holonomic_.begin ? 1.0 : v_.h_);
    for (int i = v_.holonomic_.begin; i < v_.n_; ++i) noise[i] = INFINITY;
  }
  void add_rounding(std::span<double> rows) override {
    const Pattern& p = v_.system_.pattern();
    const auto nominal = v_.system_.nominal();
    Shift c = Shift::stiffness();
    c.momentum_rate = 0;
    c.force = 0.5 * v_.h_;
    c.reaction = 0;
    v_.system_.tangent(v_.mid_, c, {}, v_.rows_, v_.stiffness_);
    for (int j = 0; j < v_.positions_; ++j) {
      const double moved = rounding * std::max(nominal[j], v_.reach_(v_.mid_, j));
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] < v_.positions_) rows[p.row[k]] += std::abs(v_.stiffness_[k]) * moved;
    }
  }

 private:
  bool is_driven(int i) const {
    const Range& s = v_.states_;
    return i >= s.begin && i < s.end && v_.node_.state_rows().kinds[i - s.begin] == StateRow::driven;
  }
  /// Masses in equations of the user change their momentum along the step, as all others do: without the bend that signals see.
  void correct_own_masses(std::span<double> r) {
    if (!v_.node_.own_masses() || !v_.history.bent) return;
    for (int i = 0; i < v_.positions_; ++i) v_.mid_.acceleration[i] -= v_.bend_[i] / v_.h_;
    v_.system_.residual(v_.mid_, shift(), v_.rows_);
    for (int i = 0; i < v_.positions_; ++i) v_.mid_.acceleration[i] += v_.bend_[i] / v_.h_;
    std::copy(v_.rows_.begin(), v_.rows_.begin() + v_.positions_, r.begin());
  }
  void put_driven(std::span<double> r, std::span<const double> from) const {
    for (int i = v_.states_.begin; i < v_.states_.end; ++i)
      if (is_driven(i)) r[i] = from[i];
  }
  /// From p + (h/2) F to p + T(u/2) (h/2) F − T(u) (p_n − Φ_qᵀ hλ − k_vᵀ hμ), and s + (h/2) flow − s_n.
  void balance(std::span<double> r) {
    push();
    if (!v_.system_.lie_variables().empty()) {
      v_.system_.momenta(v_.mid_, v_.work_);
      for (int i = 0; i < v_.positions_; ++i) v_.force_[i] = r[i] - v_.work_[i];
      apply_operators(v_.system_, v_.T_half_, v_.force_);
      for (int i = 0; i < v_.positions_; ++i)
        if (v_.lie_of_row_[i] >= 0) r[i] = v_.work_[i] + v_.force_[i];
    }
    for (int i = 0; i < v_.positions_; ++i) r[i] -= v_.pushed_[i];
    for (int i = v_.states_.begin; i < v_.states_.end; ++i)
      if (!is_driven(i)) r[i] -= v_.stored_[i - v_.states_.begin];
  }
  void constrain(std::span<double> r) {
    if (v_.holonomic_.size() == 0) return;
    if (!v_.options_.quasi_linear) {
      const LentHistory histories(v_.mid_, v_.end_);
      v_.system_.constraint_forces(v_.end_, end_shift(), v_.rows_);
      std::copy(v_.rows_.begin() + v_.holonomic_.begin, v_.rows_.begin() + v_.holonomic_.end,
                r.begin() + v_.holonomic_.begin);
      return;
    }
    for (int m = v_.holonomic_.begin; m < v_.holonomic_.end; ++m) {  // (T-spook-3)
      if (v_.open_[m]) continue;                                     // the row says λ = 0
      const double tau = v_.relax(m);
      r[m] = (1 - tau) * v_.phi_rate_[m] + 4 * tau / v_.h_ * v_.phi_[m] -
             (v_.softness(m) + rigid_softness(m)) * impulse(m);
    }
    add_along_constraints(
        v_.system_, v_.gradient_, [&](int j) { return v_.mid_.rate[j] - v_.half_start_[j]; }, r);
  }
  void put_end_rows(std::span<double> values) {
    if (v_.holonomic_.size() == 0) return;
    const Pattern& p = v_.system_.pattern();
    const LentHistory histories(v_.mid_, v_.end_);
    v_.system_.constraint_tangent(v_.end_, end_shift(), v_.T_, v_.rows_, v_.end_values_);
    const int multipliers = p.column_begin[v_.holonomic_.begin];
    for (const int k : v_.holonomic_entries_) values[k] = v_.end_values_[k] / (k < multipliers ? 1.0 : v_.h_);
  }
  void put_relaxed_rows(std::span<double> values) {
    const Pattern& p = v_.system_.pattern();
    const int multipliers = p.column_begin[v_.holonomic_.begin];
    for (const int k : v_.holonomic_entries_) {
      const int m = p.row[k];
      if (!v_.open_[m]) values[k] = k < multipliers ? v_.gradient_[k] : 0.0;
    }
    for (int m = v_.holonomic_.begin; m < v_.holonomic_.end; ++m)
      if (!v_.open_[m]) values[p.find(m, m)] = -v_.softness(m);
  }
  /// Columns of the impulses: T(u) Φ_qᵀ and T(u) k_vᵀ at the beginning of the step.
  void put_reactions(std::span<double> values) {
    const Pattern& p = v_.system_.pattern();
    const auto& lies = v_.system_.lie_variables();
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m) {
      const double share = v_.share(m);
      for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < v_.positions_;) {
        const int l = v_.lie_of_row_[p.row[k]];
        if (l < 0) {
          values[k] += share * v_.gradient_[k];
          ++k;
          continue;
        }
        const int n = lies[l].dofs(), first = lies[l].place.row + n - 3;
        const double* T = &v_.T_[lies[l].place.tangent];
        double g[3] = {};
        const int begin = k;
        for (; k < p.column_begin[m + 1] && p.row[k] < first + 3; ++k)
          g[p.row[k] - first] = share * v_.gradient_[k];
        for (int e = begin; e < k; ++e) {
          const int i = n - 3 + p.row[e] - first;
          for (int j = 0; j < 3; ++j) values[e] += T[i * n + n - 3 + j] * g[j];
        }
      }
    }
  }
  /// −d(T(u) w)/dv on the diagonal blocks of rotations.
  void put_turning(std::span<double> values) {
    const Pattern& p = v_.system_.pattern();
    for (const LieVariable& lie : v_.system_.lie_variables()) {
      const int first = lie.place.row + lie.dofs() - 3;
      const auto part = [&](const std::vector<double>& x) {
        return Vector3{{x[first], x[first + 1], x[first + 2]}};
      };
      const Matrix3 D = turned_tangent(part(v_.u_), part(v_.unturned_));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          if (const int k = p.find(first + i, first + j); k >= 0) values[k] -= v_.h_ * D.m[i][j];
    }
  }
  /// −Σ of rigid constraints (SPOOK), or −ε of a proximal iteration.
  void regularise(std::span<double> values) {
    const bool linear = v_.options_.quasi_linear;
    if (v_.holonomic_.begin == v_.n_ || (!linear && v_.options_.proximal == 0 && !v_.system_.switches()))
      return;
    if (v_.epsilon_.empty())
      set_proximal_diagonal(v_.system_, linear ? 1.0 : v_.options_.proximal, values, v_.epsilon_);
    const Pattern& p = v_.system_.pattern();
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m)
      values[p.find(m, m)] -= linear ? rigid_softness(m) : v_.epsilon_[m];
  }
  /// Σ of a constraint that is not soft by itself.
  double rigid_softness(int m) const {
    const bool soft =
        m < v_.holonomic_.end && v_.options_.relaxations[m - v_.holonomic_.begin].compliance > 0;
    return soft || v_.epsilon_.empty() ? 0.0 : v_.softening_ * v_.epsilon_[m];
  }
  Variational& v_;
  const State& from_;
};

}  // namespace escapement
