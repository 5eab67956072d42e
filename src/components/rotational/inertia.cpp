#include "components/translational/mass.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType rotational_inertia() {
  ComponentType type("rotational.inertia", "A shaft or flywheel that turns about a fixed axis.");
  type.description = "inertia · d/dt velocity = sum of the torques that act on it.";
  type.owns(Domain::rotational);
  type.takes(number("inertia", "kg*m^2", "moment of inertia about the axis").positive());
  type.signs =
      "Angle, velocity and acceleration are positive about the axis; the angle counts through whole turns.";
  type.shape = {"cylinder"};
  type.example = R"yaml(
rotor: {type: rotational.inertia, inertia: 0.02 kg*m^2, initial: {angle: 30 deg, velocity: 2 rad/s}}
bar: {type: rotational.spring, stiffness: 3 N*m/rad, between: [ground, rotor]}
)yaml";
  type.build = [](Build& b) { translational::build_inertia(b, "inertia", "angle"); };
  return type;
}

}  // namespace escapement
