// Lifting a point: an element's values with derivatives along time, along its positions, or along the unknowns of a step.
#pragma once
#include <algorithm>
#include <span>

#include "core/local.hpp"
#include "core/shift.hpp"

namespace escapement {

/// One position variable among the element's local vectors.
struct Slot {
  Manifold manifold;
  int value, row, dofs, values;
};

template <class L>
constexpr auto position_slots() {
  constexpr int n = L::sum([]<class H>() { return H::kind == Kind::position ? 1 : 0; });
  std::array<Slot, n> slots{};
  int count = 0, value = 0, row = 0;
  const auto place = [&]<class H>() {
    if constexpr (H::kind == Kind::position) {
      slots[count++] = {H::manifold, value, row, H::dofs, H::values};
      value += H::values;
      row += H::dofs;
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (place.template operator()<std::tuple_element_t<i, typename L::Tuple>>(), ...);
  }
  (std::make_index_sequence<L::handles>());
  return slots;
}

/// Derivative of the stored numbers of a position along its own right increment e_j: column j of G(q) (T-lie-5).
template <class B>
void moved_by_unit(Manifold m, const B* q, int j, B* dq) {
  if (m == Manifold::vector) {
    dq[j] += B(1.0);
    return;
  }
  const int k = m == Manifold::so3 ? j : j - 3;
  if (k < 0 && m == Manifold::r3so3) {
    dq[4 + j] += B(1.0);
    return;
  }
  if (k < 0) {  // translation of a frame along its own axis j: column j of R
    const Rotation<B> R{q[0], {{q[1], q[2], q[3]}}};
    Vec3<B> e;
    e[j] = B(1.0);
    const Vec3<B> c = R * e;
    for (int i = 0; i < 3; ++i) dq[4 + i] += c[i];
    return;
  }
  const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
  dq[0] += -0.5 * q[1 + k];
  dq[1 + k] += 0.5 * q[0];
  dq[1 + k1] += 0.5 * q[1 + k2];
  dq[1 + k2] += -0.5 * q[1 + k1];
}

/// … and along a general increment w: dq = G(q) w.
template <class B>
void moved_by(Manifold m, int dofs, const B* q, const B* w, B* dq) {
  if (m == Manifold::vector) {
    for (int i = 0; i < dofs; ++i) dq[i] = w[i];
    return;
  }
  const Rotation<B> R{q[0], {{q[1], q[2], q[3]}}};
  const B* a = m == Manifold::so3 ? w : w + 3;
  const Vec3<B> omega{{a[0], a[1], a[2]}};
  const Vec3<B> du = 0.5 * (R.w * omega + cross(R.u, omega));
  dq[0] = -0.5 * dot(R.u, omega);
  for (int i = 0; i < 3; ++i) dq[1 + i] = du[i];
  if (m == Manifold::so3) return;
  const Vec3<B> linear{{w[0], w[1], w[2]}};
  const Vec3<B> dx = m == Manifold::se3 ? R * linear : linear;
  for (int i = 0; i < 3; ++i) dq[4 + i] = dx[i];
}

/// The element's point: values and accelerations, for any scalar.
template <class S, class L>
struct Point {
  Values<S, L> z;
  std::array<S, L::positions> a;
};

/// How many directions are carried at once, of so many in all: few, so that a kernel is compiled for small numbers only.
constexpr int chunk(int directions) {
  constexpr int most = 6;
  const int chunks = (directions + most - 1) / most;
  return chunks == 0 ? 1 : (directions + chunks - 1) / chunks;
}

// Each function below returns, or works on, values with one more level of dual numbers: first the outer point moves, then the
// inner increment acts on its right, so derivatives on SO(3) and SE(3) come out right-trivialised.

template <int K, class S, class L>
Values<Dual<K, S>, L> lifted(const Values<S, L>& z) {
  Values<Dual<K, S>, L> r;
  for (int i = 0; i < L::values; ++i) r.q[i].v = z.q[i];
  for (int i = 0; i < L::positions; ++i) r.v[i].v = z.v[i];
  for (int i = 0; i < L::others; ++i) r.other[i].v = z.other[i];
  r.t.v = z.t;
  r.frames = z.frames;
  r.memory = z.memory;
  return r;
}

/// Direction `k` is time: q moves with v, v with a, t with 1.
template <int K, class S, class L>
void along_time(Values<Dual<K, S>, L>& r, const Point<S, L>& p, int k) {
  for (const Slot& s : position_slots<L>()) {
    S dq[7]{};
    moved_by(p.z.actual(s.manifold), s.dofs, &p.z.q[s.value], &p.z.v[s.row], dq);
    for (int i = 0; i < s.values; ++i) r.q[s.value + i].d[k] = dq[i];
  }
  for (int i = 0; i < L::positions; ++i) r.v[i].d[k] = p.a[i];
  r.t.d[k] = S(1.0);
}

/// Directions first, first + 1 … are the increments of the positions from number `begin` on, as many as there is room for.
template <int K, class S, class L>
void along_positions(Values<Dual<K, S>, L>& r, const Values<S, L>& z, int first, int begin = 0) {
  for (const Slot& s : position_slots<L>())
    for (int j = 0; j < s.dofs; ++j) {
      const int k = first + s.row + j - begin;
      if (k < first || k >= K) continue;
      S dq[7]{};
      moved_by_unit(z.actual(s.manifold), &z.q[s.value], j, dq);
      for (int i = 0; i < s.values; ++i) r.q[s.value + i].d[k] = dq[i];
    }
}
/// … of the velocities.
template <int K, class S, class L>
void along_velocities(Values<Dual<K, S>, L>& r, int begin = 0) {
  for (int i = begin; i < L::positions && i < begin + K; ++i) r.v[i].d[i - begin] = S(1.0);
}

template <class S, class L>
Point<Dual<1, S>, L> one_time_derivative(const Point<S, L>& p) {
  Point<Dual<1, S>, L> r{lifted<1>(p.z), {}};
  along_time(r.z, p, 0);
  for (int i = 0; i < L::positions; ++i) r.a[i].v = p.a[i];  // v̈ = 0 along the way (T-start-2)
  return r;
}

/// T(u) of each position of an element, row by row; null: T = I, or no Lie group.
template <class L>
using Operators = std::array<const double*, position_slots<L>().size()>;

/// The unknowns of an element from number `first` on, as many as there is room for, as the shift moves them (T-shift-1): unknown j of
/// a position moves q by c0 T(u) e_j, v by c1 e_j and v̇ by c2 e_j; all others move themselves.
template <int K, class L>
Point<Dual<K>, L> seeded(const Point<double, L>& p, const Shift& c, const Operators<L>& operators,
                         int first) {
  Point<Dual<K>, L> r{lifted<K>(p.z), {}};
  const auto each = [&](int begin, int count, const auto& f) {  // f(which of them, direction)
    for (int j = std::max(begin, first); j < std::min(begin + count, first + K); ++j) f(j - begin, j - first);
  };
  int slot = 0;
  for (const Slot& s : position_slots<L>()) {
    const double* const T = operators[slot++];
    each(s.row, s.dofs, [&](int j, int k) {
      double dq[7]{};
      if (T == nullptr) {
        moved_by_unit(p.z.actual(s.manifold), &p.z.q[s.value], j, dq);
      } else {
        double w[6];
        for (int i = 0; i < s.dofs; ++i) w[i] = T[i * s.dofs + j];
        moved_by(p.z.actual(s.manifold), s.dofs, &p.z.q[s.value], w, dq);
      }
      for (int i = 0; i < s.values; ++i) r.z.q[s.value + i].d[k] = c.position * dq[i];
    });
  }
  for (int i = 0; i < L::positions; ++i) r.a[i].v = p.a[i];
  each(0, L::positions, [&](int j, int k) {
    r.z.v[j].d[k] = c.velocity;
    r.a[j].d[k] = c.acceleration;
  });
  each(L::positions, L::others, [&](int j, int k) { r.z.other[j].d[k] = 1.0; });
  return r;
}

}  // namespace escapement
