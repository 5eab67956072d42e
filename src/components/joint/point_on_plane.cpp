#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<1>>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_point_on_plane(Build& b) {
  const joint::Markers m = joint::markers(b);
  joint::tie<1>(b, m, {{{along, 2}}});
  joint::coordinate(b, m, 0, joint::translation(m, 0), "x", "x_velocity");
  joint::coordinate(b, m, 1, joint::translation(m, 1), "y", "y_velocity");
}

}  // namespace

ComponentType joint_point_on_plane() {
  ComponentType type =
      joint::joint_type("joint.point_on_plane", "A point of B stays in a plane fixed in A.", true);
  type.description =
      "One equation. The plane goes through the point of A, the axis is its normal. Its coordinates are "
      "nodes of one dimension, `joint.x` and `joint.y`: whatever connects to sliders connects to them, "
      "relative to A.";
  type.offers = {{"x", Domain::translational, "displacement of B's point along x"},
                 {"y", Domain::translational, "displacement of B's point along y"}};
  type.gives({"x", "m", "displacement of B's point along x of A's marker"});
  type.gives({"y", "m", "displacement along y"});
  type.gives({"x_velocity", "m/s", "rate of x"});
  type.gives({"y_velocity", "m/s", "rate of y"});
  type.signs =
      "The coordinates are B relative to A. Force and torque are the load of A on B, in the joint's axes on "
      "A (z is the normal); the torque is zero.";
  type.shape = {"box"};
  type.example = R"yaml(
tripod: {type: body.cone, radius: 0.1 m, height: 0.3 m, density: 500 kg/m^3, frames: {tip: {position: [0, 0, 0.3 m]}}, initial: {frame: tip, axis: [1, 0, 0], angle: 180 deg, angular_velocity: [1 rad/s, 0, -90 rad/s]}}
floor: {type: joint.point_on_plane, between: [ground, tripod.tip]}
drag: {type: translational.damper, damping: 0.2 N*s/m, between: [ground, floor.x]}
)yaml";
  type.build = build_point_on_plane;
  return type;
}

}  // namespace escapement
