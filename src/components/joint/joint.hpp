// Joints: a marker on A and a marker on B, and n scalar equations between them. Every standard joint is a choice of
// equations; rows and tangent are written once (docs/theory.md, T-joint). The multipliers act along the equations; the
// load of A on B follows from them. Equations of rotations vanish on one branch only (T-joint-4, T-joint-5).
#pragma once
#include <cmath>
#include <numbers>

#include "components/joint/blocks.hpp"

namespace escapement::joint {

/// One equation. With p the markers' origins, d = p_B − p_A and α, β the axes of the markers of A and B in the world:
struct Equation {
  enum class Kind {
    coincide,       // d · e_i = 0, world axis i
    along,          // α_i · d = 0
    perpendicular,  // α_i · β_j = 0
    parallel,       // β_z along α_z: α_z · β_i = 0, i = x and y, and not against it
    aligned,        // no rotation about α_i: twice the vector part of B's quaternion relative to A, w ≥ 0
    distance        // |d| − value = 0
  };
  Kind kind;
  int i = 0, j = 0;
  double value = 0;
};

/// Of equations of rotations, whose multipliers are torques.
inline bool turns(Equation::Kind kind) {
  return kind == Equation::Kind::perpendicular || kind == Equation::Kind::parallel ||
         kind == Equation::Kind::aligned;
}

/// What makes 2 sin(θ/2) of sin θ, from c = cos θ: σ = √(2/(1 + c)) and its derivatives (T-joint-5). Where the axes point against
/// each other sin θ says nothing: there the factor stays, and half a turn is added to the first of the two equations.
template <class S>
struct HalfAngle {
  S factor, slope{}, curve{};
  bool against;
  explicit HalfAngle(const S& c) : against(value(c) < -1 + 1e-8) {
    if (against) {
      factor = S(std::sqrt(2e8));
      return;
    }
    const S part = 1.0 / (1.0 + c);
    factor = sqrt(2.0 * part);
    slope = -0.5 * factor * part;
    curve = -1.5 * slope * part;
  }
  double added(int i) const { return against && i == 0 ? std::numbers::pi : 0.0; }
};

/// A force on B at its node and torques on A and B there, all in world axes; A bears the opposite force.
template <class S>
struct Load {
  Vec3<S> force, torque_a, torque_b;
};

template <int n>
struct Joint {
  Pose a, b;
  Multiplier<n> load;
  Frame<double> on_a, on_b;  // markers, relative to the bodies' nodes
  std::array<Equation, n> equations;

  static constexpr int outputs =
      7;  // load of A on B at the marker of B, in the marker's axes on A: force, torque;
          // the first multiplier
  auto variables() const { return std::tie(a, b, load); }

  template <class S>
  static Vec3<S> axis(const Frame<S>& body, const Frame<double>& marker, int i) {
    Vector3 e;
    e[i] = 1;
    return body.R * as<S>(marker.R * e);
  }
  /// How the marker of B is turned relative to that of A; what the equations need of it.
  template <class S>
  struct Attitude {
    Rotation<S> q;  // w ≥ 0
    Vec3<S> z;      // α_z as the marker of B sees it
  };
  template <class S>
  Attitude<S> attitude(const Frame<S>& A, const Frame<S>& B) const {
    Attitude<S> to;
    const Rotation<S> b = B.R * as<S>(on_b.R);
    if (has(Equation::Kind::parallel)) to.z = b.inverse() * axis(A, on_a, 2);
    if (!has(Equation::Kind::aligned)) return to;
    to.q = (A.R * as<S>(on_a.R)).inverse() * b;
    if (value(to.q.w) < 0) to.q = {-to.q.w, -to.q.u};
    return to;
  }
  bool has(Equation::Kind kind) const {
    for (const Equation& e : equations)
      if (e.kind == kind) return true;
    return false;
  }

