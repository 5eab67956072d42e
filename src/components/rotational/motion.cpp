#include "components/translational/motion.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_motion() {
  ComponentType type("rotational.motion",
                     "Turns a shaft as prescribed, by an expression of time or by a signal.");
  type.description =
      "With `angle` the shaft is where the expression of `t` says; it must be smooth (twice differentiable), "
      "and the shaft's angle and velocity at the start must agree with it. With `input` the shaft follows a "
      "reference r that follows the signal u through a filter of second order,\n\n"
      "    d²r/dt² = ω² (u − r) − 2 · damping · ω · dr/dt,   ω = 2π · bandwidth\n\n"
      "because only positions and functions of time have well-defined constraint torques. `initial` is where "
      "r starts: it must equal the shaft's own `initial`.";
  type.connects(at(Domain::rotational));
  type.takes(expression("angle", "rad", {{"t", "s"}}, "angle as an expression of the time `t`")
                 .one_of("the motion"));
  type.connects(input("rad", "the angle as a signal").one_of("the motion"));
  type.takes(number("bandwidth", "Hz", "of the reference filter").positive().otherwise("100 Hz"));
  type.takes(number("damping", "1", "damping ratio of the reference filter").positive().otherwise("1"));
  type.takes(group("initial",
                   {number("angle", "rad", "reference at the start, that of the shaft").otherwise("0"),
                    number("velocity", "rad/s", "its velocity at the start").otherwise("0")},
                   "values at the start of the filter of `input`"));
  type.gives({"torque", "N*m", "torque of the drive on the shaft"});
  type.signs = "A positive torque of the drive turns the shaft in the positive direction.";
  type.shape = {"arrow"};
  type.example = R"yaml(
crank: {type: rotational.inertia, inertia: 0.1 kg*m^2, initial: {velocity: 10 rad/s}}
drive: {type: rotational.motion, at: crank, angle: "(10 rad/s)*t + (0.2 rad)*(1 - cos((3 rad/s)*t))"}
target: {type: control.sine, amplitude: 0.5, frequency: 0.5 Hz, unit: rad}
arm: {type: rotational.inertia, inertia: 0.3 kg*m^2}
servo: {type: rotational.motion, at: arm, input: target, bandwidth: 5 Hz}
clutch: {type: rotational.damper, damping: 0.2 N*m*s/rad, between: [crank, arm]}
)yaml";
  type.build = [](Build& b) { translational::build_motion(b, Extent::angle); };
  return type;
}

}  // namespace escapement
