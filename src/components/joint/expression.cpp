#include <fmt/format.h>

#include "components/joint/by_expression.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::joint::ConstraintByExpression>;
template struct escapement::Adaptor<escapement::joint::SlipByExpression>;

namespace escapement {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

Names names(bool velocities) {
  Names list = {{"t", "s"}};
  for (const char* frame : {"a", "b"}) {
    const auto add = [&](const char* part, const char* unit) {
      list.push_back({fmt::format("{}.{}", frame, part), unit});
    };
    for (const char* part : {"x", "y", "z"}) add(part, "m");
    for (const char* part : {"qw", "qx", "qy", "qz"}) add(part, "1");
    if (!velocities) continue;
    for (const char* part : {"vx", "vy", "vz"}) add(part, "m/s");
    for (const char* part : {"wx", "wy", "wz"}) add(part, "rad/s");
  }
  return list;
}

std::vector<Node> texts(const Build& b, const char* key) {
  const Node* given = b.node(key);
  if (!given) return {};
  return given->is_sequence() ? given->items : std::vector<Node>{*given};
}

void build_expression(Build& b) {
  const AttachedFrame A = b.frame("between", 0), B = b.frame("between", 1);
  int k = 0;
  for (const Node& text : texts(b, "holonomic")) {
    auto law = std::make_shared<const Expression>(b.compile(text, "holonomic", names(false)));
    const auto load = b.system.multiplier<1>(fmt::format("{}.multiplier.{}", b.path(), k + 1),
                                             {.unit = "1", .parts = {text.text}});
    b.add(joint::ConstraintByExpression{A.node, B.node, load, A.on_node, B.on_node, std::move(law)});
    b.channel("multiplier", load, 1, 0, k++);
  }
  for (const Node& text : texts(b, "nonholonomic")) {
    auto law = std::make_shared<const Expression>(b.compile(text, "nonholonomic", names(true)));
    const auto load = b.system.slip_multiplier<1>(fmt::format("{}.multiplier.{}", b.path(), k + 1),
                                                  {.unit = "1", .parts = {text.text}});
    b.add(joint::SlipByExpression{A.node, B.node, load, A.on_node, B.on_node, std::move(law)});
    b.channel("multiplier", load, 1, 0, k++);
  }
  if (k == 0)
    b.refuse("E-MISSING", "", "neither `holonomic` nor `nonholonomic` is given",
             "holonomic: \"b.z - (1 m)\"");
}

}  // namespace

ComponentType joint_expression() {
  ComponentType type("joint.expression", "A constraint between two frames by expressions that stay zero.");
  type.description =
      "`holonomic` expressions see the frames' positions a.x, a.y, a.z (world axes), their quaternions a.qw "
      "… a.qz, the "
      "same of b, and the time t; `nonholonomic` ones also velocities a.vx … (world axes) and angular "
      "velocities a.wx … "
      "(axes of the frame), on which they must depend. Each adds one equation and one multiplier, whose load "
      "is minus "
      "the expression's derivative times the multiplier. The start must satisfy them.";
  type.connects(between(Domain::frame));
  type.takes(equations("holonomic", false, "expressions of positions and time that stay zero").optional());
  type.takes(equations("nonholonomic", false, "expressions of positions, velocities and time that stay zero")
                 .optional());
  type.gives({"multiplier", "", "one per expression, holonomic ones first", {}, true});
  type.width = [](const Build& b, std::string_view) {
    return std::max<int>(1, static_cast<int>(texts(b, "holonomic").size() + texts(b, "nonholonomic").size()));
  };
  type.signs = "The load on the bodies is minus the derivative of the expression times the multiplier.";
  type.shape = {"none"};
  type.example = R"yaml(
bead: {type: body.sphere, radius: 0.02 m, mass: 0.1 kg, initial: {position: [1 m, 0, 0]}}
bowl: {type: joint.expression, between: [ground, bead], holonomic: "b.z - (0.5 1/m)*(b.x^2 + b.y^2) + (0.5 m)", nonholonomic: "b.wz - (0.5 rad/m)*b.vx"}
)yaml";
  type.build = build_expression;
  return type;
}

}  // namespace escapement