  template <class S>
  S equation(const Equation& e, const Frame<S>& A, const Frame<S>& B, const Attitude<S>& attitude) const {
    const auto d = [&] { return B * as<S>(on_b.x) - A * as<S>(on_a.x); };
    switch (e.kind) {
      case Equation::Kind::coincide:
        return d()[e.i];
      case Equation::Kind::along:
        return dot(axis(A, on_a, e.i), d());
      case Equation::Kind::perpendicular:
        return dot(axis(A, on_a, e.i), axis(B, on_b, e.j));
      case Equation::Kind::parallel: {
        const HalfAngle<S> half(attitude.z[2]);
        return half.factor * attitude.z[e.i] + half.added(e.i);
      }
      case Equation::Kind::aligned:
        return 2.0 * attitude.q.u[e.i];
      default:
        return norm(d()) - e.value;
    }
  }
  void violation(const auto& z, auto& out) const {
    const auto A = z(a), B = z(b);
    const auto turned = attitude(A, B);
    for (int k = 0; k < n; ++k) at(out(load), k) += equation(equations[k], A, B, turned);
  }
  /// Along rotations of B about world axes, of the equations of rotations; of A it is the opposite.
  template <class S>
  Vec3<S> gradient(const Equation& e, const Frame<S>& A, const Frame<S>& B,
                   const Attitude<S>& attitude) const {
    const Vec3<S> alpha = axis(A, on_a, e.kind == Equation::Kind::parallel ? 2 : e.i);
    if (e.kind == Equation::Kind::perpendicular) return cross(axis(B, on_b, e.j), alpha);
    if (e.kind == Equation::Kind::parallel) {
      const HalfAngle<S> half(attitude.z[2]);
      const Vec3<S> beta =
          half.factor * axis(B, on_b, e.i) + (half.slope * attitude.z[e.i]) * axis(B, on_b, 2);
      return cross(beta, alpha);
    }
    return attitude.q.w * alpha + cross(A.R * (as<S>(on_a.R) * attitude.q.u), alpha);
  }
  /// What the multipliers exert: −Φ_qᵀλ.
  template <class S>
  Load<S> exerted(const Frame<S>& A, const Frame<S>& B, const auto& lambda) const {
    Load<S> sum{};
    const Vec3<S> r_b = B.R * as<S>(on_b.x), r_a = A.R * as<S>(on_a.x);
    const Vec3<S> s = B.x + r_b - A.x;
    const auto turned = attitude(A, B);
    for (int k = 0; k < n; ++k) {
      const Equation& e = equations[k];
      const S l = -part(lambda, k);
      if (turns(e.kind)) {
        const Vec3<S> torque = l * gradient(e, A, B, turned);
        sum.torque_a -= torque;
        sum.torque_b += torque;
        continue;
      }
      Vec3<S> direction;
      if (e.kind == Equation::Kind::coincide) direction[e.i] = S(1.0);
      if (e.kind == Equation::Kind::along) direction = axis(A, on_a, e.i);
      if (e.kind == Equation::Kind::distance) {
        const Vec3<S> d = s - r_a;
        direction = (1.0 / norm(d)) * d;
      }
      const Vec3<S> force = l * direction;
      sum.force += force;
      sum.torque_b += cross(r_b, force);
      sum.torque_a -= cross(e.kind == Equation::Kind::along ? s : r_a, force);
    }
    return sum;
  }
  auto output(const auto& z, int index) const {
    const auto A = z(a), B = z(b);
    const auto lambda = z(load);
    using S = std::remove_cvref_t<decltype(A.x[0])>;
    if (index == 6) return S(part(lambda, 0));
    const Load<S> l = exerted(A, B, lambda);
    const Vec3<S> given = index < 3 ? l.force : l.torque_b - cross(B.R * as<S>(on_b.x), l.force);
    const Rotation<S> marker = as<S>(on_a.R);
    return S((marker.inverse() * (A.R.inverse() * given))[index % 3]);
  }

  // ---- by hand (T-joint-2)
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const;

 private:
  struct Place;
  struct Linear;
  struct Sums;
  static Linear linearise(const Equation& e, double lam, const Place& at, Sums& sum, bool slopes);

