#include "components/joint/build.hpp"

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_spider(Build& b) {
  if (const Node* given = b.node("feet"); given && !given->is_mapping()) b.frame("feet");  // refuses it
  const auto& feet = b.entries("feet");
  if (feet.empty())
    b.refuse("E-MISSING", "", "it has no feet", "feet: {left: beam.end, right: plate.corner}");
  const AttachedFrame hub = b.frame("hub");
  const std::array<Equation, 6> equations{
      {{coincide, 0}, {coincide, 1}, {coincide, 2}, {aligned, 0}, {aligned, 1}, {aligned, 2}}};
  std::vector<std::string> rows, units;
  std::vector<Extent> extents;
  for (const Equation& e : equations) {
    rows.push_back(joint::described(e));
    units.push_back(joint::turns(e.kind) ? "rad" : "m");
    extents.push_back(joint::turns(e.kind) ? Extent::angle : Extent::length);
  }
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const AttachedFrame foot = b.frame("feet", static_cast<int>(i));
    const std::string& name = feet[i].key;
    if (foot.node.variable == hub.node.variable)
      b.refuse_at(feet[i].value, "E-TOPOLOGY", "feet." + name, "is part of the hub already", "another frame");
    // The markers meet at the foot, in the axes of the hub.
    const Frame<double> marker{hub.design.R, foot.design.x};
    const Frame<double> on_hub = hub.on_node * (hub.design.inverse() * marker),
                        on_foot = foot.on_node * (foot.design.inverse() * marker);
    const auto load = b.system.multiplier<6>(
        b.name((name + ".reaction").c_str()),
        {.unit = "N", .row_unit = "m", .parts = rows, .part_units = units, .part_extents = extents});
    const ElementId id = b.add(joint::Joint<6>{hub.node, foot.node, load, on_hub, on_foot, equations});
    for (int k = 0; k < 3; ++k) {
      b.channel(name + ".force", id, k, k);
      b.channel(name + ".torque", id, 3 + k, k);
    }
    b.draw("rod", {}, {{hub.node.variable, hub.on_node}, {foot.node.variable, on_foot}});
    b.joint({b.path(), hub.node, foot.node, on_hub, on_foot});
  }
}

}  // namespace

ComponentType joint_spider() {
  ComponentType type("joint.spider", "Frames fastened to a hub by rigid legs.");
  type.description =
      "Each foot stays where it is relative to the hub in the design position: six equations per foot. With "
      "one foot it is a "
      "rigid offset.";
  type.connects(node_port("hub", Domain::frame, "what the legs are fastened to"));
  type.connects(node_port("feet", Domain::frame, "frames at the ends of the legs, by name").named());
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> list;
    for (const Node::Entry& e : b.entries("feet")) {
      list.push_back({e.key + ".force", "N", "load of the hub on this foot, axes of the hub", "xyz"});
      list.push_back({e.key + ".torque", "N*m", "at the foot", "xyz"});
    }
    return list;
  };
  type.signs =
      "Force and torque are the load of the hub on the foot, at the foot, in the axes of the hub: a foot "
      "that the hub holds up "
      "has a positive force.z.";
  type.shape = {"rod"};
  type.example = R"yaml(
left: {type: beam.line, from: [0, 0.2 m, 0], to: [1 m, 0.2 m, 0], elements: 4, rectangle: {width: 2 cm, height: 1 cm}, material: steel}
right: {type: beam.line, from: [0, -0.2 m, 0], to: [1 m, -0.2 m, 0], elements: 4, rectangle: {width: 2 cm, height: 1 cm}, material: steel}
roots: {type: joint.spider, hub: ground, feet: {left: left.start, right: right.start}}
plate: {type: body.box, size: [0.1 m, 0.5 m, 0.1 m], density: 2700 kg/m^3, initial: {position: [1.1 m, 0, 0]}}
clamp: {type: joint.spider, hub: plate, feet: {left: left.end, right: right.end}}
)yaml";
  type.build = build_spider;
  return type;
}

}  // namespace escapement
