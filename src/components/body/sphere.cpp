#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties sphere_properties(const Build& b) {
  return body::weighed(b, body::sphere(b.number("radius")));
}

}  // namespace

ComponentType body_sphere() {
  ComponentType type("body.sphere", "A solid sphere.");
  type.description =
      "Its reference frame is in the middle. Mass and inertia follow from its size and its density or mass; "
      "otherwise it is a `body.rigid`.";
  type.takes(number("radius", "m", "of the sphere").positive());
  body::takes_density(type);
  body::make_body(type, sphere_properties);
  type.shape = {"sphere", {"radius"}};
  type.example = R"yaml(
ball: {type: body.sphere, radius: 0.05 m, mass: 0.4 kg, initial: {position: [0, 0, 1 m], velocity: [1 m/s, 0, 0]}}
)yaml";
  return type;
}

}  // namespace escapement
