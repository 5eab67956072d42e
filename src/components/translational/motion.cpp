#include "components/translational/motion.hpp"

#include <numbers>

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::MotionByLaw>;
template struct escapement::Adaptor<escapement::translational::ReferenceFilter>;
template struct escapement::Adaptor<escapement::translational::MotionByReference>;

namespace escapement {

void translational::build_motion(Build& b, Extent extent) {
  const bool turns = extent == Extent::angle;
  const char *position = turns ? "angle" : "position", *force = turns ? "torque" : "force";
  const char *position_unit = turns ? "rad" : "m", *force_unit = turns ? "N*m" : "N";
  const auto at = b.node<Position<1>>("at");
  if (at.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name what is moved");
  const auto reaction = b.system.multiplier<1>(
      b.name(force), {.unit = force_unit, .row_unit = position_unit, .row_extent = extent});
  b.channel(force, reaction, -1);
  const std::string start = std::string("initial.") + position;
  if (b.has(position)) {
    for (const std::string& key :
         {std::string("bandwidth"), std::string("damping"), start, std::string("initial.velocity")})
      if (b.given(key)) b.refuse("E-VALUE", key, "belongs to the filter of `input`", "remove it");
    b.add(MotionByLaw{at, reaction, b.expression(position)});
    return;
  }
  const auto reference = b.system.position<1>(b.name("reference"), {.unit = position_unit, .extent = extent});
  b.add(ReferenceFilter{reference, b.signal("input"), 2 * std::numbers::pi * b.number("bandwidth"),
                        b.number("damping")});
  b.add(MotionByReference{at, reference, reaction});
  b.start(reference, {b.number(start)});
  b.start_rate(reference, {b.number("initial.velocity")});
}

ComponentType translational_motion() {
  ComponentType type("translational.motion",
                     "Moves a slider as prescribed, by an expression of time or by a signal.");
  type.description =
      "With `position` the slider is where the expression of `t` says; it must be smooth (twice "
      "differentiable), and the slider's position and velocity at the start must agree with it. With `input` "
      "the slider follows a reference r that follows the signal u through a filter of second order,\n\n"
      "    d²r/dt² = ω² (u − r) − 2 · damping · ω · dr/dt,   ω = 2π · bandwidth\n\n"
      "because only positions and functions of time have well-defined constraint forces. `initial` is where "
      "r starts: it must equal the slider's own `initial`.";
  type.connects(at(Domain::translational));
  type.takes(expression("position", "m", {{"t", "s"}}, "position as an expression of the time `t`")
                 .one_of("the motion"));
  type.connects(input("m", "the position as a signal").one_of("the motion"));
  type.takes(number("bandwidth", "Hz", "of the reference filter").positive().otherwise("100 Hz"));
  type.takes(number("damping", "1", "damping ratio of the reference filter").positive().otherwise("1"));
  type.takes(group("initial",
                   {number("position", "m", "reference at the start, that of the slider").otherwise("0"),
                    number("velocity", "m/s", "its velocity at the start").otherwise("0")},
                   "values at the start of the filter of `input`"));
  type.gives({"force", "N", "force of the drive on the slider"});
  type.signs = "A positive force of the drive pushes the slider in the positive direction.";
  type.shape = {"arrow"};
  type.example = R"yaml(
cam: {type: translational.mass, mass: 1 kg, initial: {position: 0.1 m}}
lift: {type: translational.motion, at: cam, position: "(0.1 m)*cos((4 rad/s)*t)"}
target: {type: control.sine, amplitude: 0.2, frequency: 0.5 Hz, unit: m}
table: {type: translational.mass, mass: 3 kg}
servo: {type: translational.motion, at: table, input: target, bandwidth: 5 Hz}
coupling: {type: translational.spring, stiffness: 100 N/m, between: [cam, table]}
)yaml";
  type.build = [](Build& b) { translational::build_motion(b, Extent::length); };
  return type;
}

}  // namespace escapement
