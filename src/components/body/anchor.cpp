#include "components/body/build.hpp"

namespace escapement {

ComponentType body_anchor() {
  ComponentType type("body.anchor",
                     "Frames fixed in the world: where springs, joints and rods are fastened.");
  type.description =
      "Its name is a frame at `position`; more frames by name, relative to it, under `frames`. Connecting to "
      "it is "
      "connecting to ground, at that place.";
  for (Parameter& p : body::pose_fields("in the world")) type.takes(std::move(p));
  type.takes(records("frames", body::pose_fields("of its origin, relative to the anchor"),
                     "further frames by name: `anchor.name`")
                 .optional());
  type.signs = "World axes, z up.";
  type.shape = {"box"};
  type.example = R"yaml(
hook: {type: body.anchor, position: [0, 0, 2 m], frames: {left: {position: [-0.3 m, 0, 0]}}}
lamp: {type: body.sphere, radius: 0.1 m, mass: 2 kg, initial: {position: [0, 0, 1 m]}}
wire: {type: joint.distance, between: [hook, lamp]}
spring: {type: force.spring, between: [hook.left, lamp], stiffness: 20 N/m, damping: 1 N*s/m}
)yaml";
  type.frames = [](const Build& b) {
    BodyFrames anchor;
    const Frame<double> at = body::pose(b, "");
    anchor.frames = {{"", at}};
    for (const Node::Entry& e : b.entries("frames"))
      anchor.frames.push_back({e.key, at * body::pose(b, "frames." + e.key + ".")});
    return anchor;
  };
  type.build = [](Build&) {};
  return type;
}

}  // namespace escapement
