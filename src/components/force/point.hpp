// A force and a torque on a frame of a body, given by signals and constants, in world axes or in the frame's.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::force {

struct PointLoad {
  Pose at;
  Signal<1> x, y, z;      // added to the constant; ground reads as zero
  Frame<double> on_body;  // where the frame is on the body's node
  Vector3 constant{};     // N, or N m
  bool world = true;      // in world axes, or those of the frame
  bool torque = false;    // a torque rather than a force

  auto variables() const { return std::tie(at, x, y, z); }
  void flow(const auto& v, auto& out) const {
    using S = std::remove_cvref_t<decltype(v.t)>;
    Vec3<S> load{{v(x) + constant[0], v(y) + constant[1], v(z) + constant[2]}};
    const Frame<S> frame = v(at);
    const Rotation<S> axes = as<S>(on_body.R);
    if (world) load = frame.R.inverse() * load;
    else load = axes * load;  // now in body axes
    if (torque) push(v, out, at, Vec3<S>{}, load);
    else push(v, out, at, frame.R * load, cross(as<S>(on_body.x), load));
  }
};

}  // namespace escapement::force

extern template struct escapement::Adaptor<escapement::force::PointLoad>;
