// The element adaptor: from the few functions an element offers to its rows and their exact tangent.
//
// An element is a plain struct with parameters, handles, `auto variables() const { return std::tie(…); }` and any of
//   potential(z)        energy V(q, …):            position rows  += ∂V/∂q
//   dissipation(z)      Rayleigh function D(q,v):  position rows  += ∂D/∂v
//   violation(z, out)   Φ(q, t):                   holonomic rows  = Φ, position rows    += Φ_qᵀ λ
//   slip(z, out)        k(q, v, t):                nonholonomic rows = k, position rows  += k_vᵀ μ
//   flow(z, out)        what drains a row (raw k when written to a nonholonomic row)
//   store(z, out)       what a row accumulates: momentum p = M(q, t) v, charge, flux, mass, a controller state
// all templated on the scalar. Whatever is absent costs nothing (docs/theory.md, T-element).
//
// An element that jumps keeps its mode in memory (`memory`), so that its equations are smooth between events, and offers
//   crossings, crossing(z, i)   how many functions; each is positive while the present mode lasts
//   cross(z, i, memory)         function i has passed zero: sets the mode, says how the run goes on (Continuation)
//   enter(z, memory)            the mode at the start, from positions and velocities
//   active(memory)              do its constraints act? While they do not, their multipliers are zero
//   loosen(memory)              constraints of finite force give way to an impact
//   strength()                  … and how large that force is: they leave to others what those can carry
//   rebound(speed), release(memory)   of one that impacts: its speed afterwards (0: it stays), and the mode then
// One whose expressions switch offers
//   sides()                     how many operations do: each has a number of memory, its side, and a crossing (T-kink)
//   each_expression(z, f)       f(expression, inputs) for each of them
//   ends_at_zero(z, i)          its function i is zero, and its mode is one that equality does not belong to (T-kink-5)
// An element that is continuous but has corners offers `kinks` and kink(z, i), which change sign there (T-event).
// One that takes sines of angles which may turn far in a step offers phases(z, angles), which appends them (T-phase).
#pragma once
#include <vector>

#include "core/bend.hpp"
#include "core/local.hpp"
#include "core/shift.hpp"

