#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties tube_properties(const Build& b) {
  const double inner = b.number("inner_radius"), outer = b.number("outer_radius");
  if (!(inner < outer)) b.refuse("E-RANGE", "inner_radius", "is not smaller than outer_radius");
  return body::weighed(b, body::tube(inner, outer, b.number("length")));
}

}  // namespace

ComponentType body_tube() {
  ComponentType type("body.tube", "A hollow cylinder about its z axis.");
  type.description =
      "Its reference frame is in the middle. Mass and inertia follow from its size and its density or mass; "
      "otherwise it is a `body.rigid`.";
  type.takes(number("inner_radius", "m", "of the bore").positive());
  type.takes(number("outer_radius", "m", "outer radius").positive());
  type.takes(number("length", "m", "along z").positive());
  body::takes_density(type);
  body::make_body(type, tube_properties);
  type.shape = {"tube", {"inner_radius", "outer_radius", "length"}};
  type.example = R"yaml(
shaft: {type: body.tube, inner_radius: 0.02 m, outer_radius: 0.03 m, length: 0.5 m, density: 7850 kg/m^3, initial: {angular_velocity: [0, 0, 10 rad/s]}}
bearing: {type: joint.cylindrical, between: [ground, shaft]}
)yaml";
  return type;
}

}  // namespace escapement
