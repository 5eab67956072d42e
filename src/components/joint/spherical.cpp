#include "components/joint/spherical.hpp"

#include "model/component.hpp"

template class escapement::Group<escapement::joint::Spherical>;
template class escapement::Group<escapement::joint::Ball>;
template class escapement::Group<escapement::joint::BallPose>;
template class escapement::Group<escapement::OutputTap<escapement::joint::Spherical>>;

namespace escapement {
namespace {

void build(Build& b) {
  const auto point = [&](const char* key) {
    const std::vector<double>& p = b.vector(key);
    return Vector3{{p[0], p[1], p[2]}};
  };
  const auto force = b.system.multiplier<3>(b.name("force"), {.unit = "N", .row_unit = "m"});
  const ElementId id = b.add(joint::Spherical{b.node<Pose>("between", 0), b.node<Pose>("between", 1), force,
                                              point("on_a"), point("on_b")});
  for (int i = 0; i < 3; ++i) b.channel<joint::Spherical>("force", id, i, i);
}

}  // namespace

ComponentType joint_spherical() {
  ComponentType type("joint.spherical", "A ball joint: a point of A and a point of B stay together.");
  type.description =
      "x_B + R_B · on_b = x_A + R_A · on_a, with x the centre of mass and R the orientation of each body. Of "
      "ground the point is given in world coordinates. Positions and velocities at the start must agree with "
      "this.";
  type.connects(between(Domain::frame));
  type.takes(
      vector("on_a", "m", 3, "the point of A, in A's axes from its centre of mass").otherwise("[0, 0, 0]"));
  type.takes(
      vector("on_b", "m", 3, "the point of B, in B's axes from its centre of mass").otherwise("[0, 0, 0]"));
  type.gives({"force", "N", "load of A on B, in A's axes", "xyz"});
  type.signs =
      "The force is the load of A on B, in the axes of A: a hanging B below ground has a positive force.z.";
  type.shape = {"sphere"};
  type.example = R"yaml(
upper: {type: body.rigid, mass: 2 kg, principal_inertia: [0.1 kg*m^2, 0.1 kg*m^2, 0.02 kg*m^2], initial: {position: [0, 0, -0.5 m]}}
lower: {type: body.rigid, mass: 1 kg, inertia: [[0.05 kg*m^2, 0, 0], [0, 0.05 kg*m^2, 0], [0, 0, 0.01 kg*m^2]], initial: {position: [0.5 m, 0, -1 m], axis: [0, 1, 0], angle: -90 deg}}
shoulder: {type: joint.spherical, between: [ground, upper], on_b: [0, 0, 0.5 m]}
elbow: {type: joint.spherical, between: [upper, lower], on_a: [0, 0, -0.5 m], on_b: [0, 0, 0.5 m]}
)yaml";
  type.build = build;
  return type;
}

}  // namespace escapement
