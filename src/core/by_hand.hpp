// What the core makes of rows and slopes that an element of fixed size writes by hand: the weighed rows and the tangent.
#pragma once
#include "core/parts.hpp"
#include "core/rows.hpp"

namespace escapement {

template <class L>
constexpr bool is_holonomic(int row) {
  return row >= L::holonomics_begin && row < L::nonholonomics_begin;
}

/// From world to body axes, for frames on SE(3): rows and columns of the linear part, and K of turning with the body (T-joint-2).
template <class L, bool stores>
void turn_to_body_axes(const Values<double, L>& z, const HandParts<L, false, stores>& parts) {
  constexpr int n = L::positions;
  for (const Slot& s : position_slots<L>()) {
    if (z.actual(s.manifold) != Manifold::se3) continue;
    const Rotation<double> R{z.q[s.value], {{z.q[s.value + 1], z.q[s.value + 2], z.q[s.value + 3]}}};
    const Rotation<double> back = R.inverse();
    const auto turn = [&](double* x, int stride) {
      const Vector3 y = back * Vector3{{x[0], x[stride], x[2 * stride]}};
      for (int i = 0; i < 3; ++i) x[i * stride] = y[i];
    };
    double* const r = parts.rows() + s.row;
    turn(r, 1);
    if (!parts.slopes()) continue;
    for (int j = 0; j < n; ++j) turn(parts.K() + s.row * n + j, n);
    for (int i = 0; i < L::rows; ++i) turn(parts.K() + i * n + s.row, 1);
    const Matrix3 H = hat({{r[0], r[1], r[2]}});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) parts.stiffness(s.row + i, s.row + 3 + j) += H.m[i][j];
  }
}

/// What position rows are (HandParts).
enum class Sort { inertia, force, constraint };

/// Position rows in parts (Shift::momentum …). What is written by hand is an inertia with its weight, whose M is constant in the
/// coordinates of its velocities (not on SE(3)), or a force, or a constraint.
template <Sort sort, class L, bool rates, bool stores>
void weigh(const Point<double, L>& p, const Shift& c, const HandParts<L, rates, stores>& parts) {
  constexpr int n = L::positions;
  if constexpr (sort == Sort::inertia) {
    std::array<double, L::rows> momentum{}, rate{}, turning{};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        momentum[i] += parts.mass(i, j) * p.z.v[j];
        rate[i] += parts.mass(i, j) * p.a[j];
      }
    add_coadjoint<double>(position_slots<L>(), p.z.frames, p.z.v.data(), momentum.data(), turning.data());
    for (int i = 0; i < n; ++i)
      parts.row(i) = c.momentum * momentum[i] + c.momentum_rate * (rate[i] + turning[i]) +
                     c.force * (parts.row(i) - rate[i] - turning[i]);
    auto& [K, C, M, stored] = *parts.all;
    for (int i = 0; i < n * n; ++i) {
      K[i] *= c.force;
      C[i] = c.momentum * M[i] + c.momentum_rate * C[i];
      M[i] *= c.momentum_rate;
    }
  } else {
    const double weight = sort == Sort::constraint ? c.reaction : c.force;
    for (int i = 0; i < n; ++i) parts.row(i) *= weight;
    if (!parts.slopes()) return;
    for (int i = 0; i < n * n; ++i) {
      parts.all->K[i] *= weight;
      if constexpr (rates) parts.all->C[i] *= weight;
    }
  }
}

/// The weighed rows. Those of constraint accelerations Φ̈, k̇ are zero: their values come from constraint_rows().
template <Sort sort, class L, bool rates, bool stores>
[[gnu::always_inline]] inline void weigh_rows(const Point<double, L>& p, const Shift& c,
                                              const HandParts<L, rates, stores>& parts) {
  if constexpr (L::positions > 0) {
    if constexpr (!rates)
      if (p.z.frames == Manifold::se3) turn_to_body_axes(p.z, parts);
    if (!c.balances()) weigh<sort>(p, c, parts);
    for (int i = L::holonomics_begin; i < L::rows; ++i)
      parts.row(i) *= c.constraint_accelerations ? 0.0
                      : is_holonomic<L>(i)       ? c.holonomic_scale
                                                 : c.nonholonomic_scale;
  } else {
    for (int i = L::states_begin; i < L::algebraics_begin; ++i) {
      parts.row(i) *= c.flow;
      if constexpr (stores) parts.row(i) += c.store * parts.store_rows[i];
    }
  }
}

