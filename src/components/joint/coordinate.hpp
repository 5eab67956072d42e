// Joint coordinates: an angle or a displacement of B relative to A, as a reading, and as an unknown of its own that
// one-dimensional components (springs, stops, motors, …) take hold of.
#pragma once
#include <numbers>

#include "components/joint/blocks.hpp"

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
    return turning(A.R, B.R, of_b ? w_a - w_b : w_b - w_a);
  }
  /// Of a rotation: its rate now, without derivatives.
  double rate_now(const auto& z, const Pose& a, const Pose& b) const {
    const auto plain = [](const auto& x) {
      return Vector3{{value_of(x[0]), value_of(x[1]), value_of(x[2])}};
    };
    const auto axes = [&](const auto& R) { return Rotation<double>{value_of(R.w), plain(R.u)}; };
    const Rotation<double> A = axes(z(a).R), B = axes(z(b).R);
    const Vector3 w = B * plain(z.angular_velocity(b)) - A * plain(z.angular_velocity(a));
    return turning(A, B, of_b ? -w : w);
  }

 private:
  static double value_of(const auto& x) { return escapement::value(x); }
  /// The rate of the angle; w: how fast the other body turns as seen from the reference body.
  template <class S>
  S turning(const Rotation<S>& A, const Rotation<S>& B, const Vec3<S>& w) const {
    const Rotation<S>&reference = of_b ? B : A, &other = of_b ? A : B;
    const Vec3<S> m = other * as<S>(mark), e1 = reference * as<S>(x), e2 = reference * as<S>(y);
    const Vec3<S> moving = cross(w, m);
    const S c = dot(e1, m), s = dot(e2, m);
    const S angle_rate = (c * dot(e2, moving) - s * dot(e1, moving)) / (c * c + s * s);
    return of_b ? -angle_rate : angle_rate;
  }
};

/// Nearest to `last` of all angles that differ from `angle` by whole turns.
template <class S>
S unwound(const S& angle, double last) {
  return angle + 2 * std::numbers::pi * std::round((last - value(angle)) / (2 * std::numbers::pi));
}

/// What is remembered of an angle to count its turns: itself, its rate, and when (T-turn).
struct Turns {
  static constexpr int memory = 3;

  /// Where it should be by its rates (T-turn-1).
  static double expected(const double* last, double t, double rate) {
    if (!last) return 0;  // only the pattern is looked for
    return last[0] + 0.5 * (t - last[2]) * (last[1] + rate);
  }
  /// The angle with its whole turns.
  template <class S>
  static S counted(const Measure& measure, const auto& z, const Pose& a, const Pose& b) {
    return unwound(measure.value<S>(z(a), z(b)), expected(z.memory, value(z.t), measure.rate_now(z, a, b)));
  }
  static void remember(const Measure& measure, const auto& z, const Pose& a, const Pose& b, double* last) {
    const double angle = counted<double>(measure, z, a, b);
    last[0] = angle;
    last[1] = measure.rate_now(z, a, b);
    last[2] = z.t;
  }
};

/// Reads a coordinate and its rate; an angle counts through whole turns.
struct CoordinateReading {
  Pose a, b;
  Measure measure;

  static constexpr int outputs = 2, memory = Turns::memory;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    if (index == 1) return measure.rate<S>(z, a, b);
    if (measure.kind == Measure::Kind::translation) return measure.value<S>(z(a), z(b));
    return Turns::counted<S>(measure, z, a, b);
  }
  void accept(const auto& z, double* last) const {
    if (measure.kind == Measure::Kind::rotation) Turns::remember(measure, z, a, b, last);
  }
};

/// The rotation of B's marker relative to A's, as a quaternion.
struct RelativeRotation {
  Pose a, b;
  Rotation<double> on_a, on_b;

  static constexpr int outputs = 4;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Rotation<S> q = (z(a).R * as<S>(on_a)).inverse() * (z(b).R * as<S>(on_b));
    return index == 0 ? q.w : q.u[index - 1];
  }
};

/// The coordinate as an unknown: Φ = measured − coordinate, angles with their whole turns.
struct Coordinate {
  Pose a, b;
  Position<1> coordinate;
  Multiplier<1> load;
  Measure measure;

