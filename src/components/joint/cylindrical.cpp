#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<4>>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_cylindrical(Build& b) {
  const joint::Markers m = joint::markers(b);
  const double angle = b.number("initial.angle");
  JointStart start;
  if (b.given("initial.displacement") || b.given("initial.angle"))
    start.relative = Frame<double>{joint::turn(2, angle), {{0, 0, b.number("initial.displacement")}}};
  if (b.given("initial.velocity") || b.given("initial.angular_velocity"))
    start.rate = {{{0, 0, b.number("initial.velocity")}}, {{0, 0, b.number("initial.angular_velocity")}}};
  joint::tie<4>(b, m, {{{along, 0}, {along, 1}, {parallel, 0}, {parallel, 1}}}, start);
  joint::coordinate(b, m, 0, joint::rotation(m), "angle", "angular_velocity", angle);
  joint::coordinate(b, m, 1, joint::translation(m, 2), "displacement", "velocity");
}

}  // namespace

ComponentType joint_cylindrical() {
  ComponentType type = joint::joint_type(
      "joint.cylindrical", "A sleeve: B turns about an axis fixed in A and slides along it.", true);
  type.description =
      "Four equations: point and axis of B stay on the axis of A. Its coordinates are nodes of one "
      "dimension, `joint.rotation` and `joint.translation`: whatever connects to shafts or sliders connects "
      "to them, relative to A.";
  type.offers = {{"rotation", Domain::rotational, "the angle of B relative to A"},
                 {"translation", Domain::translational, "the displacement of B relative to A"}};
  type.takes(joint::at_start(
      {number("angle", "rad", "at the start; B and what hangs on it is moved from the design position")
           .otherwise("0"),
       number("angular_velocity", "rad/s", "at the start").otherwise("0"),
       number("displacement", "m", "at the start").otherwise("0"),
       number("velocity", "m/s", "at the start").otherwise("0")}));
  type.gives({"angle", "rad", "of B relative to A, counted through whole turns"});
  type.gives({"angular_velocity", "rad/s", "its rate"});
  type.gives({"displacement", "m", "of B relative to A, along the axis"});
  type.gives({"velocity", "m/s", "its rate"});
  type.signs =
      "The coordinates are B relative to A, by the right-hand rule about the axis. Force and torque are the "
      "load of A on B, in the joint's axes on A (z is the axis).";
  type.shape = {"cylinder"};
  type.example = R"yaml(
sleeve: {type: body.tube, inner_radius: 0.02 m, outer_radius: 0.04 m, length: 0.1 m, density: 7850 kg/m^3}
rod: {type: joint.cylindrical, between: [ground, sleeve], axis: [1, 0, 0], initial: {displacement: 0.1 m, angular_velocity: 3 rad/s}}
spring: {type: translational.spring, stiffness: 300 N/m, between: [ground, rod.translation]}
drag: {type: rotational.damper, damping: 0.01 N*m*s/rad, between: [ground, rod.rotation]}
)yaml";
  type.build = build_cylindrical;
  return type;
}

}  // namespace escapement
