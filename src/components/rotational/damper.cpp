#include "components/translational/damper.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_damper() {
  ComponentType type("rotational.damper",
                     "A damper between two shafts: viscous, or by an expression of the velocity.");
  type.description = "torque = damping · velocity, with velocity = d/dt (B − A).";
  type.connects(between(Domain::rotational));
  type.takes(number("damping", "N*m*s/rad", "torque per angular velocity")
                 .at_least(0)
                 .one_of("the law of the damper"));
  type.takes(expression("law", "N*m", {{"velocity", "rad/s"}}, "torque as an expression of `velocity`")
                 .one_of("the law of the damper"));
  type.gives({"torque", "N*m", "torque, positive while B turns ahead of A"});
  type.gives({"velocity", "rad/s", "angular velocity of B relative to A"});
  type.signs =
      "Velocity is B relative to A. A positive torque turns A in the positive direction and B in the "
      "negative one.";
  type.shape = {"damper"};
  type.example = R"yaml(
rotor: {type: rotational.inertia, inertia: 0.5 kg*m^2, initial: {velocity: 20 rad/s}}
bearing: {type: rotational.damper, damping: 0.2 N*m*s/rad, between: [ground, rotor]}
fan: {type: rotational.damper, law: "(0.01 N*m*s^2/rad^2)*velocity*abs(velocity)", between: [ground, rotor]}
)yaml";
  type.build = [](Build& b) { translational::build_damper(b, "torque"); };
  return type;
}

}  // namespace escapement
