#include <fmt/format.h>

#include "components/force/by_expression.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::force::ByExpression>;

namespace escapement {
namespace {

void build_expression(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  const std::vector<std::pair<std::string, std::string>> names = {
      {"x", "m"},    {"y", "m"},      {"z", "m"},      {"vx", "m/s"},   {"vy", "m/s"},
      {"vz", "m/s"}, {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}, {"t", "s"}};
  force::ByExpression element{f.node, f.on_node, {}, b.text("axes") == "world"};
  const auto read = [&](const char* key, const char* unit, int first) {
    const Node* given = b.node(key);
    if (!given) return;
    if (!given->is_sequence() || given->items.size() != 3)
      b.refuse_at(*given, "E-TYPE", key, "expected a list of three expressions, found " + given->described(),
                  fmt::format("{}: [0, 0, \"…\"]", key));
    for (int i = 0; i < 3; ++i) {
      Expression e = b.compile(given->items[i], key, names, unit);
      e.place_sides(element.sides());
      element.load[first + i] = std::make_shared<const Expression>(std::move(e));
    }
  };
  read("force", "N", 0);
  read("torque", "N*m", 3);
  if (!b.node("force") && !b.node("torque"))
    b.refuse("E-MISSING", "", "neither `force` nor `torque` is given", "force: [0, 0, \"-(20 N/m)*z\"]");
  const ElementId id = b.add(element);
  for (int i = 0; i < 3; ++i) {
    b.channel("force", id, i, i);
    b.channel("torque", id, 3 + i, i);
  }
}

}  // namespace

ComponentType force_expression() {
  ComponentType type("force.expression",
                     "A force and a torque on a frame by expressions of its motion and of time.");
  type.description =
      "The expressions see the frame's position x, y, z and velocity vx, vy, vz (world axes), its angular "
      "velocity wx, "
      "wy, wz (its own axes), the time t and the parameters. Derivatives for the solver are exact. "
      "Where a comparison or sign jumps, a step ends; where min, max or abs bend the load, too, if the step "
      "would notice.";
  type.connects(at(Domain::frame));
  type.takes(equations("force", false, "three expressions, N").optional());
  type.takes(equations("torque", false, "three expressions, N*m").optional());
  type.takes(choice("axes", {"world", "frame"}, "in which force and torque are given").otherwise("world"));
  type.gives({"force", "N", "as given", "xyz"});
  type.gives({"torque", "N*m", "as given", "xyz"});
  type.signs = "Force and torque act on the body in the direction of the axes.";
  type.shape = {"arrow"};
  type.example = R"yaml(
satellite: {type: body.sphere, radius: 0.5 m, mass: 200 kg, initial: {position: [7 m, 0, 0], velocity: [0, 1.2 m/s, 0.3 m/s]}}
centre:
  type: force.expression
  at: satellite
  force: ["-(2000 N*m^2)*x/sqrt(x^2 + y^2 + z^2)^3", "-(2000 N*m^2)*y/sqrt(x^2 + y^2 + z^2)^3", "-(2000 N*m^2)*z/sqrt(x^2 + y^2 + z^2)^3 - (3 N*s/m)*vz"]
  torque: [0, 0, "-(2 N*m*s/rad)*wz + (1 N*m)*sin((2 rad/s)*t)"]
)yaml";
  type.build = build_expression;
  return type;
}

}  // namespace escapement
