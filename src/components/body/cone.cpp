#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties cone_properties(const Build& b) {
  return body::weighed(b, body::cone(b.number("radius"), b.number("height")));
}

}  // namespace

ComponentType body_cone() {
  ComponentType type("body.cone", "A solid cone about its z axis.");
  type.description =
      "Its reference frame is in the middle of the base; the tip is at z = height. Mass and inertia follow "
      "from its size and its density or mass; otherwise it is a `body.rigid`.";
  type.takes(number("radius", "m", "of the base").positive());
  type.takes(number("height", "m", "from the base to the tip").positive());
  body::takes_density(type);
  body::make_body(type, cone_properties);
  type.shape = {"cone", {"radius", "height"}};
  type.example = R"yaml(
top: {type: body.cone, radius: 0.03 m, height: 0.06 m, density: 800 kg/m^3, frames: {tip: {position: [0, 0, 0.06 m]}}, initial: {frame: tip, axis: [1, 0, 0], angle: 160 deg, angular_velocity: [0, 0, -20 rad/s]}}
point: {type: joint.spherical, between: [ground, top.tip]}
)yaml";
  return type;
}

}  // namespace escapement
