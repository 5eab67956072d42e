// Mass whose centre is beside a node.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::body {

/// Beyond what the same mass in the node would do: with the arm c its velocity is v + ω × c. The inertia ½ m |ω × c|² is the
/// node's.
struct Eccentric {
  Pose at;
  double mass;  // kg
  Vector3 arm;  // m, axes of the node
  Vector3 gravity{};

  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec3<S> c = as<S>(arm), p = mass * cross(z.angular_velocity(at), c);
    const Vec3<S> linear = z.frames == Manifold::se3 ? p : z(at).R * p;
    const Vec3<S> angular = mass * cross(c, z(at).R.inverse() * z.linear_velocity(at));
    for (int i = 0; i < 3; ++i) {
      out(at)[i] += linear[i];
      out(at)[3 + i] += angular[i];
    }
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return -mass * dot(as<S>(gravity), z(at).R * as<S>(arm));
  }
  double energy(const auto& z) const {
    return mass * dot(z.linear_velocity(at), z(at).R * cross(z.angular_velocity(at), arm)) + potential(z);
  }
};

/// −m c ĉ ĉ: what a mass with this arm adds to the inertia about the node.
inline Matrix3 of_arm(double mass, const Vector3& arm) { return (-mass) * (hat(arm) * hat(arm)); }

}  // namespace escapement::body

extern template struct escapement::Adaptor<escapement::body::Eccentric>;
