// Joints: a marker on A and a marker on B, and n scalar equations between them. Every standard joint is a choice of
// equations; rows and tangent are written once (docs/theory.md, T-joint). The multipliers act along the equations; the
// load of A on B follows from them.
#pragma once
#include "core/group.hpp"

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
    const Rotation<S> marker{S(on_a.R.w), as<S>(on_a.R.u)};
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

/// 3×3 blocks of a second derivative: nodes of A and B, along x_A, φ_A, x_B, φ_B, rotations about world axes.
struct Blocks {
  Matrix3 m[4][4]{};
  /// Of a torque r × f whose lever r turns with φ: (δφ × r) × f = (r fᵀ − (r·f) I) δφ.
  void turn_lever(int row, int column, double scale, const Vector3& r, const Vector3& f) {
    const double rf = dot(r, f);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m[row][column].m[i][j] += scale * (r[i] * f[j] - (i == j ? rf : 0.0));
  }
  void add(int row, int column, double scale, const Matrix3& A) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m[row][column].m[i][j] += scale * A.m[i][j];
  }
};

template <int n>
template <class L>
void Joint<n>::motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& rows,
                      MotionTangent<L, false>* t) const {
  const Frame<double> A = z(a), B = z(b);
  const auto lambda = z(load);
  const Load<double> l = exerted(A, B, lambda);
  const Vector3 body_torque[2] = {A.R.inverse() * -l.torque_a, B.R.inverse() * -l.torque_b};
  const int ra = a.local_row, rb = b.local_row, first = load.local_row;
  for (int i = 0; i < 3; ++i) {
    rows.r[ra + i] = l.force[i];
    rows.r[rb + i] = -l.force[i];
    rows.r[ra + 3 + i] = body_torque[0][i];
    rows.r[rb + 3 + i] = body_torque[1][i];
  }
  for (int k = 0; k < n; ++k) rows.r[first + k] = equation(equations[k], A, B);
  if (!t) return;

  const Vector3 r_b = B.R * on_b.x, r_a = A.R * on_a.x, s = B.x + r_b - A.x;
  const Rotation<double> back_a = A.R.inverse(), back_b = B.R.inverse();
  Blocks D;
  enum { xa, pa, xb, pb };
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
        break;
      case Equation::Kind::along: {
        direction = axis(A, on_a, e.i);
        turn_a = cross(direction, s);
        const Matrix3 H = hat(direction), R = hat(r_b);
        D.add(xb, pa, -lam, H);
        D.add(xa, pa, lam, H);
        D.add(pa, xb, lam, H);
        D.add(pa, xa, -lam, H);
        D.turn_lever(pb, pb, lam, r_b, direction);
        D.add(pb, pa, -lam, R * H);
        D.turn_lever(pa, pa, lam, direction, s);
        D.add(pa, pb, -lam, H * R);
        break;
      }
      case Equation::Kind::perpendicular: {
        const Vector3 alpha = axis(A, on_a, e.i), beta = axis(B, on_b, e.j);
        turn_a = cross(alpha, beta);
        turn_b = -turn_a;
        const Matrix3 P = hat(alpha), Q = hat(beta);
        D.turn_lever(pa, pa, lam, alpha, beta);
        D.turn_lever(pb, pb, lam, beta, alpha);
        D.add(pa, pb, -lam, P * Q);
        D.add(pb, pa, -lam, Q * P);
        break;
      }
      default: {
        const Vector3 d = s - r_a;
        const double size = norm(d);
        direction = (1 / size) * d;
        turn_a = cross(direction, r_a);
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
        D.turn_lever(pb, pb, lam, r_b, direction);
        D.turn_lever(pa, pa, -lam, r_a, direction);
      }
    }
    if (e.kind != Equation::Kind::perpendicular) turn_b = cross(r_b, direction);
    const Vector3 body_a = back_a * turn_a, body_b = back_b * turn_b;
    for (int i = 0; i < 3; ++i) {
      t->stiffness(first + k, ra + i) = -direction[i];
      t->stiffness(first + k, rb + i) = direction[i];
      t->stiffness(first + k, ra + 3 + i) = body_a[i];
      t->stiffness(first + k, rb + 3 + i) = body_b[i];
    }
  }
  D.turn_lever(pb, pb, 1, r_b, point_force);
  D.turn_lever(pa, pa, -1, r_a, point_force);

  // Rotations in body axes: columns δφ = R δθ, rows Rᵀτ, which turns with the body.
  const Matrix3 R[2] = {matrix(A.R), matrix(B.R)};
  const int at_row[4] = {ra, ra + 3, rb, rb + 3};
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) {
      Matrix3 block = D.m[p][q];
      if (q % 2) block = block * R[q / 2];
      if (p % 2) block = transposed(R[p / 2]) * block;
      if (p % 2 && p == q) block = block + hat(body_torque[p / 2]);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) t->stiffness(at_row[p] + i, at_row[q] + j) = block.m[i][j];
    }
}

}  // namespace escapement::joint

extern template class escapement::Group<escapement::joint::Joint<1>>;
extern template class escapement::Group<escapement::joint::Joint<2>>;
extern template class escapement::Group<escapement::joint::Joint<3>>;
extern template class escapement::Group<escapement::joint::Joint<4>>;
extern template class escapement::Group<escapement::joint::Joint<5>>;
extern template class escapement::Group<escapement::joint::Joint<6>>;
