#include "components/body/build.hpp"

namespace escapement {
namespace {

body::MassProperties box_properties(const Build& b) {
  const std::vector<double>& s = b.vector("size");
  return body::weighed(b, body::box({{s[0], s[1], s[2]}}));
}

}  // namespace

ComponentType body_box() {
  ComponentType type("body.box", "A solid box.");
  type.description =
      "Its reference frame is in the middle, its axes along the edges. Mass and inertia follow from its size "
      "and its density or mass; otherwise it is a `body.rigid`.";
  type.takes(vector("size", "m", 3, "edges along x, y and z").positive());
  body::takes_density(type);
  body::make_body(type, box_properties);
  type.shape = {"box", {"size"}};
  type.example = R"yaml(
plate: {type: body.box, size: [1 m, 0.4 m, 0.02 m], density: 2700 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
hinge: {type: joint.revolute, between: [ground, plate], at: [0, 0, 0], axis: [0, 1, 0]}
)yaml";
  return type;
}

}  // namespace escapement
