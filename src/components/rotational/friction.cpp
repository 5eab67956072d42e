#include "components/translational/friction.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_friction() {
  ComponentType type("rotational.friction", "Friction between two shafts: Coulomb, Stribeck and viscous.");
  type.description =
      "With velocity w = d/dt (B − A), sliding,\n\n"
      "    torque = ± (coulomb + (static − coulomb) exp(−(w / stribeck_velocity)²)) + viscous · w\n\n"
      "against the motion. Where the velocity reaches zero the two stick: w = 0 holds exactly, the torque is "
      "whatever that takes, and they slide again once it would exceed `static`. Both are events, at which "
      "steps "
      "end.\n\n"
      "With `transition_velocity` the torque is smooth instead, with tanh(w / transition_velocity) for the "
      "sign: what "
      "sticks in truth then creeps, below that velocity. A smaller one is nearer to the jump and needs "
      "smaller steps; the peak is `static` only if stribeck_velocity is several times transition_velocity.";
  type.connects(between(Domain::rotational));
  type.takes(number("coulomb", "N*m", "friction while sliding").at_least(0));
  type.takes(number("static", "N*m", "friction at break-away, at least `coulomb`; equal to it if absent")
                 .at_least(0)
                 .optional());
  type.takes(number("stribeck_velocity", "rad/s",
                    "over which friction falls from static to coulomb; needed with `static`")
                 .positive()
                 .optional());
  type.takes(number("transition_velocity", "rad/s",
                    "of smooth friction: within which it changes sign; sticking in truth unless given")
                 .positive()
                 .optional());
  type.takes(
      number("viscous", "N*m*s/rad", "additional torque per velocity").at_least(0).otherwise("0 N*m*s/rad"));
  type.gives({"torque", "N*m", "torque, positive while B turns ahead of A"});
  type.gives({"velocity", "rad/s", "angular velocity of B relative to A"});
  type.signs =
      "Velocity is B relative to A. A positive torque turns A in the positive direction and B in the "
      "negative one.";
  type.shape = {"damper"};
  type.example = R"yaml(
rotor: {type: rotational.inertia, inertia: 0.1 kg*m^2, initial: {velocity: 1 rad/s}}
bar: {type: rotational.spring, stiffness: 4 N*m/rad, between: [ground, rotor]}
bearing: {type: rotational.friction, coulomb: 0.1 N*m, static: 0.15 N*m, stribeck_velocity: 0.1 rad/s, transition_velocity: 0.01 rad/s, between: [ground, rotor]}
)yaml";
  type.build = [](Build& b) { translational::build_friction(b, "torque"); };
  return type;
}

}  // namespace escapement