  template <class X>
  static auto& part(const X& x, int k) {
    if constexpr (n == 1) {
      (void)k;
      return x;
    } else {
      return x[k];
    }
  }
  template <class X>
  static auto& at(X&& x, int k) {
    if constexpr (n == 1) {
      (void)k;
      return x;
    } else {
      return x[k];
    }
  }
};

/// The equations of the joints that are used most, for models written in C++.
inline Joint<3> spherical(Pose a, Pose b, Multiplier<3> load, const Vector3& on_a, const Vector3& on_b) {
  using enum Equation::Kind;
  return {a, b, load, {{}, on_a}, {{}, on_b}, {{{coincide, 0}, {coincide, 1}, {coincide, 2}}}};
}
/// z of both markers is the axis.
inline Joint<5> revolute(Pose a, Pose b, Multiplier<5> load, const Frame<double>& on_a,
                         const Frame<double>& on_b) {
  using enum Equation::Kind;
  return {a,    b,    load,
          on_a, on_b, {{{coincide, 0}, {coincide, 1}, {coincide, 2}, {parallel, 0}, {parallel, 1}}}};
}

// ---- by hand

/// Where the two markers are, in world axes.
template <int n>
struct Joint<n>::Place {
  Ends ends;
  Matrix3 axes_a, axes_b;  // of the markers, as columns
  Vector3 r_a, r_b;        // from the nodes to the markers
  Vector3 s, d;            // to the marker of B: from the node of A, and from its marker
  Vector3 axis_a;          // α_z
  bool leans, turns;       // there are equations `parallel`, `aligned`; what follows is for these
  Vector3 lean;            // α_z as the marker of B sees it
  HalfAngle<double> half;
  Rotation<double> q;
  Vector3 u;  // the vector part of q

  Place(const Joint& joint, const Frame<double>& A, const Frame<double>& B)
      : ends(A, B, joint.a.local_row, joint.b.local_row),
        axes_a(ends.R[0] * matrix(joint.on_a.R)),
        axes_b(ends.R[1] * matrix(joint.on_b.R)),
        r_a(ends.R[0] * joint.on_a.x),
        r_b(ends.R[1] * joint.on_b.x),
        s(B.x + r_b - A.x),
        d(s - r_a),
        axis_a(column(axes_a, 2)),
        leans(joint.has(Equation::Kind::parallel)),
        turns(joint.has(Equation::Kind::aligned)),
        lean(leans ? transposed(axes_b) * axis_a : Vector3{{0, 0, 1}}),
        half(lean[2]),
        q(turns ? joint.attitude(A, B).q : Rotation<double>{}),
        u(axes_a * q.u) {}
};

/// The value of one equation, and its derivatives along x_B (and −x_A), φ_A, φ_B.
template <int n>
struct Joint<n>::Linear {
  double value;
  Vector3 direction, turn_a, turn_b;
};

/// Sums over the equations.
template <int n>
struct Joint<n>::Sums {
  Blocks D;              // second derivatives times λ
  Vector3 force[4];      // Φ_qᵀλ
  Vector3 point_force;   // of all `coincide`
  Vector3 leaned, bent;  // of all `parallel`: Σ λ β_i, and the same with what the half angle makes of it
  double sine = 0;       // … and Σ λ α_z·β_i
  Vector3 torque;        // of all `aligned`: Σ λ α_i

