// SO(3) and SE(3): rotations as unit quaternions, exponential maps and their tangent operators.
// Increments act on the right (body-attached velocities): R(u) = R exp(u)  (T-lie-1).
#pragma once
#include "math/vector.hpp"

namespace escapement {

/// A rotation, held as the unit quaternion (w, x, y, z).
template <class S>
struct Rotation {
  S w{1.0};
  Vec3<S> u{};

  /// Body axes to world axes.
  Vec3<S> operator*(const Vec3<S>& a) const {
    const Vec3<S> t = 2.0 * cross(u, a);
    return a + w * t + cross(u, t);
  }
  Rotation operator*(const Rotation& o) const {
    return {w * o.w - dot(u, o.u), w * o.u + o.w * u + cross(u, o.u)};
  }
  Rotation inverse() const { return {w, -u}; }
};

/// A constant rotation in the kernel's scalar.
template <class S>
Rotation<S> as(const Rotation<double>& R) {
  return {S(R.w), as<S>(R.u)};
}

/// A frame: rotation and origin.
template <class S>
struct Frame {
  Rotation<S> R;
  Vec3<S> x;
  Vec3<S> operator*(const Vec3<S>& a) const { return x + R * a; }
  Frame operator*(const Frame& o) const { return {R * o.R, x + R * o.x}; }
  Frame inverse() const { return {R.inverse(), -(R.inverse() * x)}; }
};

template <class S>
Frame<S> as(const Frame<double>& f) {
  return {as<S>(f.R), as<S>(f.x)};
}

/// The matrix of a rotation: its columns are the body's axes.
Matrix3 matrix(const Rotation<double>& R);
/// The rotation with these axes as columns (orthonormal, right-handed).
Rotation<double> from_axes(const Vector3& x, const Vector3& y, const Vector3& z);

/// exp on SO(3), as a quaternion (T-lie-2).
Rotation<double> exp_so3(const Vector3& w);
/// Tangent operator T(w): the right Jacobian, d exp(w) = exp(w) (T(w) dw)^ (T-lie-3).
Matrix3 tangent_so3(const Vector3& w);
/// V(w) with exp_SE3(v, w) = (exp(w), V(w) v); V(w) = T(-w).
inline Matrix3 left_tangent_so3(const Vector3& w) { return tangent_so3(-w); }
/// The coupling block of the SE(3) tangent operator: T(v, w) = [[T(w), Q], [0, T(w)]] (T-lie-4).
Matrix3 tangent_se3_coupling(const Vector3& v, const Vector3& w);

/// 1/t² (1 − t/2 cot t/2) and its derivative by s = t², t < 2π: what the inverse tangent operators need.
template <class S>
struct InverseTangent {
  S e, slope;
  explicit InverseTangent(const S& s) {
    if (value(s) < 0.25) {  // |B_2k| / (2k)! s^(k−1); the next term is below 1e-17
      constexpr double c[] = {1.0 / 12,
                              1.0 / 720,
                              1.0 / 30240,
                              1.0 / 1209600,
                              1.0 / 47900160,
                              691.0 / 1307674368000.0,
                              1.0 / 74724249600.0,
                              3617.0 / 10670622842880000.0};
      e = S(c[7]);
      slope = S(7 * c[7]);
      for (int k = 6; k >= 0; --k) {
        e = e * s + c[k];
        if (k > 0) slope = slope * s + k * c[k];
      }
      return;
    }
    const S t = sqrt(s), half = 0.5 * t, sine = sin(half), cotangent = cos(half) / sine;
    const S c = half * cotangent;
    e = (1.0 - c) / s;
    slope = (0.25 * (half / (sine * sine) - cotangent) / t - e) / s;
  }
};

/// (1 − cos t)/t², (t − sin t)/t³ and their derivatives by s = t².
template <class S>
struct TangentCoefficients {
  S a, b, a_slope, b_slope;
  explicit TangentCoefficients(const S& s) {
    if (value(s) < 1) {  // Σ (−s)^k / (2k + 2)!, (2k + 3)!: the next term is below 1e-17
      double even = 1.0 / 2, odd = 1.0 / 6;
      S power(1.0), before(0.0);
      a = b = a_slope = b_slope = S(0.0);
      for (int k = 0; k < 9; ++k) {
        a += even * power;
        b += odd * power;
        a_slope += (k * even) * before;
        b_slope += (k * odd) * before;
        before = power;
        power = power * s;
        even /= -(2 * k + 3) * (2 * k + 4);
        odd /= -(2 * k + 4) * (2 * k + 5);
      }
      return;
    }
    const S t = sqrt(s), sine = sin(t) / t;
    a = (1.0 - cos(t)) / s;
    b = (1.0 - sine) / s;
    a_slope = 0.5 * (sine - 2.0 * a) / s;
    b_slope = 0.5 * (a - 3.0 * b) / s;
  }
};

/// exp(w) a.
template <class S>
Vec3<S> turned(const Vec3<S>& w, const Vec3<S>& a) {
  const S s = dot(w, w);
  const TangentCoefficients<S> k(s);
  const Vec3<S> wa = cross(w, a);
  return a + (1.0 - s * k.b) * wa + k.a * cross(w, wa);
}

/// The rotation vector of a rotation, by less than half a turn.
template <class S>
Vec3<S> log_so3(const Rotation<S>& R) {
  const S square = dot(R.u, R.u);
  const double sign = value(R.w) < 0 ? -1.0 : 1.0;
  if (value(square) < 1e-3) {  // 2 asin(r)/r
    constexpr double c[] = {1.0, 1.0 / 6, 3.0 / 40, 5.0 / 112, 35.0 / 1152, 63.0 / 2816};
    S sum(c[5]);
    for (int k = 4; k >= 0; --k) sum = sum * square + c[k];
    return (2 * sign * sum) * R.u;
  }
  const S r = sqrt(square);
  return (2 * sign * atan2(r, sign * R.w) / r) * R.u;
}
/// T⁻¹(w) a, with `back` T⁻¹(−w) a.
template <class S>
Vec3<S> untangled(const Vec3<S>& w, const Vec3<S>& a, const S& e, bool back) {
  const Vec3<S> wa = cross(w, a);
  return a + (back ? -0.5 : 0.5) * wa + e * cross(w, wa);
}

/// Unit length, kept against rounding (one Newton step from an almost unit quaternion).
Rotation<double> normalised(const Rotation<double>& r);

}  // namespace escapement
