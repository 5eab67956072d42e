#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties cylinder_properties(const Build& b) {
  return body::weighed(b, body::cylinder(b.number("radius"), b.number("length")));
}

}  // namespace

ComponentType body_cylinder() {
  ComponentType type("body.cylinder", "A solid cylinder about its z axis.");
  type.description =
      "Its reference frame is in the middle. Mass and inertia follow from its size and its density or mass; "
      "otherwise it is a `body.rigid`.";
  type.takes(number("radius", "m", "of the cylinder").positive());
  type.takes(number("length", "m", "along z").positive());
  body::takes_density(type);
  body::make_body(type, cylinder_properties);
  type.shape = {"cylinder", {"radius", "length"}};
  type.example = R"yaml(
rotor: {type: body.cylinder, radius: 0.1 m, length: 0.02 m, density: 7850 kg/m^3, initial: {angular_velocity: [0, 0, 100 rad/s]}}
bearing: {type: joint.revolute, between: [ground, rotor]}
)yaml";
  return type;
}

}  // namespace escapement
