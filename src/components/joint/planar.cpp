#include "components/joint/build.hpp"

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_planar(Build& b) {
  const joint::Markers m = joint::markers(b);
  const double angle = b.number("initial.angle");
  JointStart start;
  if (b.given("initial.x") || b.given("initial.y") || b.given("initial.angle"))
    start.relative =
        Frame<double>{joint::turn(2, angle), {{b.number("initial.x"), b.number("initial.y"), 0}}};
  if (b.given("initial.x_velocity") || b.given("initial.y_velocity") || b.given("initial.angular_velocity"))
    start.rate = {{{b.number("initial.x_velocity"), b.number("initial.y_velocity"), 0}},
                  {{0, 0, b.number("initial.angular_velocity")}}};
  joint::tie<3>(b, m, {{{along, 2}, {parallel, 0}, {parallel, 1}}}, start);
  joint::coordinate(b, m, 0, joint::translation(m, 0), "x", "x_velocity");
  joint::coordinate(b, m, 1, joint::translation(m, 1), "y", "y_velocity");
  joint::coordinate(b, m, 2, joint::rotation(m), "angle", "angular_velocity", angle);
}

}  // namespace

ComponentType joint_planar() {
  ComponentType type =
      joint::joint_type("joint.planar", "B moves in a plane fixed in A, and turns about its normal.", true);
  type.description =
      "Three equations: the point of B stays in the plane through the point of A whose normal is the axis, "
      "and the axes stay parallel. Its coordinates are nodes of one dimension, `joint.x`, `joint.y` and "
      "`joint.rotation`: whatever connects to sliders or shafts connects to them, relative to A. x and y are "
      "the axes of A's marker; with `at` x is as near to the world's x as the plane allows "
      "(the world's y where the normal is the world's x).";
  type.offers = {{"x", Domain::translational, "displacement of B along x"},
                 {"y", Domain::translational, "displacement of B along y"},
                 {"rotation", Domain::rotational, "the angle of B relative to A"}};
  type.takes(joint::at_start(
      {number("x", "m", "at the start; B and what hangs on it is moved from the design position")
           .otherwise("0"),
       number("y", "m", "at the start").otherwise("0"), number("angle", "rad", "at the start").otherwise("0"),
       number("x_velocity", "m/s", "at the start").otherwise("0"),
       number("y_velocity", "m/s", "at the start").otherwise("0"),
       number("angular_velocity", "rad/s", "at the start").otherwise("0")}));
  type.gives({"x", "m", "displacement of B's point along x of A's marker"});
  type.gives({"y", "m", "displacement along y"});
  type.gives({"angle", "rad", "of B relative to A, counted through whole turns"});
  type.gives({"x_velocity", "m/s", "rate of x"});
  type.gives({"y_velocity", "m/s", "rate of y"});
  type.gives({"angular_velocity", "rad/s", "rate of the angle"});
  type.signs =
      "The coordinates are B relative to A; the angle counts by the right-hand rule about the axis. Force "
      "and torque are the load of A on B, in the joint's axes on A (z is the normal).";
  type.shape = {"box"};
  type.example = R"yaml(
puck: {type: body.cylinder, radius: 0.04 m, length: 0.02 m, density: 1200 kg/m^3}
table: {type: joint.planar, between: [ground, puck], initial: {x: 0.2 m, y_velocity: 0.5 m/s, angular_velocity: 10 rad/s}}
spring: {type: translational.spring, stiffness: 3 N/m, between: [ground, table.x]}
)yaml";
  type.build = build_planar;
  return type;
}

}  // namespace escapement
