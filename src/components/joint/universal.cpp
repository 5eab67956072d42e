#include "components/joint/build.hpp"

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_universal(Build& b) {
  const joint::Markers m = joint::markers(b);
  const double first = b.number("initial.angle_a"), second = b.number("initial.angle_b");
  JointStart start;
  if (b.given("initial.angle_a") || b.given("initial.angle_b"))
    start.relative = Frame<double>{joint::turn(0, first) * joint::turn(1, second), {}};
  if (b.given("initial.velocity_a") || b.given("initial.velocity_b")) {
    const Vector3 spin = joint::turn(0, first) * Vector3{{0, b.number("initial.velocity_b"), 0}};
    start.rate = {{}, Vector3{{b.number("initial.velocity_a"), 0, 0}} + spin};
  }
  joint::tie<4>(b, m, {{{coincide, 0}, {coincide, 1}, {coincide, 2}, {perpendicular, 0, 1}}}, start);
  const Matrix3 A = matrix(m.on_a.R), B = matrix(m.on_b.R);
  using joint::Measure;
  joint::coordinate(b, m, 0, {Measure::Kind::rotation, false, column(A, 1), column(A, 2), column(B, 1)},
                    "angle_a", "velocity_a", first);
  joint::coordinate(b, m, 1, {Measure::Kind::rotation, true, column(B, 0), -column(B, 2), column(A, 0)},
                    "angle_b", "velocity_b", second);
}

}  // namespace

ComponentType joint_universal() {
  ComponentType type = joint::joint_type(
      "joint.universal", "A Cardan joint: a cross whose one pin turns in A, the other in B.", true);
  type.description =
      "Four equations: the points stay together, and the pin in A (x of its marker) stays at a right angle "
      "to the pin in B (y of its marker). With `at` the `axis` is z of both markers, at a right angle to "
      "both pins in the design position, and x is as near to the world's x as it can be (the world's y where "
      "the "
      "axis is the world's x); without, the axes of the two frames count. B is turned by angle_a about the "
      "pin in A, then by angle_b about the pin in "
      "B. Its coordinates are nodes of one dimension, `joint.first` and `joint.second`.";
  type.offers = {{"first", Domain::rotational, "the angle about the pin in A"},
                 {"second", Domain::rotational, "the angle about the pin in B"}};
  type.takes(joint::at_start(
      {number("angle_a", "rad", "at the start; B and what hangs on it is turned from the design position")
           .otherwise("0"),
       number("angle_b", "rad", "at the start").otherwise("0"),
       number("velocity_a", "rad/s", "at the start").otherwise("0"),
       number("velocity_b", "rad/s", "at the start").otherwise("0")}));
  type.gives({"angle_a", "rad", "about the pin in A, counted through whole turns"});
  type.gives({"angle_b", "rad", "about the pin in B, counted through whole turns"});
  type.gives({"velocity_a", "rad/s", "rate of angle_a"});
  type.gives({"velocity_b", "rad/s", "rate of angle_b"});
  type.signs =
      "The coordinates are B relative to A, by the right-hand rule. Force and torque are the load of A on B, "
      "in the joint's axes on A.";
  type.shape = {"cylinder"};
  type.example = R"yaml(
bob: {type: body.sphere, radius: 0.1 m, mass: 3 kg, initial: {position: [0, 0, -1 m]}}
gimbal: {type: joint.universal, between: [ground, bob], at: [0, 0, 0], initial: {angle_a: 30 deg, velocity_b: 1 rad/s}}
drag: {type: rotational.damper, damping: 0.1 N*m*s/rad, between: [ground, gimbal.second]}
)yaml";
  type.build = build_universal;
  return type;
}

}  // namespace escapement
