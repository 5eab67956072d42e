// Joint coordinates: an angle or a displacement of B relative to A, as a reading, and as an unknown of its own that
// one-dimensional components (springs, stops, motors, …) take hold of.
#pragma once
#include <numbers>

#include "core/group.hpp"

namespace escapement::joint {

/// What is measured between two bodies.
struct Measure {
  enum class Kind { rotation, translation };
  Kind kind;
  // rotation: the angle of `mark` (on the other body) in the plane of x, y (on the reference body), from x to y
  bool of_b = false;   // the reference body is B, not A: the angle counts backwards
  Vector3 x, y, mark;  // unit vectors in the axes of their bodies
  // translation: along x (on A), from the point of A to the point of B
  Vector3 on_a{}, on_b{};  // m

  template <class S>
  struct Plane {
    S c, s;
  };
  template <class S>
  Plane<S> plane(const Frame<S>& A, const Frame<S>& B) const {
    const Frame<S>&reference = of_b ? B : A, &other = of_b ? A : B;
    const Vec3<S> w = other.R * as<S>(mark);
    return {dot(reference.R * as<S>(x), w), dot(reference.R * as<S>(y), w)};
  }
  /// Within half a turn.
  template <class S>
  S value(const Frame<S>& A, const Frame<S>& B) const {
    if (kind == Kind::translation) return dot(A.R * as<S>(x), B * as<S>(on_b) - A * as<S>(on_a));
    const auto [c, s] = plane(A, B);
    return of_b ? -atan2(s, c) : atan2(s, c);
  }
  template <class S>
  S rate(const auto& z, const Pose& a, const Pose& b) const {
    const Frame<S> A = z(a), B = z(b);
    const Vec3<S> w_a = A.R * z.angular_velocity(a), w_b = B.R * z.angular_velocity(b);
    if (kind == Kind::translation) {
      const Vec3<S> r_a = A.R * as<S>(on_a), r_b = B.R * as<S>(on_b), axis = A.R * as<S>(x);
      const Vec3<S> speed = z.linear_velocity(b) + cross(w_b, r_b) - z.linear_velocity(a) - cross(w_a, r_a);
      return dot(axis, speed) + dot(cross(w_a, axis), B.x + r_b - A.x - r_a);
    }
    const Frame<S>&reference = of_b ? B : A, &other = of_b ? A : B;
    const Vec3<S> w = other.R * as<S>(mark), e1 = reference.R * as<S>(x), e2 = reference.R * as<S>(y);
    const Vec3<S> turning = cross(of_b ? w_a - w_b : w_b - w_a, w);
    const S c = dot(e1, w), s = dot(e2, w);
    const S angle_rate = (c * dot(e2, turning) - s * dot(e1, turning)) / (c * c + s * s);
    return of_b ? -angle_rate : angle_rate;
  }
};

/// Nearest to `last` of all angles that differ from `angle` by whole turns.
template <class S>
S unwound(const S& angle, double last) {
  return angle + 2 * std::numbers::pi * std::round((last - value(angle)) / (2 * std::numbers::pi));
}

/// Reads a coordinate and its rate; an angle counts through whole turns.
struct CoordinateReading {
  Pose a, b;
  Measure measure;

  static constexpr int outputs = 2, memory = 1;  // memory: the last angle
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    if (index == 1) return measure.rate<S>(z, a, b);
    const S now = measure.value<S>(z(a), z(b));
    return measure.kind == Measure::Kind::rotation ? unwound(now, z.memory[0]) : now;
  }
  void accept(const auto& z, double* last) const { *last = output(z, 0); }
};

/// The rotation of B's marker relative to A's, as a quaternion.
struct RelativeRotation {
  Pose a, b;
  Rotation<double> on_a, on_b;

  static constexpr int outputs = 4;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const auto marker = [](const Rotation<double>& r) { return Rotation<S>{S(r.w), as<S>(r.u)}; };
    const Rotation<S> q = (z(a).R * marker(on_a)).inverse() * (z(b).R * marker(on_b));
    return index == 0 ? q.w : q.u[index - 1];
  }
};

/// The coordinate as an unknown: Φ = measured − coordinate, for angles within half a turn.
struct Coordinate {
  Pose a, b;
  Position<1> coordinate;
  Multiplier<1> load;
  Measure measure;

  auto variables() const { return std::tie(a, b, coordinate, load); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S c = z(coordinate);
    if (measure.kind == Measure::Kind::translation) {
      out(load) += measure.value<S>(z(a), z(b)) - c;
      return;
    }
    const auto [x, y] = measure.plane<S>(z(a), z(b));
    const S along = cos(c), across = measure.of_b ? -sin(c) : sin(c);
    const S difference = atan2(y * along - x * across, x * along + y * across);
    out(load) += measure.of_b ? -difference : difference;
  }

