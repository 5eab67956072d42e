// A ball joint between a point of a body and a point of the world. The multiplier is the force of the body on the
// world (N, world axes); the reaction on the body is its negative.
#pragma once
#include "core/group.hpp"

namespace escapement::joint {

/// For a body on SO(3) × ℝ³: Φ = x + R·point − anchor.
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

/// For a body on SE(3): the same constraint, Φ = x + R·point − anchor.
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

extern template class escapement::Group<escapement::joint::Ball>;
extern template class escapement::Group<escapement::joint::BallPose>;
