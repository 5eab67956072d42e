#include "components/joint/rolling.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::joint::Blade>;

namespace escapement {
namespace {

void build_knife_edge(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  const std::vector<double>& s = b.vector("sideways");
  const Vector3 side{{s[0], s[1], s[2]}};
  if (!(norm(side) > 0)) b.refuse("E-RANGE", "sideways", "has length 0", "sideways: [0, 1, 0]");
  const auto load = b.system.slip_multiplier<1>(
      b.name("side"), {.unit = "N", .row_unit = "m/s", .parts = {"no sideways motion"}});
  const ElementId id =
      b.add(joint::Blade{f.node, load, f.on_node.x, f.on_node.R * ((1 / norm(side)) * side)});
  b.channel("force", id, 0);
}

}  // namespace

ComponentType joint_knife_edge() {
  ComponentType type("joint.knife_edge", "A skate or blade: the point of a frame does not move sideways.");
  type.description =
      "One nonholonomic equation: the velocity of the frame's origin has no part along `sideways`, an axis "
      "of the "
      "frame. What keeps the body on its plane is another joint, joint.planar for instance.";
  type.connects(at(Domain::frame));
  type.takes(vector("sideways", "1", 3, "direction without motion, in the axes of the frame")
                 .otherwise("[0, 1, 0]"));
  type.gives({"force", "N", "force on the body along `sideways`"});
  type.signs = "The force acts on the body, positive along `sideways`.";
  type.shape = {"box"};
  type.example = R"yaml(
sleigh: {type: body.box, size: [0.6 m, 0.3 m, 0.1 m], density: 300 kg/m^3, frames: {blade: {position: [-0.2 m, 0, 0]}}, initial: {velocity: [1 m/s, 0.4 m/s, 0], angular_velocity: [0, 0, 2 rad/s]}}
ice: {type: joint.planar, between: [ground, sleigh]}
blade: {type: joint.knife_edge, at: sleigh.blade}
)yaml";
  type.build = build_knife_edge;
  return type;
}

}  // namespace escapement
