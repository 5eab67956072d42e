#include "components/force/torsion.hpp"

#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::force::Torsion>;

namespace escapement {
namespace {

void build_torsion(Build& b) {
  const joint::Markers m = joint::markers(b);
  const ElementId id = b.add(force::Torsion{m.a, m.b, joint::rotation(m), b.number("stiffness"),
                                            b.number("damping"), b.number("rest_angle")});
  b.channel("torque", id, 0);
  b.channel("angle", id, 1);
}

}  // namespace

ComponentType force_torsion() {
  ComponentType type("force.torsion", "A torsion spring and damper between two bodies, about an axis of A.");
  type.description =
      "With the angle φ of B about the axis of A, counted through whole turns,\n\n"
      "    torque = stiffness · (φ − rest_angle) + damping · dφ/dt\n\n"
      "It needs no joint; φ is the angle of B's x axis in the plane at a right angle to the axis of A. On a "
      "revolute "
      "joint a rotational.spring does the same.";
  type.connects(between(Domain::frame));
  type.takes(
      vector(
          "at", "m", 3,
          "with it the axis is given in world axes, in the design position; the point itself does not matter")
          .optional());
  type.takes(vector("axis", "1", 3,
                    "direction of the axis: with `at` in world axes, without in the axes of each frame")
                 .otherwise("[0, 0, 1]"));
  type.takes(number("stiffness", "N*m/rad", "torque per angle").at_least(0));
  type.takes(number("damping", "N*m*s/rad", "torque per rate").at_least(0).otherwise("0"));
  type.takes(number("rest_angle", "rad", "at which it is relaxed").otherwise("0"));
  type.gives({"torque", "N*m", "torque, positive when B is turned ahead of A"});
  type.gives({"angle", "rad", "of B relative to A, counted through whole turns"});
  type.signs = "The angle is B relative to A. A positive torque turns B back and A forwards.";
  type.shape = {"spring"};
  type.example = R"yaml(
disk: {type: body.cylinder, radius: 0.1 m, length: 0.01 m, density: 7850 kg/m^3, initial: {angular_velocity: [0, 0, 5 rad/s]}}
wire: {type: force.torsion, between: [ground, disk], stiffness: 0.5 N*m/rad, damping: 0.001 N*m*s/rad}
pin: {type: joint.spherical, between: [ground, disk]}
)yaml";
  type.build = build_torsion;
  return type;
}

}  // namespace escapement
