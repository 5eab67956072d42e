#include "components/translational/end_stop.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_end_stop() {
  ComponentType type("rotational.end_stop",
                     "Elastic end stops of a shaft: free within limits, a damped contact beyond.");
  type.description =
      "No torque while lower < B − A < upper. Beyond a limit, with penetration s > 0,\n\n"
      "    torque = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the torque begins at zero and never pulls (as Modelica's ElastoGap).";
  type.connects(between(Domain::rotational));
  type.takes(number("lower", "rad", "smallest free B − A; no limit if absent").optional());
  type.takes(number("upper", "rad", "largest free B − A; no limit if absent").optional());
  type.takes(number("stiffness", "N*m/rad", "of the contact").positive());
  type.takes(number("damping", "N*m*s/rad", "of the contact").at_least(0).otherwise("0 N*m*s/rad"));
  type.gives({"torque", "N*m", "torque, positive at the upper limit"});
  type.gives({"penetration", "rad", "how far B − A is beyond a limit; 0 while free"});
  type.signs =
      "At the upper limit the torque is positive: it turns B back and A forwards. At the lower limit it is "
      "negative.";
  type.shape = {"box"};
  type.example = R"yaml(
door: {type: rotational.inertia, inertia: 2 kg*m^2, initial: {velocity: 3 rad/s}}
stops: {type: rotational.end_stop, lower: -10 deg, upper: 30 deg, stiffness: 400 N*m/rad, damping: 5 N*m*s/rad, between: [ground, door]}
)yaml";
  type.build = [](Build& b) { translational::build_end_stop(b, "torque"); };
  return type;
}

}  // namespace escapement
