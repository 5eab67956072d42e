#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<2>>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_point_on_line(Build& b) {
  const joint::Markers m = joint::markers(b);
  joint::tie<2>(b, m, {{{along, 0}, {along, 1}}});
  joint::coordinate(b, m, 0, joint::translation(m, 2), "displacement", "velocity");
}

}  // namespace

ComponentType joint_point_on_line() {
  ComponentType type =
      joint::joint_type("joint.point_on_line", "A point of B stays on a line fixed in A.", true);
  type.description =
      "Two equations. The line goes through the point of A along the axis. Its coordinate is a node of one "
      "dimension: whatever connects to shafts or sliders connects to it by the joint's name, relative to A: "
      "springs, dampers, end stops, friction, motors, prescribed motions.";
  type.offers = {{"translation", Domain::translational, "the displacement of B's point along the line"}};
  type.gives({"displacement", "m", "of B's point along the line, from A's point"});
  type.gives({"velocity", "m/s", "its rate"});
  type.signs =
      "The coordinate is B relative to A, along the axis. Force and torque are the load of A on B, in the "
      "joint's axes on A (z is the line); the torque is zero.";
  type.shape = {"rod"};
  type.example = R"yaml(
bead: {type: body.sphere, radius: 0.02 m, mass: 0.1 kg}
wire: {type: joint.point_on_line, between: [ground, bead], axis: [1, 0, -1]}
drag: {type: translational.damper, damping: 0.2 N*s/m, between: [ground, wire]}
)yaml";
  type.build = build_point_on_line;
  return type;
}

}  // namespace escapement
