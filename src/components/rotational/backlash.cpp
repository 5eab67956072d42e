#include "components/translational/backlash.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_backlash() {
  ComponentType type("rotational.backlash",
                     "A coupling of two shafts with play: a spring and damper outside a gap.");
  type.description =
      "With angle = B − A − rest_angle there is no torque while |angle| < gap / 2. Outside, with s = |angle| "
      "− gap / 2,\n\n"
      "    torque = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the torque begins at zero and never pulls across the gap (as Modelica's ElastoBacklash). With "
      "`gap: 0` it is a plain spring and damper.";
  type.connects(between(Domain::rotational));
  type.takes(number("gap", "rad", "total width of the play").at_least(0));
  type.takes(number("stiffness", "N*m/rad", "outside the gap").positive());
  type.takes(number("damping", "N*m*s/rad", "outside the gap").at_least(0).otherwise("0 N*m*s/rad"));
  type.takes(number("rest_angle", "rad", "angle B − A in the middle of the gap").otherwise("0 rad"));
  type.gives({"torque", "N*m", "torque, positive when B is turned ahead of A"});
  type.gives({"angle", "rad", "B − A − rest_angle"});
  type.signs =
      "The angle is B relative to A. A positive torque turns A in the positive direction and B in the "
      "negative one.";
  type.shape = {"spring"};
  type.example = R"yaml(
motor: {type: rotational.inertia, inertia: 0.1 kg*m^2, initial: {velocity: 2 rad/s}}
load: {type: rotational.inertia, inertia: 0.4 kg*m^2}
teeth: {type: rotational.backlash, gap: 20 deg, stiffness: 100 N*m/rad, damping: 0.5 N*m*s/rad, between: [motor, load]}
)yaml";
  type.build = [](Build& b) { translational::build_backlash(b, "torque", "angle", "rest_angle"); };
  return type;
}

}  // namespace escapement
