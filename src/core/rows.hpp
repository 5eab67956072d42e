// From the functions that an element offers to its rows and, by dual numbers, their exact tangent (docs/theory.md, T-element).
#pragma once
#include "core/element.hpp"
#include "core/lift.hpp"
#include "core/shift.hpp"

namespace escapement {

/// Coadjoint terms that the core adds to a momentum written in body axes (T-momentum-2).
template <class S>
void add_coadjoint(std::span<const Slot> slots, Manifold frames, const S* v, const S* p, S* r) {
  const auto at = [](const S* x, int i) { return Vec3<S>{{x[i], x[i + 1], x[i + 2]}}; };
  const auto add = [&](int i, const Vec3<S>& a) {
    for (int k = 0; k < 3; ++k) r[i + k] += a[k];
  };
  for (const Slot& s : slots) {
    const Manifold m = s.manifold == Manifold::se3 ? frames : s.manifold;
    if (m == Manifold::so3 || m == Manifold::r3so3) {
      const int i = m == Manifold::so3 ? s.row : s.row + 3;
      add(i, cross(at(v, i), at(p, i)));
    } else if (m == Manifold::se3) {
      const Vec3<S> linear = at(v, s.row), angular = at(v, s.row + 3), p_linear = at(p, s.row);
      add(s.row, cross(angular, p_linear));
      add(s.row + 3, cross(angular, at(p, s.row + 3)) + cross(linear, p_linear));
    }
  }
}

/// Value and time derivative of the stores: position and algebraic rows take the rate, state rows the value.
template <class E, class S, class L>
void add_stores(const E& e, const Point<S, L>& p, const Shift& c, std::array<S, L::rows>& r) {
  constexpr int n = L::positions;
  if constexpr (n == 0 && L::algebraics == 0)
    if (c.store_rate == 0) {  // no derivative in time is needed
      Rows<S, L> s;
      e.store(p.z, s);
      for (int i = L::states_begin; i < L::algebraics_begin; ++i) r[i] += c.store * s.r[i];
      return;
    }
  constexpr bool inertia = n > 0 && !Offers<E>::constant_inertia;
  constexpr int some = inertia ? chunk(n) : 0, K = 1 + some;
  constexpr int step = inertia ? some : n + 1;  // without it once
  for (int begin = 0; begin < std::max(n, 1); begin += step) {
    auto z = lifted<K>(p.z);
    along_time(z, p, 0);
    if constexpr (inertia) along_positions(z, p.z, 1, begin);
    Rows<Dual<K, S>, L> s;
    e.store(z, s);
    if (begin == 0) {
      for (int i = 0; i < n; ++i) r[i] += c.momentum * s.r[i].v + c.momentum_rate * s.r[i].d[0];
      if constexpr (L::has_lie) {
        std::array<S, L::rows> momentum;
        for (int i = 0; i < L::rows; ++i) momentum[i] = c.momentum_rate * s.r[i].v;
        add_coadjoint<S>(position_slots<L>(), p.z.frames, p.z.v.data(), momentum.data(), r.data());
      }
      for (int i = L::states_begin; i < L::algebraics_begin; ++i)
        r[i] += c.store * s.r[i].v + c.store_rate * s.r[i].d[0];
      for (int i = L::algebraics_begin; i < L::holonomics_begin; ++i) r[i] += s.r[i].d[0];
    }
    if constexpr (inertia)  // −∂T/∂q with T = ½ v·p (T-momentum-3)
      for (int j = begin; j < std::min(n, begin + some); ++j)
        for (int i = 0; i < n; ++i) r[j] -= (0.5 * c.force) * (p.z.v[i] * s.r[i].d[1 + j - begin]);
  }
}

/// A constraint row and what it exerts: f is the row with its derivatives along the positions (or velocities) from `begin` on. Of
/// the constraint accelerations Φ̈, k̇ only the derivatives along v̇ are set: those of the unknowns from `first` on.
template <class L, class S, int K>
void add_constraint(int m, const Dual<K, S>& f, int begin, double scale, const Values<S, L>& z,
                    const Shift& c, int first, std::array<S, L::rows>& r) {
  constexpr int n = L::positions;
  const S force = c.reaction * z.other[m - n];
  for (int i = begin; i < std::min(n, begin + K); ++i) r[i] += force * f.d[i - begin];
  if (!c.constraint_accelerations) {
    if (begin == 0) r[m] += scale * f.v;
  } else if constexpr (!std::is_same_v<S, double>) {
    constexpr int directions = static_cast<int>(std::size(decltype(r[m].d){}));
    for (int i = begin; i < std::min(n, begin + K); ++i)
      if (i >= first && i < first + directions)
        r[m].d[i - first] += scale * c.acceleration * value(f.d[i - begin]);
  }
}

/// All rows of an element at a point, which carries derivatives along the unknowns from `first` on, or none. The values Φ̈, k̇ of
/// constraint accelerations are left to `constraint_rows`.
template <class E, class S, class L = Layout<E>>
void add_rows(const E& e, const Point<S, L>& p, const Shift& c, int first, std::array<S, L::rows>& r) {
  using Has = Offers<E>;
  constexpr int n = L::positions, some = chunk(n);
  const auto& z = p.z;

  if constexpr (Has::flow) {
    Rows<S, L> out;
    e.flow(z, out);
    for (int i = 0; i < L::rows; ++i) {
      if (i >= L::holonomics_begin && i < L::nonholonomics_begin) continue;
      if (i >= L::nonholonomics_begin) {
        if (!c.constraint_accelerations) r[i] += c.nonholonomic_scale * out.r[i];
        continue;
      }
      r[i] += (i < n ? c.force : i < L::algebraics_begin ? c.flow : 1.0) * out.r[i];
    }
  }
  if constexpr (Has::store) add_stores(e, p, c, r);
  if constexpr (n > 0 && Has::potential)
    for (int begin = 0; begin < n; begin += some) {
      auto zq = lifted<some>(z);
      along_positions(zq, z, 0, begin);
      const Dual<some, S> V = e.potential(zq);
      for (int i = begin; i < std::min(n, begin + some); ++i) r[i] += c.force * V.d[i - begin];
    }
  if constexpr (n > 0 && Has::dissipation)
    for (int begin = 0; begin < n; begin += some) {
      auto zv = lifted<some>(z);
      along_velocities(zv, begin);
      const Dual<some, S> D = e.dissipation(zv);
      for (int i = begin; i < std::min(n, begin + some); ++i) r[i] += c.force * D.d[i - begin];
    }
  if constexpr (Has::switches)
    if (!e.active(z.memory)) return;
  if constexpr (Has::violation)
    for (int begin = 0; begin < n; begin += some) {
      auto zq = lifted<some>(z);
      along_positions(zq, z, 0, begin);
      Rows<Dual<some, S>, L> phi;
      e.violation(zq, phi);
      for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m)
        add_constraint<L>(m, phi.r[m], begin, c.holonomic_scale, z, c, first, r);
    }
  if constexpr (Has::slip)
    for (int begin = 0; begin < n; begin += some) {
      auto zv = lifted<some>(z);
      along_velocities(zv, begin);
      Rows<Dual<some, S>, L> k;
      e.slip(zv, k);
      for (int m = L::nonholonomics_begin; m < L::rows; ++m)
        add_constraint<L>(m, k.r[m], begin, c.nonholonomic_scale, z, c, first, r);
    }
  if constexpr (n > 0 && Has::flow && L::nonholonomics > 0 && !std::is_same_v<S, double>)
    if (c.constraint_accelerations)  // raw rows k(q, v), which exert nothing: ∂k̇/∂v̇ = k_v
      for (int begin = 0; begin < n; begin += some) {
        auto zv = lifted<some>(z);
        along_velocities(zv, begin);
        Rows<Dual<some, S>, L> k;
        e.flow(zv, k);
        Shift silent = c;
        silent.reaction = 0;
        for (int m = L::nonholonomics_begin; m < L::rows; ++m)
          add_constraint<L>(m, k.r[m], begin, c.nonholonomic_scale, z, silent, first, r);
      }
}

