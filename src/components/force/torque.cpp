#include "components/force/point.hpp"

#include "model/component.hpp"

namespace escapement {
namespace {

void build_torque(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  force::PointLoad load{f.node, {}, {}, {}, f.on_node, {}, b.text("axes") == "world", true};
  if (b.has("torque")) {
    const std::vector<double>& given = b.vector("torque");
    load.constant = {{given[0], given[1], given[2]}};
  }
  if (b.connected("input")) {
    const auto parts = b.wide_signal("input");
    if (parts.size() != 3)
      b.refuse("E-WIDTH", "input",
               "a torque has three parts, this signal has " + std::to_string(parts.size()),
               "input: [x, y, z]");
    load.x = parts[0];
    load.y = parts[1];
    load.z = parts[2];
  } else if (!b.has("torque")) {
    b.refuse("E-MISSING", "", "neither `torque` nor `input` says how large it is", "torque: [0, 0, 10 N*m]");
  }
  b.add(load);
}

}  // namespace

ComponentType force_torque() {
  ComponentType type("force.torque", "A torque on a frame of a body: constant, by signals, or both.");
  type.description =
      "In world axes it keeps its direction, in the axes of the frame it turns with the body. A constant and "
      "a signal "
      "add up.";
  type.connects(at(Domain::frame));
  type.takes(vector("torque", "N*m", 3, "constant part").optional().as_load());
  type.connects(input("N*m", "three signals: its parts").any_width().optional());
  type.takes(choice("axes", {"world", "frame"}, "in which its parts are given").otherwise("world"));
  type.signs = "The torque acts on the body in the direction of the axes.";
  type.shape = {"arrow"};
  type.example = R"yaml(
body: {type: body.box, size: [0.4 m, 0.3 m, 0.1 m], density: 500 kg/m^3, frames: {nozzle: {position: [-0.2 m, 0, 0], axis: [0, 0, 1], angle: 10 deg}}}
push: {type: force.torque, at: body.nozzle, torque: [0, 0, 0.2 N*m], axes: frame}
wave: {type: control.sine, amplitude: 1 N*m, frequency: 1 Hz, unit: N*m}
still: {type: control.constant, value: 0, unit: N*m}
sway: {type: force.torque, at: body, input: [still, wave, still]}
)yaml";
  type.build = build_torque;
  return type;
}

}  // namespace escapement
