// Spherical (ball) joints: two points coincide. The multiplier is the force of the second body on the first (N, world
// axes); the load of the first on the second is its negative.
#pragma once
#include "core/group.hpp"

namespace escapement::joint {

/// Between two bodies on SE(3): Φ = x_B + R_B·on_b − x_A − R_A·on_a. Ground is the frame of the world.
struct Spherical {
  Pose a, b;
  Multiplier<3> force;
  Vector3 on_a, on_b;  // m, in each body's axes from its centre of mass

  static constexpr int outputs = 3;  // load of A on B, in A's axes
  auto variables() const { return std::tie(a, b, force); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    out(force) += z(b) * as<S>(on_b) - z(a) * as<S>(on_a);
  }
  auto output(const auto& z, int index) const {
    const auto load = z(a).R.inverse() * -z(force);
    return load[index];
  }
};

/// For a body on SO(3) × ℝ³ and a point of the world: Φ = x + R·point − anchor.
struct Ball {
  Position<3> position;
  Orientation orientation;
  Multiplier<3> force;
  Vector3 point;   // m, in body axes from the centre of mass
  Vector3 anchor;  // m, in world axes

  auto variables() const { return std::tie(position, orientation, force); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    out(force) += z(position) + z(orientation) * as<S>(point) - as<S>(anchor);
  }
};

/// The same for a body on SE(3).
struct BallPose {
  Pose at;
  Multiplier<3> force;
  Vector3 point;
  Vector3 anchor;

  auto variables() const { return std::tie(at, force); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const auto frame = z(at);
    out(force) += frame.R * as<S>(point) + frame.x - as<S>(anchor);
  }
};

}  // namespace escapement::joint

extern template class escapement::Group<escapement::joint::Spherical>;
extern template class escapement::Group<escapement::joint::Ball>;
extern template class escapement::Group<escapement::joint::BallPose>;
