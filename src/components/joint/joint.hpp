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

template <int n>
void Joint<n>::parts(const auto& z, const auto&, const auto& out) const {
  const Frame<double> A = z(a), B = z(b);
  const Ends ends(A, B, a.local_row, b.local_row);
  const Matrix3 axes_a = ends.R[0] * matrix(on_a.R), axes_b = ends.R[1] * matrix(on_b.R);  // columns
  const Vector3 r_a = ends.R[0] * on_a.x, r_b = ends.R[1] * on_b.x, s = B.x + r_b - A.x, d = s - r_a;
  const auto lambda = z(load);
  const int first = load.local_row;
  const bool leans = has(Equation::Kind::parallel), turns_with = has(Equation::Kind::aligned);
  const Vector3 axis_a = column(axes_a, 2), lean = leans ? transposed(axes_b) * axis_a : Vector3{{0, 0, 1}};
  const HalfAngle<double> half(lean[2]);
  const Rotation<double> q = turns_with ? attitude(A, B).q : Rotation<double>{};
  const Vector3 u = axes_a * q.u;  // in the world

  Blocks D;
  Vector3 force[4];      // Φ_qᵀλ
  Vector3 point_force;   // of all `coincide`
  Vector3 leaned, bent;  // of all `parallel`: Σ λ β_i, and the same with what the half angle makes of it
  double sine = 0;       // … and Σ λ α_z·β_i
  Vector3 torque;        // of all `aligned`: Σ λ α_i
  for (int k = 0; k < n; ++k) {
    const Equation& e = equations[k];
    const double lam = part(lambda, k);
    Vector3 direction, turn_a, turn_b;  // Φ along x_B (and −x_A), φ_A, φ_B
    switch (e.kind) {
      case Equation::Kind::coincide:
        direction[e.i] = 1;
        point_force[e.i] += lam;
        turn_a = cross(direction, r_a);
        out.row(first + k) = d[e.i];
        break;
      case Equation::Kind::along:
        direction = column(axes_a, e.i);
        turn_a = cross(direction, s);
        out.row(first + k) = dot(direction, d);
        if (out.slopes()) add_along(D, lam, direction, r_b, s);
        break;
      case Equation::Kind::perpendicular: {
        const Vector3 alpha = column(axes_a, e.i), beta = column(axes_b, e.j);
        turn_a = cross(alpha, beta);
        turn_b = -turn_a;
        out.row(first + k) = dot(alpha, beta);
        if (!out.slopes()) break;
        D.add(pa, pa, lam, turned_lever(alpha, beta));
        D.add(pb, pb, lam, turned_lever(beta, alpha));
        D.add(pa, pb, -lam, turned_lever(beta, alpha));
        D.add(pb, pa, -lam, turned_lever(alpha, beta));
        break;
      }
      case Equation::Kind::parallel: {
        const Vector3 beta = column(axes_b, e.i),
                      half_beta = half.factor * beta + (half.slope * lean[e.i]) * column(axes_b, 2);
        turn_a = cross(axis_a, half_beta);
        turn_b = -turn_a;
        out.row(first + k) = half.factor * lean[e.i] + half.added(e.i);
        leaned += lam * beta;
        bent += lam * half_beta;
        sine += lam * lean[e.i];
        break;
      }
      case Equation::Kind::aligned: {
        const Vector3 alpha = column(axes_a, e.i);
        turn_b = q.w * alpha + cross(u, alpha);
        turn_a = -turn_b;
        out.row(first + k) = 2 * q.u[e.i];
        torque += lam * alpha;
        break;
      }
      default: {
        const double size = norm(d);
        direction = (1 / size) * d;
        turn_a = cross(direction, r_a);
        out.row(first + k) = size - e.value;
        if (!out.slopes()) break;
        Matrix3 P;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            P.m[i][j] = lam / size * ((i == j ? 1.0 : 0.0) - direction[i] * direction[j]);
        const Matrix3 Ra = hat(r_a), Rb = hat(r_b);
        const Matrix3 along[4] = {-1.0 * P, P * Ra, P, -1.0 * (P * Rb)};
        for (int c = 0; c < 4; ++c) {
          D.add(xb, c, 1, along[c]);
          D.add(xa, c, -1, along[c]);
          D.add(pb, c, 1, Rb * along[c]);
          D.add(pa, c, -1, Ra * along[c]);
        }
        D.add(pb, pb, lam, turned_lever(r_b, direction));
        D.add(pa, pa, -lam, turned_lever(r_a, direction));
      }
    }
    if (!turns(e.kind)) turn_b = cross(r_b, direction);
    const Vector3 gradient[4] = {-direction, turn_a, direction, turn_b};
    for (int p = 0; p < 4; ++p) {
      force[p] += lam * gradient[p];
      if (!out.slopes()) continue;
      const Vector3 own = ends.own(p, gradient[p]);
      for (int i = 0; i < 3; ++i) out.stiffness(first + k, ends.row[p] + i) = own[i];
    }
  }
  for (int p = 0; p < 4; ++p) {
    force[p] = ends.own(p, force[p]);
    for (int i = 0; i < 3; ++i) out.row(ends.row[p] + i) = force[p][i];
  }
  if (!out.slopes()) return;
  D.add(pb, pb, 1, turned_lever(r_b, point_force));
  D.add(pa, pa, -1, turned_lever(r_a, point_force));
  if (leans) {
    const Vector3 c = cross(axis_a, column(axes_b, 2)), f = cross(axis_a, leaned);
    const Matrix3 both = half.slope * (outer(f, c) + outer(c, f)) + (half.curve * sine) * outer(c, c);
    const Matrix3 by_a = turned_lever(axis_a, bent) + both, by_b = turned_lever(bent, axis_a) + both;
    D.add(pa, pa, 1, by_a);
    D.add(pb, pa, -1, by_a);
    D.add(pb, pb, 1, by_b);
    D.add(pa, pb, -1, by_b);
  }
  if (turns_with) {
    const Matrix3 by_b = 0.5 * (outer(u, torque) + -1.0 * outer(torque, u) + -q.w * hat(torque) +
                                -dot(torque, u) * Matrix3::identity());
    const Matrix3 by_a = by_b + hat(q.w * torque + cross(u, torque));
    D.add(pb, pb, 1, by_b);
    D.add(pa, pb, -1, by_b);
    D.add(pa, pa, 1, by_a);
    D.add(pb, pa, -1, by_a);
  }
  D.put(ends, force, out);
}

}  // namespace escapement::joint

extern template struct escapement::Adaptor<escapement::joint::Joint<1>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<2>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<3>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<4>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<5>>;
extern template struct escapement::Adaptor<escapement::joint::Joint<6>>;
