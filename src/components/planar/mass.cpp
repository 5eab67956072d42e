#include "components/planar/mass.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::planar::Mass>;

namespace escapement {

ComponentType planar_mass() {
  ComponentType type("planar.mass", "A point mass in the plane, with its weight.");
  type.description = "mass · d/dt velocity = mass · gravity + sum of the forces that act on it.";
  type.owns(Domain::planar);
  type.takes(number("mass", "kg", "mass").positive());
  type.takes(vector("gravity", "m/s^2", 2, "acceleration of gravity in the plane, such as [0, -9.81 m/s^2]")
                 .otherwise("[0, 0]")
                 .as_load());
  type.signs =
      "Positions, velocities and accelerations are positive along x and y; gravity points where the mass "
      "falls.";
  type.shape = {"sphere"};
  type.example = R"yaml(
ball: {type: planar.mass, mass: 2 kg, gravity: [0, -9.81 m/s^2], initial: {position: [1 m, 0], velocity: [0, 0.5 m/s]}}
rubber: {type: planar.spring, stiffness: 100 N/m, rest_length: 0.8 m, between: [ground, ball]}
)yaml";
  type.build = [](Build& b) {
    const auto at = b.own_node<Position<2>>();
    const std::vector<double>& gravity = b.vector("gravity");
    b.add(planar::Mass{at, b.number("mass"), {{gravity[0], gravity[1]}}});
    b.start(at, b.vector("initial.position"));
    b.start_rate(at, b.vector("initial.velocity"));
    b.keep_if_fixed("position", at, 0, 2, false);
    b.keep_if_fixed("velocity", at, 0, 2, true);
  };
  return type;
}

}  // namespace escapement