  static constexpr int memory = Turns::memory;
  auto variables() const { return std::tie(a, b, coordinate, load); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S measured = measure.kind == Measure::Kind::translation ? measure.value<S>(z(a), z(b))
                                                                  : Turns::counted<S>(measure, z, a, b);
    out(load) += measured - z(coordinate);
  }
  /// Turns are counted from where it starts.
  void enter(const auto& z, double* last) const {
    if (measure.kind == Measure::Kind::translation) return;
    last[0] = z(coordinate);
    last[1] = measure.rate_now(z, a, b);
    last[2] = z.t;
  }
  void accept(const auto& z, double* last) const {
    if (measure.kind == Measure::Kind::rotation) Turns::remember(measure, z, a, b, last);
  }

  // ---- by hand (T-joint-3)
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const Frame<double> A = z(a), B = z(b);
    const double lam = z(load), now = z(coordinate);
    const Ends ends(A, B, a.local_row, b.local_row);
    const int first = load.local_row;
    Vector3 gradient[4];
    Blocks D;
    if (measure.kind == Measure::Kind::translation) {
      const Vector3 axis = ends.R[0] * measure.x, r_b = ends.R[1] * measure.on_b, s = B.x + r_b - A.x;
      out.row(first) = dot(axis, s - ends.R[0] * measure.on_a) - now;
      gradient[xa] = -axis, gradient[pa] = cross(axis, s), gradient[xb] = axis,
      gradient[pb] = cross(r_b, axis);
      if (out.slopes()) add_along(D, lam, axis, r_b, s);
    } else {
      // The gradient of the angle and, by duals along the six rotations, its derivative.
      const int reference = measure.of_b ? 1 : 0, other = 1 - reference;
      const int own = 2 * reference + 1, others = 2 * other + 1;
      const double sign = measure.of_b ? -1 : 1;
      using S = Dual<6>;
      const Vec3<S> e1 = turning<S>(ends.R[reference] * measure.x, 0),
                    e2 = turning<S>(ends.R[reference] * measure.y, 0),
                    w = turning<S>(ends.R[other] * measure.mark, 3);
      const S c = dot(e1, w), s = dot(e2, w);
      const Vec3<S> g = (sign / (c * c + s * s)) * (c * cross(e2, w) - s * cross(e1, w));
      const double expected = Turns::expected(z.memory, z.t, measure.rate_now(z, a, b));
      out.row(first) = unwound(sign * std::atan2(s.v, c.v), expected) - now;
      Matrix3 with_own, with_others;
      for (int i = 0; i < 3; ++i) {
        gradient[own][i] = g[i].v;
        gradient[others][i] = -g[i].v;
        for (int j = 0; j < 3; ++j) with_own.m[i][j] = g[i].d[j], with_others.m[i][j] = g[i].d[3 + j];
      }
      D.add(own, own, lam, with_own);
      D.add(own, others, lam, with_others);
      D.add(others, own, -lam, with_own);
      D.add(others, others, -lam, with_others);
    }
    Vector3 force[4];
    for (int p = 0; p < 4; ++p) {
      const Vector3 own = ends.own(p, gradient[p]);
      force[p] = lam * own;
      for (int i = 0; i < 3; ++i) {
        out.row(ends.row[p] + i) = force[p][i];
        if (out.slopes()) out.stiffness(first, ends.row[p] + i) = own[i];
      }
    }
    out.row(coordinate.local_row) = -lam;
    if (!out.slopes()) return;
    out.stiffness(first, coordinate.local_row) = -1;
    D.put(ends, force, out);
  }

 private:
  /// A vector that turns with rotations number `first` …
  template <class S>
  static Vec3<S> turning(const Vector3& x, int first) {
    Vec3<S> y = as<S>(x);
    const Matrix3 H = hat(x);  // δφ × x = −x̂ δφ
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y[i].d[first + j] = -H.m[i][j];
    return y;
  }
};

}  // namespace escapement::joint

extern template struct escapement::Adaptor<escapement::joint::CoordinateReading>;
extern template struct escapement::Adaptor<escapement::joint::Coordinate>;
extern template struct escapement::Adaptor<escapement::joint::RelativeRotation>;
