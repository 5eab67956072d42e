#include "components/translational/mass.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Mass>;

namespace escapement {

void translational::build_inertia(Build& b, const char* inertia, const char* position) {
  const auto at = b.own_node<Position<1>>();
  b.add(Mass{at, b.number(inertia)});
  b.start(at, {b.number(std::string("initial.") + position)});
  b.start_rate(at, {b.number("initial.velocity")});
  b.keep_if_fixed(position, at, 0, 1, false);
  b.keep_if_fixed("velocity", at, 0, 1, true);
}

ComponentType translational_mass() {
  ComponentType type("translational.mass", "A mass that slides along a line.");
  type.description = "m v̇ = sum of the forces that act on it.";
  type.owns(Domain::translational);
  type.takes(number("mass", "kg", "mass").positive());
  type.signs = "Position, velocity and acceleration are positive along the axis.";
  type.shape = {"box"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 2 kg, initial: {position: 0.1 m, velocity: 0.5 m/s}}
spring: {type: translational.spring, stiffness: 50 N/m, between: [ground, mass]}
)yaml";
  type.build = [](Build& b) { translational::build_inertia(b, "mass", "position"); };
  return type;
}

}  // namespace escapement
