// The rows of one variational step, linear or not (T-variational-3, T-spook-3): for variational.cpp alone.
#pragma once
#include <algorithm>
#include <cmath>

#include "steppers/variational.hpp"

namespace escapement {

/// T(u) a = a − α u×a + β u×(u×a) of SO(3).
template <class S>
Vec3<S> tangent_applied(const TangentCoefficients<S>& c, const Vec3<S>& u, const Vec3<S>& a) {
  const Vec3<S> ua = cross(u, a);
  return a - c.a * ua + c.b * cross(u, ua);
}

/// T(−u)ᵀ P: a momentum at the end of a step of u, as the balance at its middle counts it (T-variational-9). For u = (v, w) and
/// P = (f, m) that is (T(w) f, T(w) m + ∂/∂w' [f·exp(−w) T(−w')(−v)] at w' = −w); on SO(3) and ℝ³×SO(3) v counts for nothing.
template <class S>
Vec<6, S> turned_momentum(const Vec<6, S>& u, const Vec<6, S>& momentum) {
  const auto part = [](const Vec<6, S>& x, int i) { return Vec3<S>{{x[i], x[i + 1], x[i + 2]}}; };
  const Vec3<S> x = -part(u, 0), w = part(u, 3), f = part(momentum, 0), z = -w;
  const TangentCoefficients<S> c(dot(w, w));
  const Vec3<S> y = turned(z, f);  // exp(−w) f
  const S along = dot(z, cross(x, y)), xy = dot(x, y), xz = dot(x, z), yz = dot(y, z);
  const S twist = 2.0 * (c.a_slope * along + c.b_slope * (xz * yz - dot(z, z) * xy));
  const Vec3<S> coupling = twist * z + c.a * cross(x, y) + c.b * (yz * x + xz * y - (2.0 * xy) * z);
  const Vec3<S> linear = tangent_applied(c, w, f),
                angular = tangent_applied(c, w, part(momentum, 3)) + coupling;
  return {{linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]}};
}

/// Where momenta turn with their frame: on SE(3) all six rows, else the three of the rotation.
inline int turning_rows(const LieVariable& lie) { return lie.manifold == Manifold::se3 ? 6 : 3; }
inline int first_turning_row(const LieVariable& lie) {
  return lie.place.row + lie.dofs() - turning_rows(lie);
}

/// The six numbers of a variable's turning rows, those of the rotation last.
template <class S>
Vec<6, S> turning_part(const LieVariable& lie, std::span<const double> x) {
  const int count = turning_rows(lie);
  Vec<6, S> part;
  for (int k = 0; k < count; ++k) part[6 - count + k] = S(x[first_turning_row(lie) + k]);
  return part;
}

/// A = T(−u)ᵀ of all Lie variables: T(u) itself but on SE(3).
inline void momentum_operators(const System& system, std::span<const double> u, std::span<const double> T,
                               std::span<double> A) {
  std::copy(T.begin(), T.end(), A.begin());
  for (const LieVariable& lie : system.lie_variables()) {
    if (lie.manifold != Manifold::se3) continue;
    for (int j = 0; j < 6; ++j) {
      Vec<6, double> unit;
      unit[j] = 1;
      const Vec<6, double> column = turned_momentum(turning_part<double>(lie, u), unit);
      for (int i = 0; i < 6; ++i) A[lie.place.tangent + i * 6 + j] = column[i];
    }
  }
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
    momentum_operators(v_.system_, v_.u_half_, v_.T_half_, v_.back_half_);
    momentum_operators(v_.system_, v_.u_, v_.T_, v_.back_);
    const auto at = v_.system_.value_of_row();
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m) v_.end_.value[at[m]] = v_.mid_.value[at[m]];
  }
  /// The impulse hλ of a constraint at t_n.
  double impulse(int m) const {
    return v_.h_ * (v_.mid_.value[v_.system_.value_of_row()[m]] - v_.multiplier_shift_[m]);
  }
  /// T(−u)ᵀ (p_n − Φ_qᵀ hλ − k_vᵀ hμ): what the step starts with, in the axes of its momentum.
  void push() {
    const Pattern& p = v_.system_.pattern();
    std::copy(v_.p_start_.begin(), v_.p_start_.end(), v_.pushed_.begin());
    for (int m = v_.holonomic_.begin; m < v_.n_; ++m) {
      const double rest = v_.share(m) * impulse(m) - v_.impulse_start_[m];
      for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < v_.positions_; ++k)
        v_.pushed_[p.row[k]] -= v_.gradient_[k] * rest;
    }
    std::copy(v_.pushed_.begin(), v_.pushed_.end(), v_.unturned_.begin());
    apply_operators(v_.system_, v_.back_, v_.pushed_);
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
  std::span<const double> most_left_over() const override { return v_.left_over_; }
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
  void rounded_sizes(std::span<double> size) const override {
    const auto at = v_.system_.value_of_row();
    for (int i = 0; i < v_.positions_; ++i)
      size[i] = std::abs(v_.mid_.rate[i]) + 2 * v_.reach_(v_.mid_, i) / v_.h_;
    for (int i = v_.positions_; i < v_.n_; ++i)
      size[i] = std::abs(v_.mid_.value[at[i]]) * (i < v_.holonomic_.begin ? 1.0 : v_.h_);
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
  /// From p + (h/2) F to p + T(−u/2)ᵀ (h/2) F − T(−u)ᵀ (p_n − Φ_qᵀ hλ − k_vᵀ hμ), and s + (h/2) flow − s_n.
  void balance(std::span<double> r) {
    push();
    if (!v_.system_.lie_variables().empty()) {
      v_.system_.momenta(v_.mid_, v_.work_);
      for (int i = 0; i < v_.positions_; ++i) v_.force_[i] = r[i] - v_.work_[i];
      apply_operators(v_.system_, v_.back_half_, v_.force_);
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
  /// Columns of the impulses: T(−u)ᵀ Φ_qᵀ and T(−u)ᵀ k_vᵀ at the beginning of the step.
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
        const int n = lies[l].dofs(), count = turning_rows(lies[l]), first = first_turning_row(lies[l]);
        const double* A = &v_.back_[lies[l].place.tangent];
        double g[6] = {};
        const int begin = k;
        for (; k < p.column_begin[m + 1] && p.row[k] < first + count; ++k)
          g[p.row[k] - first] = share * v_.gradient_[k];
        for (int e = begin; e < k; ++e) {
          const int i = n - count + p.row[e] - first;
          for (int j = 0; j < count; ++j) values[e] += A[i * n + n - count + j] * g[j];
        }
      }
    }
  }
  /// −d(T(−u)ᵀ P)/dv on the diagonal blocks of frames and rotations.
  void put_turning(std::span<double> values) {
    const Pattern& p = v_.system_.pattern();
    for (const LieVariable& lie : v_.system_.lie_variables()) {
      const int count = turning_rows(lie), first = first_turning_row(lie);
      using D = Dual<6>;
      Vec<6, D> u = turning_part<D>(lie, v_.u_);
      for (int j = 0; j < 6; ++j) u[j].d[j] = 1;
      const Vec<6, D> turned = turned_momentum(u, turning_part<D>(lie, v_.unturned_));
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
          if (const int k = p.find(first + i, first + j); k >= 0)
            values[k] -= v_.h_ * turned[6 - count + i].d[6 - count + j];
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
