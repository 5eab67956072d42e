#include "components/joint/build.hpp"

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_prismatic(Build& b) {
  const joint::Markers m = joint::markers(b);
  JointStart start;
  if (b.given("initial.displacement"))
    start.relative = Frame<double>{{}, {{0, 0, b.number("initial.displacement")}}};
  if (b.given("initial.velocity")) start.rate = {{{0, 0, b.number("initial.velocity")}}, {}};
  joint::tie<5>(b, m, {{{along, 0}, {along, 1}, {aligned, 0}, {aligned, 1}, {aligned, 2}}}, start);
  joint::coordinate(b, m, 0, joint::translation(m, 2), "displacement", "velocity");
}

}  // namespace

ComponentType joint_prismatic() {
  ComponentType type = joint::joint_type(
      "joint.prismatic", "A slide: B moves along an axis fixed in A and does not turn.", true);
  type.description =
      "Five equations: the point of B stays on the axis of A, and the axes of the markers stay parallel. Its "
      "coordinate is a node of one dimension: whatever connects to shafts or sliders connects to it by the "
      "joint's name, relative to A: springs, dampers, end stops, friction, motors, prescribed motions.";
  type.offers = {{"translation", Domain::translational, "the displacement of B relative to A"}};
  type.takes(joint::at_start(
      {number("displacement", "m", "at the start; B and what hangs on it is moved from the design position")
           .otherwise("0"),
       number("velocity", "m/s", "at the start").otherwise("0")}));
  type.gives({"displacement", "m", "of B relative to A, along the axis"});
  type.gives({"velocity", "m/s", "its rate"});
  type.signs =
      "The coordinate is B relative to A, along the axis. Force and torque are the load of A on B, in the "
      "joint's axes on A (z is the axis).";
  type.shape = {"box"};
  type.example = R"yaml(
carriage: {type: body.box, size: [0.2 m, 0.2 m, 0.1 m], density: 2700 kg/m^3}
rail: {type: joint.prismatic, between: [ground, carriage], axis: [1, 0, 0], initial: {displacement: 0.3 m}}
spring: {type: translational.spring, stiffness: 400 N/m, between: [ground, rail]}
damper: {type: translational.damper, damping: 5 N*s/m, between: [ground, rail]}
)yaml";
  type.build = build_prismatic;
  return type;
}

}  // namespace escapement
