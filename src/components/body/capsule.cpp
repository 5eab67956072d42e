#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties capsule_properties(const Build& b) {
  return body::weighed(b, body::capsule(b.number("radius"), b.number("length")));
}

}  // namespace

ComponentType body_capsule() {
  ComponentType type("body.capsule", "A cylinder about its z axis with half spheres as ends.");
  type.description =
      "Its reference frame is in the middle. Mass and inertia follow from its size and its density or mass; "
      "otherwise it is a `body.rigid`.";
  type.takes(number("radius", "m", "of the cylinder and the half spheres").positive());
  type.takes(number("length", "m", "of the cylinder: between the centres of the half spheres").positive());
  body::takes_density(type);
  body::make_body(type, capsule_properties);
  type.shape = {"capsule", {"radius", "length"}};
  type.example = R"yaml(
arm: {type: body.capsule, radius: 0.04 m, length: 0.3 m, density: 1000 kg/m^3, frames: {shoulder: {position: [0, 0, 0.15 m]}}, initial: {frame: shoulder, axis: [0, 1, 0], angle: 40 deg}}
shoulder: {type: joint.spherical, between: [ground, arm.shoulder]}
)yaml";
  return type;
}

}  // namespace escapement
