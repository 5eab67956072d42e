#include "components/translational/force.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType rotational_torque() {
  ComponentType type("rotational.torque", "A torque on a shaft, from a signal or constant.");
  type.description =
      "With `reaction` the opposite torque acts there (a motor between its housing and its shaft).";
  type.connects(at(Domain::rotational));
  type.connects(input("N*m", "the torque as a signal").one_of("the torque"));
  type.takes(number("value", "N*m", "a constant torque").one_of("the torque").as_load());
  type.connects(
      node_port("reaction", Domain::rotational, "the shaft that takes the opposite torque; ground if absent")
          .optional());
  type.gives({"torque", "N*m", "the torque"});
  type.signs = "A positive torque turns `at` in the positive direction and `reaction` in the negative one.";
  type.shape = {"arrow"};
  type.example = R"yaml(
rotor: {type: rotational.inertia, inertia: 0.1 kg*m^2}
housing: {type: rotational.inertia, inertia: 0.8 kg*m^2}
mount: {type: rotational.spring, stiffness: 40 N*m/rad, between: [ground, housing]}
current: {type: control.sine, amplitude: 2, frequency: 0.5 Hz, unit: N*m}
motor: {type: rotational.torque, at: rotor, reaction: housing, input: current}
load: {type: rotational.torque, at: rotor, value: -0.5 N*m}
)yaml";
  type.build = [](Build& b) { translational::build_force(b, "torque", "N*m"); };
  return type;
}

}  // namespace escapement
