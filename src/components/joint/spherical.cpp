#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<3>>;
template struct escapement::Adaptor<escapement::joint::RelativeRotation>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_spherical(Build& b) {
  const joint::Markers m = joint::markers(b);
  joint::tie<3>(b, m, {{{coincide, 0}, {coincide, 1}, {coincide, 2}}});
  const ElementId reading = b.add(joint::RelativeRotation{m.a, m.b, m.on_a.R, m.on_b.R});
  for (int i = 0; i < 4; ++i) b.channel("quaternion", reading, i, i);
}

}  // namespace

ComponentType joint_spherical() {
  ComponentType type = joint::joint_type("joint.spherical",
                                         "A ball joint: a point of A and a point of B stay together.", false);
  type.description =
      "Three equations: the two points stay together. Positions and velocities of the bodies at the start "
      "must agree with this.";
  type.gives({"quaternion", "1", "rotation of B relative to A", "wxyz", false, false});
  type.signs =
      "Force and torque are the load of A on B, in the axes of A's frame (of the world with `at`, in the "
      "design position): a B that hangs below ground has a positive force.z; the torque is zero.";
  type.shape = {"sphere"};
  type.example = R"yaml(
upper: {type: body.rigid, mass: 2 kg, principal_inertia: [0.1 kg*m^2, 0.1 kg*m^2, 0.02 kg*m^2], frames: {elbow: {position: [0, 0, -0.5 m]}}, initial: {position: [0, 0, -0.5 m]}}
lower: {type: body.rigid, mass: 1 kg, inertia: [[0.05 kg*m^2, 0, 0], [0, 0.05 kg*m^2, 0], [0, 0, 0.01 kg*m^2]], initial: {position: [0.5 m, 0, -1 m], axis: [0, 1, 0], angle: -90 deg}}
shoulder: {type: joint.spherical, between: [ground, upper], at: [0, 0, 0]}
elbow: {type: joint.spherical, between: [upper.elbow, lower], at: [0, 0, -1 m]}
)yaml";
  type.build = build_spherical;
  return type;
}

}  // namespace escapement
