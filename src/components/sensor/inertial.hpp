// What an accelerometer and a gyro on a body feel, in their own axes.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::sensor {

/// Specific force: Rᵀ (a − g) of a frame whose acceleration in world axes is known.
struct SpecificForce {
  Pose at;
  Signal<3> acceleration;  // m/s², world axes
  Signal<1> x, y, z;
  Rotation<double> on_body;
  Vector3 gravity;

  auto variables() const { return std::tie(at, acceleration, x, y, z); }
  void flow(const auto& v, auto& out) const {
    using S = std::remove_cvref_t<decltype(v.t)>;
    const Rotation<S> axes = v(at).R * as<S>(on_body);
    const Vec3<S> felt = axes.inverse() * (v(acceleration) - as<S>(gravity));
    out(x) += v(x) - felt[0];
    out(y) += v(y) - felt[1];
    out(z) += v(z) - felt[2];
  }
};

/// Angular velocity in the axes of the frame.
struct Turning {
  Pose at;
  Signal<1> x, y, z;
  Rotation<double> on_body;

  auto variables() const { return std::tie(at, x, y, z); }
  void flow(const auto& v, auto& out) const {
    using S = std::remove_cvref_t<decltype(v.t)>;
    const Vec3<S> felt = as<S>(on_body).inverse() * v.angular_velocity(at);
    out(x) += v(x) - felt[0];
    out(y) += v(y) - felt[1];
    out(z) += v(z) - felt[2];
  }
};

}  // namespace escapement::sensor

extern template struct escapement::Adaptor<escapement::sensor::SpecificForce>;
extern template struct escapement::Adaptor<escapement::sensor::Turning>;