namespace escapement {

/// How a run goes on after an element has changed its mode (T-event-4).
enum class Continuation {
  none,     // as before
  jump,     // v̇, ṡ, λ and signals jump: added to the history
  restart,  // constraints come or go: a new history
  impact    // velocities jump, by impulses of the constraints
};

/// Which functions an element offers.
template <class E>
struct Offers {
  using L = Layout<E>;
  using Z = Values<double, L>;
  using R = Rows<double, L>;
  static constexpr bool potential = requires(const E& e, const Z& z) { e.potential(z); };
  static constexpr bool dissipation = requires(const E& e, const Z& z) { e.dissipation(z); };
  static constexpr bool violation = requires(const E& e, const Z& z, R& r) { e.violation(z, r); };
  static constexpr bool slip = requires(const E& e, const Z& z, R& r) { e.slip(z, r); };
  static constexpr bool flow = requires(const E& e, const Z& z, R& r) { e.flow(z, r); };
  static constexpr bool store = requires(const E& e, const Z& z, R& r) { e.store(z, r); };
  static constexpr bool energy = requires(const E& e, const Z& z) { e.energy(z); };
  static constexpr bool loss = requires(const E& e, const Z& z) { e.loss(z); };
  static constexpr bool kinks = requires { E::kinks; };
  static constexpr bool phases = requires(const E& e, const Z& z, std::vector<double>& a) { e.phases(z, a); };
  /// `static constexpr int outputs` numbers to read off, by output(z, index), templated on the scalar.
  static constexpr bool outputs = requires { E::outputs; };
  /// Momentum that does not depend on position: −½ ∂(v·p)/∂q is known to vanish.
  static constexpr bool constant_inertia = requires { E::constant_inertia; };
  static constexpr int memory = [] {
    if constexpr (requires { E::memory; }) return E::memory;
    return 0;
  }();
  /// A hand-written assembly (elements that profiling names hot); the differentiated form stays the oracle.
  static constexpr bool analytic = requires { E::analytic; };
  /// Rows and K, C, M of frames by hand: motion(z, a, rows, tangent), with the linear velocity in world axes. Without
  /// `rates` there are no C and M, and the core turns K for SE(3).
  static constexpr bool motion = requires { E::by_hand; };
  static constexpr bool rates = requires { E::rates; };
  /// After every accepted step: accept(z, memory).
  static constexpr bool accept = requires(const E& e, const Z& z, double* m) { e.accept(z, m); };
  static constexpr int crossings = [] {
    if constexpr (requires { E::crossings; }) return E::crossings;
    return 0;
  }();
  /// Memory and crossings are counted at run time.
  static constexpr bool sides = requires(const E& e) { e.sides(); };
  /// A function of its crossings is zero, and its mode is one that ends there: ends_at_zero(z, i) (T-kink-5).
  static constexpr bool ends_at_zero = requires(const E& e, const Z& z) { e.ends_at_zero(z, 0); };
  static constexpr bool enter = requires(const E& e, const Z& z, double* m) { e.enter(z, m); };
  /// Constraints that come and go.
  static constexpr bool switches = requires(const E& e, const double* m) { e.active(m); };
  static constexpr bool loosen = requires(const E& e, double* m) { e.loosen(m); };
  static constexpr bool strength = requires(const E& e) { e.strength(); };
  static constexpr bool rebound = requires(const E& e) { e.rebound(1.0); };
  /// Does it write any row? Elements with outputs alone do not.
  static constexpr bool acts = potential || dissipation || violation || slip || flow || store;
};

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
    (place.template operator()<typename L::template Bare<std::tuple_element_t<i, typename L::Tuple>>>(), ...);
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

// ------------------------------------------------------------------ lifting a point along directions
// Each returns the values with one more level of dual numbers: first the outer point moves, then the inner
// increment acts on its right, so derivatives on SO(3) and SE(3) come out right-trivialised.

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

/// Directions first … first + positions - 1 are the position increments.
template <int K, class S, class L>
void along_positions(Values<Dual<K, S>, L>& r, const Values<S, L>& z, int first) {
  for (const Slot& s : position_slots<L>()) {
    for (int j = 0; j < s.dofs; ++j) {
      S dq[7]{};
      moved_by_unit(z.actual(s.manifold), &z.q[s.value], j, dq);
      for (int i = 0; i < s.values; ++i) r.q[s.value + i].d[first + s.row + j] = dq[i];
    }
  }
}

template <class S, class L>
Point<Dual<1, S>, L> one_time_derivative(const Point<S, L>& p) {
  Point<Dual<1, S>, L> r{lifted<1>(p.z), {}};
  along_time(r.z, p, 0);
  for (int i = 0; i < L::positions; ++i) r.a[i].v = p.a[i];  // v̈ = 0 along the way (T-start-2)
  return r;
}

/// The shift as seeds: unknown j of a position moves q by c0 T(u) e_j, v by c1 e_j, v̇ by c2 e_j (T-shift-1).
/// `tangent_operators[slot]` points at the row-major dofs×dofs T(u) of a Lie-group variable, or is null for T = I.
template <class L>
Point<Dual<L::rows>, L> seeded(
    const Point<double, L>& p, const Shift& c,
    const std::array<const double*, position_slots<L>().size()>& tangent_operators) {
  Point<Dual<L::rows>, L> r{lifted<L::rows>(p.z), {}};
  int slot = 0;
  for (const Slot& s : position_slots<L>()) {
    const double* T = tangent_operators[slot++];
    for (int j = 0; j < s.dofs; ++j) {
      double dq[7]{};
      if (T == nullptr) {
        moved_by_unit(p.z.actual(s.manifold), &p.z.q[s.value], j, dq);
      } else {
        double w[6];
        for (int i = 0; i < s.dofs; ++i) w[i] = T[i * s.dofs + j];
        moved_by(p.z.actual(s.manifold), s.dofs, &p.z.q[s.value], w, dq);
      }
      for (int i = 0; i < s.values; ++i) r.z.q[s.value + i].d[s.row + j] = c.position * dq[i];
    }
  }
  for (int j = 0; j < L::positions; ++j) {
    r.z.v[j].d[j] = c.velocity;
    r.a[j].v = p.a[j];
    r.a[j].d[j] = c.acceleration;
  }
  for (int j = 0; j < L::others; ++j) r.z.other[j].d[L::positions + j] = 1.0;
  return r;
}

// ------------------------------------------------------------------ the rows

/// Coadjoint terms that the core adds to a momentum written in body axes (T-momentum-2).
template <class S, class L>
void add_coadjoint(const Values<S, L>& z, const std::array<S, L::rows>& p, std::array<S, L::rows>& r) {
  const auto at = [](const auto& x, int i) { return Vec3<S>{{x[i], x[i + 1], x[i + 2]}}; };
  const auto add = [&](int i, const Vec3<S>& a) {
    for (int k = 0; k < 3; ++k) r[i + k] += a[k];
  };
  for (const Slot& s : position_slots<L>()) {
    const Manifold m = z.actual(s.manifold);
    if (m == Manifold::so3 || m == Manifold::r3so3) {
      const int i = m == Manifold::so3 ? s.row : s.row + 3;
      add(i, cross(at(z.v, i), at(p, i)));
    } else if (m == Manifold::se3) {
      const Vec3<S> linear = at(z.v, s.row), angular = at(z.v, s.row + 3), p_linear = at(p, s.row);
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
  constexpr int K = inertia ? 1 + n : 1;
  auto z = lifted<K>(p.z);
  along_time(z, p, 0);
  if constexpr (inertia) along_positions(z, p.z, 1);
  Rows<Dual<K, S>, L> s;
  e.store(z, s);
  if constexpr (n > 0) {
    for (int i = 0; i < n; ++i) r[i] += c.momentum * s.r[i].v + c.momentum_rate * s.r[i].d[0];
    if constexpr (L::has_lie) {
      std::array<S, L::rows> momentum;
      for (int i = 0; i < L::rows; ++i) momentum[i] = c.momentum_rate * s.r[i].v;
      add_coadjoint<S, L>(p.z, momentum, r);
    }
    if constexpr (inertia) {  // −∂T/∂q with T = ½ v·p (T-momentum-3)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) r[j] -= (0.5 * c.force) * (p.z.v[i] * s.r[i].d[1 + j]);
    }
  }
  for (int i = L::states_begin; i < L::algebraics_begin; ++i)
    r[i] += c.store * s.r[i].v + c.store_rate * s.r[i].d[0];
  for (int i = L::algebraics_begin; i < L::holonomics_begin; ++i) r[i] += s.r[i].d[0];
}

/// All rows of an element at a point. The values Φ̈, k̇ of constraint accelerations are left to `constraint_rows`;
/// their derivatives along v̇ are set here.
template <class E, class S, class L = Layout<E>>
void add_rows(const E& e, const Point<S, L>& p, const Shift& c, std::array<S, L::rows>& r) {
  using Has = Offers<E>;
  constexpr int n = L::positions;
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
  if constexpr (n > 0 && Has::potential) {
    auto zq = lifted<n>(z);
    along_positions(zq, z, 0);
    const Dual<n, S> V = e.potential(zq);
    for (int i = 0; i < n; ++i) r[i] += c.force * V.d[i];
  }
  if constexpr (n > 0 && Has::dissipation) {
    auto zv = lifted<n>(z);
    for (int i = 0; i < n; ++i) zv.v[i].d[i] = S(1.0);
    const Dual<n, S> D = e.dissipation(zv);
    for (int i = 0; i < n; ++i) r[i] += c.force * D.d[i];
  }
  bool active = true;
  if constexpr (Has::switches) active = e.active(z.memory);
  if constexpr (Has::violation) {
    if (!active) return;
    auto zq = lifted<n>(z);
    along_positions(zq, z, 0);
    Rows<Dual<n, S>, L> phi;
    e.violation(zq, phi);
    for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m) {
      const auto& f = phi.r[m];
      const S force = c.reaction * z.other[m - n];
      for (int i = 0; i < n; ++i) r[i] += force * f.d[i];
      if (!c.constraint_accelerations) {
        r[m] += c.holonomic_scale * f.v;
      } else if constexpr (!std::is_same_v<S, double>) {
        for (int j = 0; j < n; ++j) r[m].d[j] += c.holonomic_scale * c.acceleration * value(f.d[j]);
      }
    }
  }
  if constexpr (Has::slip) {
    if (!active) return;
    auto zv = lifted<n>(z);
    for (int i = 0; i < n; ++i) zv.v[i].d[i] = S(1.0);
    Rows<Dual<n, S>, L> k;
    e.slip(zv, k);
    for (int m = L::nonholonomics_begin; m < L::rows; ++m) {
      const auto& f = k.r[m];
      const S force = c.reaction * z.other[m - n];
      for (int i = 0; i < n; ++i) r[i] += force * f.d[i];
      if (!c.constraint_accelerations) {
        r[m] += c.nonholonomic_scale * f.v;
      } else if constexpr (!std::is_same_v<S, double>) {
        for (int j = 0; j < n; ++j) r[m].d[j] += c.nonholonomic_scale * c.acceleration * value(f.d[j]);
      }
    }
  }
  if constexpr (n > 0 && Has::flow && L::nonholonomics > 0 && !std::is_same_v<S, double>) {
    if (c.constraint_accelerations) {  // raw rows k(q, v): ∂k̇/∂v̇ = k_v
      auto zv = lifted<n>(z);
      for (int i = 0; i < n; ++i) zv.v[i].d[i] = S(1.0);
      Rows<Dual<n, S>, L> k;
      e.flow(zv, k);
      for (int m = L::nonholonomics_begin; m < L::rows; ++m)
        for (int j = 0; j < n; ++j) r[m].d[j] += c.nonholonomic_scale * c.acceleration * value(k.r[m].d[j]);
    }
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

// ------------------------------------------------------------------ rows and tangents by hand

/// K = ∂R/∂q, C = ∂R/∂v, M = ∂R/∂v̇ of all rows along the positions; columns of multipliers follow from the constraint
/// rows (Φ_q in K, k_v in C).
template <class L, bool rates>
struct MotionTangent {
  static constexpr int n = L::positions;
  std::array<double, L::rows * n> K{};
  std::array<double, rates ? L::rows * n : 0> C{}, M{};
  double& stiffness(int row, int column) { return K[row * n + column]; }
  double& damping(int row, int column) { return C[row * n + column]; }
  double& mass(int row, int column) { return M[row * n + column]; }
};

/// From world to body axes, for frames on SE(3): rows and columns of the linear part, and K of turning with the body.
template <class L>
void turn_to_body_axes(const Values<double, L>& z, Rows<double, L>& rows, MotionTangent<L, false>* t) {
  constexpr int n = L::positions;
  for (const Slot& s : position_slots<L>()) {
    if (z.actual(s.manifold) != Manifold::se3) continue;
    const Rotation<double> R{z.q[s.value], {{z.q[s.value + 1], z.q[s.value + 2], z.q[s.value + 3]}}};
    const Rotation<double> back = R.inverse();
    const auto turn = [&](double* x, int stride) {
      const Vector3 y = back * Vector3{{x[0], x[stride], x[2 * stride]}};
      for (int i = 0; i < 3; ++i) x[i * stride] = y[i];
    };
    double* r = &rows.r[s.row];
    turn(r, 1);
    if (!t) continue;
    for (int j = 0; j < n; ++j) turn(&t->K[s.row * n + j], n);
    for (int i = 0; i < L::rows; ++i) turn(&t->K[i * n + s.row], 1);
    const Matrix3 H = hat({{r[0], r[1], r[2]}});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) t->K[(s.row + i) * n + s.row + 3 + j] += H.m[i][j];
  }
}

}  // namespace escapement
