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

/// Unit length, kept against rounding (one Newton step from an almost unit quaternion).
Rotation<double> normalised(const Rotation<double>& r);

}  // namespace escapement
