#include "components/translational/end_stop.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_end_stop() {
  ComponentType type("rotational.end_stop",
                     "Elastic end stops of a shaft: free within limits, a damped contact beyond.");
  type.description =
      "No torque while lower < B − A < upper. Beyond a limit, with penetration s > 0,\n\n"
      "    torque = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the torque begins at zero and never pulls (as Modelica's ElastoGap). Steps end where the "
      "contact begins and ends.\n\n"
      "With `restitution` instead of a stiffness the stop is rigid: velocities jump at an impact, by an "
      "impulse that acts "
      "through all constraints, and the rebound has `restitution` times the speed. Bounces that become "
      "slower "
      "than `rest_velocity` end in contact, which holds exactly until the torque would pull.";
  type.connects(between(Domain::rotational));
  type.takes(number("lower", "rad", "smallest free B − A; no limit if absent").optional());
  type.takes(number("upper", "rad", "largest free B − A; no limit if absent").optional());
  type.takes(
      number("stiffness", "N*m/rad", "of an elastic contact").positive().one_of("the kind of contact"));
  type.takes(number("damping", "N*m*s/rad", "of the contact").at_least(0).otherwise("0 N*m*s/rad"));
  type.takes(number("restitution", "1", "of a rigid contact: speed after an impact over the speed before")
                 .at_least(0)
                 .at_most(1)
                 .one_of("the kind of contact"));
  type.takes(number("rest_velocity", "rad/s", "of a rigid contact: a slower rebound stays in contact")
                 .at_least(0)
                 .otherwise("1e-3 rad/s"));
  type.gives({"torque", "N*m", "torque, positive at the upper limit"});
  type.gives({"penetration", "rad", "how far B − A is beyond a limit; 0 while free"});
  type.signs =
      "At the upper limit the torque is positive: it turns B back and A forwards. At the lower limit it is "
      "negative.";
  type.shape = {"box"};
  type.example = R"yaml(
door: {type: rotational.inertia, inertia: 2 kg*m^2, initial: {velocity: 3 rad/s}}
stops: {type: rotational.end_stop, lower: -10 deg, upper: 30 deg, stiffness: 400 N*m/rad, damping: 5 N*m*s/rad, between: [ground, door]}
lid: {type: rotational.inertia, inertia: 1 kg*m^2, initial: {velocity: -1 rad/s}}
frame: {type: rotational.end_stop, lower: -5 deg, restitution: 0.5, between: [ground, lid]}
)yaml";
  type.build = [](Build& b) { translational::build_end_stop(b, "torque"); };
  return type;
}

}  // namespace escapement