/// Constraint rows differentiated in time: Φ⁽ʰ⁾ and k⁽ᵏ⁾ along v̇ given, v̈ = 0 (T-start-2).
template <class E, class L = Layout<E>>
void constraint_rows(const E& e, const Point<double, L>& p, int holonomic_level, int nonholonomic_level,
                     std::array<double, L::rows>& r) {
  using Has = Offers<E>;
  const auto innermost = []<class S>(const S& x) {  // the derivative along all nested time directions
    if constexpr (std::is_same_v<S, double>) {
      return x;
    } else if constexpr (std::is_same_v<S, Dual<1>>) {
      return x.d[0];
    } else if constexpr (std::is_same_v<S, Dual<1, Dual<1>>>) {
      return x.d[0].d[0];
    } else {
      return x.d[0].d[0].d[0];
    }
  };
  const auto holonomic = [&]<class S>(const Point<S, L>& at) {
    if constexpr (Has::violation) {
      Rows<S, L> phi;
      e.violation(at.z, phi);
      for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m) r[m] += innermost(phi.r[m]);
    }
  };
  const auto nonholonomic = [&]<class S>(const Point<S, L>& at) {
    Rows<S, L> k;
    if constexpr (Has::slip) e.slip(at.z, k);
    if constexpr (Has::flow) e.flow(at.z, k);
    for (int m = L::nonholonomics_begin; m < L::rows; ++m) r[m] += innermost(k.r[m]);
  };
  if constexpr (Has::violation) {
    if (holonomic_level == 0) holonomic(p);
    if (holonomic_level == 1) holonomic(one_time_derivative(p));
    if (holonomic_level == 2) holonomic(one_time_derivative(one_time_derivative(p)));
    if (holonomic_level == 3) holonomic(one_time_derivative(one_time_derivative(one_time_derivative(p))));
  }
  if constexpr (L::nonholonomics > 0) {
    if (nonholonomic_level == 0) nonholonomic(p);
    if (nonholonomic_level == 1) nonholonomic(one_time_derivative(p));
    if (nonholonomic_level == 2) nonholonomic(one_time_derivative(one_time_derivative(p)));
  }
}

}  // namespace escapement
