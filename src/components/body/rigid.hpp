// A rigid body: its frame is at the centre of mass. Newton's and Euler's equations with weight.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::body {

struct Rigid {
  Pose at;
  double mass;        // kg
  Matrix3 inertia;    // kg m², about the centre of mass, body axes
  Vector3 gravity{};  // m/s²

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const {
    const auto v = z.rate(at);
    const auto momentum = inertia * z.angular_velocity(at);
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
    const auto linear = z.linear_velocity(at), angular = z.angular_velocity(at);
    return 0.5 * mass * dot(linear, linear) + 0.5 * dot(angular, inertia * angular) + potential(z);
  }

  static constexpr int outputs = 1;
  auto output(const auto& z, int) const { return energy(z); }

  // By hand. With p = J ω: J ω̇ + ω × p; on SE(3) also m (v̇ + ω × v) − m Rᵀ g in body axes.
  static constexpr bool by_hand = true, rates = true;
  void parts(const auto& z, const auto& a, const auto& out) const {
    const Vector3 v{{z.v[0], z.v[1], z.v[2]}}, w{{z.v[3], z.v[4], z.v[5]}};
    const Vector3 p = inertia * w, torque = inertia * Vector3{{a[3], a[4], a[5]}} + cross(w, p);
    const bool se3 = z.frames == Manifold::se3;
    const Vector3 g = se3 ? z(at).R.inverse() * gravity : gravity;
    const Vector3 carried = se3 ? cross(w, v) : Vector3{};
    for (int i = 0; i < 3; ++i) {
      out.row(i) = mass * (a[i] + carried[i] - g[i]);
      out.row(3 + i) = torque[i];
    }
    if (!out.slopes()) return;
    const Matrix3 W = hat(w), WJ = W * inertia, P = hat(p), V = hat(v), G = hat(g);
    for (int i = 0; i < 3; ++i) {
      out.mass(i, i) = mass;
      for (int j = 0; j < 3; ++j) {
        out.mass(3 + i, 3 + j) = inertia.m[i][j];
        out.damping(3 + i, 3 + j) = WJ.m[i][j] - P.m[i][j];
        if (!se3) continue;
        out.damping(i, j) = mass * W.m[i][j];
        out.damping(i, 3 + j) = -mass * V.m[i][j];
        out.stiffness(i, 3 + j) = -mass * G.m[i][j];
      }
    }
  }
};

/// What can be read off a frame fixed to a body: pose, velocities, energy of the body.
struct FrameReading {
  Pose at;
  Frame<double> on_body{};  // relative to the body's node
  static constexpr int outputs =
      16;  // position, quaternion, velocity, angular velocity (body, then world axes)

  auto variables() const { return std::tie(at); }
  auto output(const auto& z, int index) const {
    const auto frame = z(at);
    const auto w = z.angular_velocity(at);
    using S = std::remove_cvref_t<decltype(w[0])>;
    const auto arm = as<S>(on_body.x);
    if (index < 3) return S((frame * arm)[index]);
    if (index < 7) {
      const Rotation<S> q = frame.R * as<S>(on_body.R);
      return S(index == 3 ? q.w : q.u[index - 4]);
    }
    if (index < 10) return S((z.linear_velocity(at) + frame.R * cross(w, arm))[index - 7]);
    if (index < 13) {
      const Rotation<S> back = as<S>(on_body.R).inverse();
      return S((back * w)[index - 10]);
    }
    return S((frame.R * w)[index - 13]);
  }
};

/// The velocity of a frame's origin as something that is stored: its rate is the acceleration, world axes (T-one-3).
struct FrameAcceleration {
  Pose at;
  Signal<3> acceleration;  // m/s²
  Vector3 arm;             // m, body axes

  auto variables() const { return std::tie(at, acceleration); }
  void store(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const auto v = z.linear_velocity(at) + z(at).R * cross(z.angular_velocity(at), as<S>(arm));
    out(acceleration) -= v;
  }
  void flow(const auto& z, auto& out) const { out(acceleration) += z(acceleration); }
};

}  // namespace escapement::body

extern template struct escapement::Adaptor<escapement::body::Rigid>;
extern template struct escapement::Adaptor<escapement::body::FrameReading>;
extern template struct escapement::Adaptor<escapement::body::FrameAcceleration>;
