// Joints: a marker on A and a marker on B, and n scalar equations between them. Every standard joint is a choice of
// equations; rows and tangent are written once (docs/theory.md, T-joint). The multipliers act along the equations; the
// load of A on B follows from them.
#pragma once
#include "components/joint/blocks.hpp"

namespace escapement::joint {

/// One equation. With p the markers' origins, d = p_B − p_A and α, β the axes of the markers of A and B in the world:
struct Equation {
  enum class Kind {
    coincide,       // d · e_i = 0, world axis i
    along,          // α_i · d = 0
    perpendicular,  // α_i · β_j = 0
    distance        // |d| − value = 0
  };
  Kind kind;
  int i = 0, j = 0;
  double value = 0;
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
  template <class S>
  S equation(const Equation& e, const Frame<S>& A, const Frame<S>& B) const {
    const auto d = [&] { return B * as<S>(on_b.x) - A * as<S>(on_a.x); };
    switch (e.kind) {
      case Equation::Kind::coincide:
        return d()[e.i];
      case Equation::Kind::along:
        return dot(axis(A, on_a, e.i), d());
      case Equation::Kind::perpendicular:
        return dot(axis(A, on_a, e.i), axis(B, on_b, e.j));
      default:
        return norm(d()) - e.value;
    }
  }
  void violation(const auto& z, auto& out) const {
    const auto A = z(a), B = z(b);
    for (int k = 0; k < n; ++k) at(out(load), k) += equation(equations[k], A, B);
  }
  /// What the multipliers exert: −Φ_qᵀλ.
  template <class S>
  Load<S> exerted(const Frame<S>& A, const Frame<S>& B, const auto& lambda) const {
    Load<S> sum{};
    const Vec3<S> r_b = B.R * as<S>(on_b.x), r_a = A.R * as<S>(on_a.x);
    const Vec3<S> s = B.x + r_b - A.x;
    for (int k = 0; k < n; ++k) {
      const Equation& e = equations[k];
      const S l = -part(lambda, k);
      if (e.kind == Equation::Kind::perpendicular) {
        const Vec3<S> torque = l * cross(axis(A, on_a, e.i), axis(B, on_b, e.j));
        sum.torque_a += torque;
        sum.torque_b -= torque;
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
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& rows,
              MotionTangent<L, false>* t) const;

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
  return {
      a,    b,
      load, on_a,
      on_b, {{{coincide, 0}, {coincide, 1}, {coincide, 2}, {perpendicular, 2, 0}, {perpendicular, 2, 1}}}};
}

template <int n>
template <class L>
void Joint<n>::motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& rows,
                      MotionTangent<L, false>* t) const {
  const Frame<double> A = z(a), B = z(b);
  const Ends ends(A, B, a.local_row, b.local_row);
  const Matrix3 axes_a = ends.R[0] * matrix(on_a.R), axes_b = ends.R[1] * matrix(on_b.R);  // columns
  const Vector3 r_a = ends.R[0] * on_a.x, r_b = ends.R[1] * on_b.x, s = B.x + r_b - A.x, d = s - r_a;
  const auto lambda = z(load);
  const int first = load.local_row;

  Blocks D;
  Vector3 force[4];     // Φ_qᵀλ
  Vector3 point_force;  // of all `coincide`
  for (int k = 0; k < n; ++k) {
    const Equation& e = equations[k];
    const double lam = part(lambda, k);
    Vector3 direction, turn_a, turn_b;  // Φ along x_B (and −x_A), φ_A, φ_B
    switch (e.kind) {
      case Equation::Kind::coincide:
        direction[e.i] = 1;
        point_force[e.i] += lam;
        turn_a = cross(direction, r_a);
        rows.r[first + k] = d[e.i];
        break;
      case Equation::Kind::along:
        direction = column(axes_a, e.i);
        turn_a = cross(direction, s);
        rows.r[first + k] = dot(direction, d);
        if (t) add_along(D, lam, direction, r_b, s);
        break;
      case Equation::Kind::perpendicular: {
        const Vector3 alpha = column(axes_a, e.i), beta = column(axes_b, e.j);
        turn_a = cross(alpha, beta);
        turn_b = -turn_a;
        rows.r[first + k] = dot(alpha, beta);
        if (!t) break;
        D.add(pa, pa, lam, turned_lever(alpha, beta));
        D.add(pb, pb, lam, turned_lever(beta, alpha));
        D.add(pa, pb, -lam, turned_lever(beta, alpha));
        D.add(pb, pa, -lam, turned_lever(alpha, beta));
        break;
      }
      default: {
        const double size = norm(d);
        direction = (1 / size) * d;
        turn_a = cross(direction, r_a);
        rows.r[first + k] = size - e.value;
        if (!t) break;
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
    if (e.kind != Equation::Kind::perpendicular) turn_b = cross(r_b, direction);
    const Vector3 gradient[4] = {-direction, turn_a, direction, turn_b};
    for (int p = 0; p < 4; ++p) {
      force[p] += lam * gradient[p];
      if (!t) continue;
      const Vector3 own = ends.own(p, gradient[p]);
      for (int i = 0; i < 3; ++i) t->stiffness(first + k, ends.row[p] + i) = own[i];
    }
  }
  for (int p = 0; p < 4; ++p) {
    force[p] = ends.own(p, force[p]);
    for (int i = 0; i < 3; ++i) rows.r[ends.row[p] + i] = force[p][i];
  }
  if (!t) return;
  D.add(pb, pb, 1, turned_lever(r_b, point_force));
  D.add(pa, pa, -1, turned_lever(r_a, point_force));
  D.put(ends, force, *t);
}

}  // namespace escapement::joint

extern template class escapement::Group<escapement::joint::Joint<1>>;
extern template class escapement::Group<escapement::joint::Joint<2>>;
extern template class escapement::Group<escapement::joint::Joint<3>>;
extern template class escapement::Group<escapement::joint::Joint<4>>;
extern template class escapement::Group<escapement::joint::Joint<5>>;
extern template class escapement::Group<escapement::joint::Joint<6>>;
