#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<5>>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_revolute(Build& b) {
  const joint::Markers m = joint::markers(b);
  const double angle = b.number("initial.angle"), velocity = b.number("initial.velocity");
  JointStart start;
  if (b.given("initial.angle")) start.relative = Frame<double>{joint::turn(2, angle), {}};
  if (b.given("initial.velocity")) start.rate = {{}, {{0, 0, velocity}}};
  joint::tie<5>(b, m, {{{coincide, 0}, {coincide, 1}, {coincide, 2}, {parallel, 0}, {parallel, 1}}}, start);
  joint::coordinate(b, m, 0, joint::rotation(m), "angle", "velocity", angle);
}

}  // namespace

ComponentType joint_revolute() {
  ComponentType type =
      joint::joint_type("joint.revolute", "A hinge: B turns about an axis fixed in A.", true);
  type.description =
      "Five equations: the points of A and B stay together, and so do the axes. Its coordinate is a node of "
      "one dimension: whatever connects to shafts or sliders connects to it by the joint's name, relative to "
      "A: springs, dampers, end stops, friction, motors, prescribed motions.";
  type.offers = {{"rotation", Domain::rotational, "the angle of B relative to A"}};
  type.takes(joint::at_start(
      {number("angle", "rad", "at the start; B and what hangs on it is turned from the design position")
           .otherwise("0"),
       number("velocity", "rad/s", "at the start").otherwise("0")}));
  type.gives({"angle", "rad", "of B relative to A, counted through whole turns"});
  type.gives({"velocity", "rad/s", "its rate"});
  type.signs =
      "The coordinate is B relative to A, by the right-hand rule about the axis. Force and torque are the "
      "load of A on B, in the joint's axes on A (z is the axis).";
  type.shape = {"cylinder"};
  type.example = R"yaml(
arm: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 700 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
shoulder: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle: 20 deg}}
spring: {type: rotational.spring, stiffness: 60 N*m/rad, between: [ground, shoulder]}
bearing: {type: rotational.friction, coulomb: 0.5 N*m, transition_velocity: 0.01 rad/s, between: [ground, shoulder]}
stops: {type: rotational.end_stop, lower: -45 deg, upper: 45 deg, stiffness: 2000 N*m/rad, damping: 10 N*m*s/rad, between: [ground, shoulder]}
)yaml";
  type.build = build_revolute;
  return type;
}

}  // namespace escapement