  /// The second derivatives of the kinds above, each for all its equations at once.
  void add_second(const Place& at) {
    D.add(pb, pb, 1, turned_lever(at.r_b, point_force));
    D.add(pa, pa, -1, turned_lever(at.r_a, point_force));
    if (at.leans) {
      const Vector3 c = cross(at.axis_a, column(at.axes_b, 2)), f = cross(at.axis_a, leaned);
      const Matrix3 both = at.half.slope * (outer(f, c) + outer(c, f)) + (at.half.curve * sine) * outer(c, c);
      add_turns(turned_lever(at.axis_a, bent) + both, turned_lever(bent, at.axis_a) + both);
    }
    if (at.turns) {
      const Matrix3 by_b = 0.5 * (outer(at.u, torque) + -1.0 * outer(torque, at.u) + -at.q.w * hat(torque) +
                                  -dot(torque, at.u) * Matrix3::identity());
      add_turns(by_b + hat(at.q.w * torque + cross(at.u, torque)), by_b);
    }
  }
  /// Of a torque on A, and its opposite on B: by rotations of A, and (the opposite) by those of B.
  void add_turns(const Matrix3& by_a, const Matrix3& by_b) {
    D.add(pa, pa, 1, by_a);
    D.add(pb, pa, -1, by_a);
    D.add(pb, pb, 1, by_b);
    D.add(pa, pb, -1, by_b);
  }
};

/// Adds what second derivatives need: the whole of those that are each equation's own, the sums of the others.
template <int n>
typename Joint<n>::Linear Joint<n>::linearise(const Equation& e, double lam, const Place& at, Sums& sum,
                                              bool slopes) {
  Linear row;
  switch (e.kind) {
    case Equation::Kind::coincide:
      row.value = at.d[e.i];
      row.direction[e.i] = 1;
      row.turn_a = cross(row.direction, at.r_a);
      sum.point_force[e.i] += lam;
      break;
    case Equation::Kind::along:
      row.direction = column(at.axes_a, e.i);
      row.value = dot(row.direction, at.d);
      row.turn_a = cross(row.direction, at.s);
      if (slopes) add_along(sum.D, lam, row.direction, at.r_b, at.s);
      break;
    case Equation::Kind::perpendicular: {
      const Vector3 alpha = column(at.axes_a, e.i), beta = column(at.axes_b, e.j);
      row.value = dot(alpha, beta);
      row.turn_a = cross(alpha, beta);
      row.turn_b = -row.turn_a;
      if (slopes) add_perpendicular(sum.D, lam, alpha, beta);
      break;
    }
    case Equation::Kind::parallel: {
      const HalfAngle<double>& half = at.half;
      const Vector3 beta = column(at.axes_b, e.i),
                    half_beta = half.factor * beta + (half.slope * at.lean[e.i]) * column(at.axes_b, 2);
      row.value = half.factor * at.lean[e.i] + half.added(e.i);
      row.turn_a = cross(at.axis_a, half_beta);
      row.turn_b = -row.turn_a;
      sum.leaned += lam * beta;
      sum.bent += lam * half_beta;
      sum.sine += lam * at.lean[e.i];
      break;
    }
    case Equation::Kind::aligned: {
      const Vector3 alpha = column(at.axes_a, e.i);
      row.value = 2 * at.q.u[e.i];
      row.turn_b = at.q.w * alpha + cross(at.u, alpha);
      row.turn_a = -row.turn_b;
      sum.torque += lam * alpha;
      break;
    }
    default: {
      const double length = norm(at.d);
      row.value = length - e.value;
      row.direction = (1 / length) * at.d;
      row.turn_a = cross(row.direction, at.r_a);
      if (slopes) add_distance(sum.D, lam, length, row.direction, at.r_a, at.r_b);
    }
  }
  if (!turns(e.kind)) row.turn_b = cross(at.r_b, row.direction);
  return row;
}

template <int n>
void Joint<n>::parts(const auto& z, const auto&, const auto& out) const {
  const Place at(*this, z(a), z(b));
  const auto lambda = z(load);
  const int first = load.local_row;
  Sums sum;
  for (int k = 0; k < n; ++k) {
    const double lam = part(lambda, k);
    const Linear row = linearise(equations[k], lam, at, sum, out.slopes());
    out.row(first + k) = row.value;
    const Vector3 gradient[4] = {-row.direction, row.turn_a, row.direction, row.turn_b};
    for (int p = 0; p < 4; ++p) {
      sum.force[p] += lam * gradient[p];
      if (!out.slopes()) continue;
      const Vector3 own = at.ends.own(p, gradient[p]);
      for (int i = 0; i < 3; ++i) out.stiffness(first + k, at.ends.row[p] + i) = own[i];
    }
  }
  for (int p = 0; p < 4; ++p) {
    sum.force[p] = at.ends.own(p, sum.force[p]);
    for (int i = 0; i < 3; ++i) out.row(at.ends.row[p] + i) = sum.force[p][i];
  }
  if (!out.slopes()) return;
  sum.add_second(at);
  sum.D.put(at.ends, sum.force, out);
}

}  // namespace escapement::joint

extern template struct escapement::Adaptor<escapement::joint::Joint<1>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<2>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<3>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<4>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<5>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<6>>;