/// Columns of a rotation in row · T(u); before `first` T = I.
template <int dofs>
void add_turned(const double* K, const double* T, int first, double factor, double* row) {
  for (int j = first; j < dofs; ++j) {
    double sum = 0;
    for (int l = first; l < dofs; ++l) sum += K[l] * T[l * dofs + j];
    row[j] = factor * sum;
  }
}

/// The tangent, by add(row, column, value): K T(u) c₀ + C c₁ + M c₂ along positions (T-shift-1), and Φ_qᵀ, k_vᵀ along multipliers.
template <class L, bool rates, bool stores, class Add>
[[gnu::always_inline]] inline void combine(const Shift& c, Manifold frames, const Operators<L>& operators,
                                           const HandParts<L, rates, stores>& parts, const Add& add) {
  constexpr int n = L::positions;
  if constexpr (n == 0) {
    for (int i = 0; i < L::rows; ++i) {
      const bool state = i >= L::states_begin && i < L::algebraics_begin;
      const double weight = state ? c.flow : 1.0;
      for (int j = 0; j < L::rows; ++j) {
        double x = weight * parts.stiffness(i, j);
        if constexpr (stores) x += state ? c.store * parts.all->stored[i * L::rows + j] : 0.0;
        add(i, j, x);
      }
    }
  } else {
    for (int i = 0; i < n; ++i) {
      for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m)
        add(i, m, c.reaction * parts.stiffness(m, i));
      if constexpr (rates)
        for (int m = L::nonholonomics_begin; m < L::rows; ++m) add(i, m, c.reaction * parts.damping(m, i));
    }
    const auto along_positions = [&](int i, double factor) __attribute__((always_inline)) {
      const double* const K = &parts.all->K[i * n];
      if constexpr (!L::has_lie && !rates) {
        for (int j = 0; j < n; ++j) add(i, j, factor * c.position * K[j]);
      } else {
        double row[n];
        for (int j = 0; j < n; ++j) row[j] = c.position * K[j];
        int slot = 0;
        for (const Slot& s : position_slots<L>()) {
          const double* const T = operators[slot++];
          if (!T) continue;
          if (s.dofs == 3) add_turned<3>(K + s.row, T, 0, c.position, row + s.row);
          else add_turned<6>(K + s.row, T, frames == Manifold::r3so3 ? 3 : 0, c.position, row + s.row);
        }
        if constexpr (rates)
          for (int j = 0; j < n; ++j)
            row[j] += c.velocity * parts.all->C[i * n + j] + c.acceleration * parts.all->M[i * n + j];
        for (int j = 0; j < n; ++j) add(i, j, factor * row[j]);
      }
    };
    for (int i = 0; i < n; ++i) along_positions(i, 1.0);
    for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m) {
      if (!c.constraint_accelerations) along_positions(m, c.holonomic_scale);
      else  // Φ̈ moves with v̇ through Φ_q
        for (int j = 0; j < n; ++j) add(m, j, c.holonomic_scale * c.acceleration * parts.stiffness(m, j));
    }
    if constexpr (rates)
      for (int m = L::nonholonomics_begin; m < L::rows; ++m) {
        if (!c.constraint_accelerations) along_positions(m, c.nonholonomic_scale);
        else  // … k̇ through k_v
          for (int j = 0; j < n; ++j) add(m, j, c.nonholonomic_scale * c.acceleration * parts.damping(m, j));
      }
  }
}

}  // namespace escapement