  // ---- by hand (T-joint-3)
  static constexpr bool by_hand = true;
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 13>&, Rows<double, L>& rows,
              MotionTangent<L, false>* t) const {
    const Frame<double> A = z(a), B = z(b);
    const double lam = z(load);
    const Matrix3 R[2] = {matrix(A.R), matrix(B.R)};
    const Matrix3 back[2] = {transposed(R[0]), transposed(R[1])};
    const int at[4] = {a.local_row, a.local_row + 3, b.local_row, b.local_row + 3};  // x_A, φ_A, x_B, φ_B
    const int first = load.local_row, own = coordinate.local_row;
    Vector3 gradient[4];  // along them, rotations about world axes
    Matrix3 hessian[4][4]{};
    if (measure.kind == Measure::Kind::translation) {
      const Vector3 axis = R[0] * measure.x, r_b = R[1] * measure.on_b, s = B.x + r_b - A.x;
      rows.r[first] = dot(axis, s - R[0] * measure.on_a) - z(coordinate);
      gradient[0] = -axis, gradient[1] = cross(axis, s), gradient[2] = axis, gradient[3] = cross(r_b, axis);
      const Matrix3 H = hat(axis), P = hat(r_b);
      hessian[2][1] = -1.0 * H, hessian[0][1] = H, hessian[1][2] = H, hessian[1][0] = -1.0 * H;
      hessian[3][3] = turning(r_b, axis), hessian[1][1] = turning(axis, s);
      hessian[3][1] = -1.0 * (P * H), hessian[1][3] = -1.0 * (H * P);
    } else {
      const int reference = measure.of_b ? 1 : 0, other = 1 - reference;
      // The gradient of the angle and, by duals along the six rotations, its derivative.
      using D = Dual<6>;
      Vec3<D> e1 = turned<D>(R[reference] * measure.x, 0), e2 = turned<D>(R[reference] * measure.y, 0),
              w = turned<D>(R[other] * measure.mark, 3);
      const D c = dot(e1, w), s = dot(e2, w);
      const double sign = measure.of_b ? -1 : 1;
      const Vec3<D> g = (sign / (c * c + s * s)) * (c * cross(e2, w) - s * cross(e1, w));
      const double now = z(coordinate), along = std::cos(now), across = sign * std::sin(now);
      rows.r[first] = sign * std::atan2(s.v * along - c.v * across, c.v * along + s.v * across);
      const int p_reference = 2 * reference + 1, p_other = 2 * other + 1;
      for (int i = 0; i < 3; ++i) {
        gradient[p_reference][i] = g[i].v;
        gradient[p_other][i] = -g[i].v;
        for (int j = 0; j < 3; ++j) {
          hessian[p_reference][p_reference].m[i][j] = g[i].d[j];
          hessian[p_reference][p_other].m[i][j] = g[i].d[3 + j];
          hessian[p_other][p_reference].m[i][j] = -g[i].d[j];
          hessian[p_other][p_other].m[i][j] = -g[i].d[3 + j];
        }
      }
    }
    rows.r[own] = -lam;
    if (t) t->stiffness(first, own) = -1;
    for (int p = 0; p < 4; ++p) {
      const Vector3 body = p % 2 ? back[p / 2] * gradient[p] : gradient[p];
      for (int i = 0; i < 3; ++i) {
        rows.r[at[p] + i] = lam * body[i];
        if (t) t->stiffness(first, at[p] + i) = body[i];
      }
      if (!t) continue;
      for (int q = 0; q < 4; ++q) {
        Matrix3 block = lam * hessian[p][q];
        if (q % 2) block = block * R[q / 2];
        if (p % 2) block = back[p / 2] * block;
        if (p % 2 && p == q) block = block + hat(lam * body);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) t->stiffness(at[p] + i, at[q] + j) = block.m[i][j];
      }
    }
  }

 private:
  /// (δφ × r) × f = (r fᵀ − (r·f) I) δφ.
  static Matrix3 turning(const Vector3& r, const Vector3& f) {
    Matrix3 m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m.m[i][j] = r[i] * f[j] - (i == j ? dot(r, f) : 0.0);
    return m;
  }
  /// A vector that turns with rotations number `first` …
  template <class D>
  static Vec3<D> turned(const Vector3& x, int first) {
    Vec3<D> y = as<D>(x);
    const Matrix3 H = hat(x);  // δφ × x = −x̂ δφ
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y[i].d[first + j] = -H.m[i][j];
    return y;
  }
};

}  // namespace escapement::joint

extern template class escapement::Group<escapement::joint::CoordinateReading>;
extern template class escapement::Group<escapement::joint::Coordinate>;
extern template class escapement::Group<escapement::joint::RelativeRotation>;
