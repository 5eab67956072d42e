#include "components/force/by_expression.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::force::Drag>;

namespace escapement {
namespace {

void build_drag(Build& b) {
  const AttachedFrame f = b.frame("at");
  b.arrow("force", 0, -1);
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  double quadratic = b.number("quadratic");
  const bool any = b.has("area") || b.has("coefficient") || b.has("density");
  if (any && !(b.has("area") && b.has("coefficient") && b.has("density")))
    b.refuse("E-MISSING", "", "density, area and coefficient go together", "or give `quadratic`");
  if (any) quadratic += 0.5 * b.number("density") * b.number("coefficient") * b.number("area");
  force::Drag drag{f.node, {}, {}, {}, f.on_node.x, b.number("linear"), quadratic};
  if (!(drag.linear > 0) && !(drag.quadratic > 0))
    b.refuse("E-MISSING", "", "nothing says how large the drag is",
             "linear: 0.1 N*s/m, or density, area and coefficient");
  if (b.connected("wind")) {
    const auto parts = b.wide_signal("wind");
    if (parts.size() != 3)
      b.refuse("E-WIDTH", "wind", "wind has three parts, this signal has " + std::to_string(parts.size()),
               "wind: [x, y, z]");
    drag.wind_x = parts[0];
    drag.wind_y = parts[1];
    drag.wind_z = parts[2];
  }
  const ElementId id = b.add(drag);
  for (int i = 0; i < 3; ++i) b.channel("force", id, i, i);
}

}  // namespace

ComponentType force_drag() {
  ComponentType type("force.drag", "Drag of air or water on a point of a body.");
  type.description =
      "With the velocity v of the point relative to the medium\n\n"
      "    force = −(linear + (quadratic + ½ · density · coefficient · area) · |v|) · v";
  type.connects(at(Domain::frame));
  type.takes(number("linear", "N*s/m", "force per velocity").at_least(0).otherwise("0"));
  type.takes(number("quadratic", "N*s^2/m^2", "force per velocity squared").at_least(0).otherwise("0"));
  type.takes(number("density", "kg/m^3", "of the medium").positive().optional());
  type.takes(number("area", "m^2", "seen by the flow").positive().optional());
  type.takes(number("coefficient", "1", "drag coefficient").positive().optional());
  type.connects(
      signal_port("wind", "m/s", "velocity of the medium, three signals, world axes").any_width().optional());
  type.gives({"force", "N", "on the body, world axes", "xyz"});
  type.signs = "The force acts on the body, against its velocity relative to the medium.";
  type.shape = {"arrow"};
  type.example = R"yaml(
ball: {type: body.sphere, radius: 0.11 m, mass: 0.43 kg, initial: {position: [0, 0, 1 m], velocity: [20 m/s, 0, 10 m/s]}}
breeze: {type: control.constant, value: 3 m/s, unit: m/s}
calm: {type: control.constant, value: 0, unit: m/s}
air: {type: force.drag, at: ball, density: 1.2 kg/m^3, area: 0.038 m^2, coefficient: 0.25, linear: 1e-3 N*s/m, wind: [calm, breeze, calm]}
)yaml";
  type.build = build_drag;
  return type;
}

}  // namespace escapement
