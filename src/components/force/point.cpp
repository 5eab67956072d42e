#include "components/force/point.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::force::PointLoad>;

namespace escapement {
namespace {

void build_point(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  force::PointLoad load{f.node, {}, {}, {}, f.on_node, {}, b.text("axes") == "world", false};
  if (b.has("force")) {
    const std::vector<double>& given = b.vector("force");
    load.constant = {{given[0], given[1], given[2]}};
  }
  if (b.connected("input")) {
    const auto parts = b.wide_signal("input");
    if (parts.size() != 3)
      b.refuse("E-WIDTH", "input", "a force has three parts, this signal has " + std::to_string(parts.size()),
               "input: [x, y, z]");
    load.x = parts[0];
    load.y = parts[1];
    load.z = parts[2];
  } else if (!b.has("force")) {
    b.refuse("E-MISSING", "", "neither `force` nor `input` says how large it is", "force: [0, 0, 10 N]");
  }
  b.add(load);
}

}  // namespace

ComponentType force_point() {
  ComponentType type("force.point", "A force on a frame of a body: constant, by signals, or both.");
  type.description =
      "In world axes it keeps its direction, in the axes of the frame it turns with the body. A constant and "
      "a signal "
      "add up.";
  type.connects(at(Domain::frame));
  type.takes(vector("force", "N", 3, "constant part").optional().as_load());
  type.connects(input("N", "three signals: its parts").any_width().optional());
  type.takes(choice("axes", {"world", "frame"}, "in which its parts are given").otherwise("world"));
  type.signs = "The force acts on the body in the direction of the axes.";
  type.shape = {"arrow"};
  type.example = R"yaml(
body: {type: body.box, size: [0.4 m, 0.3 m, 0.1 m], density: 500 kg/m^3, frames: {nozzle: {position: [-0.2 m, 0, 0], axis: [0, 0, 1], angle: 10 deg}}}
push: {type: force.point, at: body.nozzle, force: [5 N, 0, 0], axes: frame}
wave: {type: control.sine, amplitude: 1 N, frequency: 1 Hz, unit: N}
still: {type: control.constant, value: 0, unit: N}
sway: {type: force.point, at: body, input: [still, wave, still]}
)yaml";
  type.build = build_point;
  return type;
}

}  // namespace escapement
