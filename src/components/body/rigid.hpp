// Rigid bodies about their centre of mass: on SO(3) × ℝ³ (Rigid) and on SE(3) (RigidPose), with weight.
#pragma once
#include "core/group.hpp"

namespace escapement::body {

/// Position of the centre of mass in world axes, rotation with angular velocity in body axes.
struct Rigid {
  Position<3> position;
  Orientation orientation;
  double mass;        // kg
  Matrix3 inertia;    // kg m², about the centre of mass, body axes
  Vector3 gravity{};  // m/s²

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(position, orientation); }
  void store(const auto& z, auto& out) const {
    out(position) += mass * z.rate(position);
    out(orientation) += inertia * z.rate(orientation);
  }
  auto potential(const auto& z) const {
    const auto x = z(position);
    return -mass * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
  }
  auto energy(const auto& z) const {
    const auto v = z.rate(position), w = z.rate(orientation);
    return 0.5 * mass * dot(v, v) + 0.5 * dot(w, inertia * w) + potential(z);
  }
};

/// The same body as one frame; linear and angular velocity both in body axes.
struct RigidPose {
  Pose at;
  double mass;        // kg
  Matrix3 inertia;    // kg m²
  Vector3 gravity{};  // m/s²

  static constexpr bool constant_inertia = true;
  static constexpr int outputs =
      14;  // position, quaternion, velocity (world), angular velocity (body), energy
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const {
    const auto v = z.rate(at);
    using S = std::remove_cvref_t<decltype(v[0])>;
    const Vec3<S> momentum = inertia * Vec3<S>{{v[3], v[4], v[5]}};
    for (int i = 0; i < 3; ++i) {
      out(at)[i] += mass * v[i];
      out(at)[3 + i] += momentum[i];
    }
  }
  auto potential(const auto& z) const {
    const auto x = z(at).x;
    return -mass * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
  }
  auto energy(const auto& z) const {
    const auto v = z.rate(at);
    using S = std::remove_cvref_t<decltype(v[0])>;
    const Vec3<S> linear{{v[0], v[1], v[2]}}, angular{{v[3], v[4], v[5]}};
    return 0.5 * mass * dot(linear, linear) + 0.5 * dot(angular, inertia * angular) + potential(z);
  }
  auto output(const auto& z, int index) const {
    const auto frame = z(at);
    const auto v = z.rate(at);
    using S = std::remove_cvref_t<decltype(v[0])>;
    if (index < 3) return S(frame.x[index]);
    if (index < 7) return S(index == 3 ? frame.R.w : frame.R.u[index - 4]);
    if (index < 10) return S((frame.R * Vec3<S>{{v[0], v[1], v[2]}})[index - 7]);
    if (index < 13) return S(v[index - 7]);
    return S(energy(z));
  }
};

}  // namespace escapement::body

extern template class escapement::Group<escapement::body::Rigid>;
extern template class escapement::Group<escapement::body::RigidPose>;
