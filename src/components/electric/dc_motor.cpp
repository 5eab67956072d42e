#include "components/electric/build.hpp"
#include "components/electric/machine.hpp"
#include "components/electric/machine_build.hpp"
#include "components/translational/damper.hpp"
#include "components/translational/mass.hpp"

template struct escapement::Adaptor<escapement::electric::Machine>;

namespace escapement {

void electric::add_machine_keys(ComponentType& type) {
  two_terminals(type);
  type.takes(number("resistance", "ohm", "of the winding").at_least(0));
  type.takes(number("inductance", "H", "of the winding").at_least(0));
  type.takes(
      group("initial",
            {number("current", "A", "current at the start; where it does not change if absent").optional()},
            "how it starts"));
}

void electric::build_machine(Build& b, const char* shaft, const char* constant, const char* inertia,
                             const char* effort) {
  const auto [a, c] = ends(b);
  const auto rotor = b.node<Position<1>>(shaft);
  const auto housing = b.connected("housing") ? b.node<Position<1>>("housing") : Position<1>{};
  if (rotor.variable == housing.variable)
    b.refuse("E-TOPOLOGY", shaft,
             rotor.is_ground() ? "is ground: nothing would move" : "is also the housing: nothing would move");
  const double R = b.number("resistance"), L = b.number("inductance");
  if (R == 0 && L == 0)
    b.refuse("E-RANGE", "resistance", "resistance and inductance are both zero", "give at least one of them");
  const auto current = b.system.state<1>(b.name("current"), current_unknown("flux linkage"));
  const ElementId id = b.add(Machine{a, c, current, rotor, housing, R, L, b.number(constant)});
  b.channel("current", current);
  b.channel(effort, id, 0);
  b.channel("back_emf", id, 1);
  if (b.number(inertia) > 0) b.add(translational::Mass{rotor, b.number(inertia)});
  if (b.number("damping") > 0) b.add(translational::Damper{housing, rotor, b.number("damping")});
  const bool held = b.has("initial.current");
  if (held) b.start_condition("initial.current", current, Handle{}, b.number("initial.current"));
  b.branch(held    ? Branch::Kind::held_inductor
           : R > 0 ? Branch::Kind::conductor
                   : Branch::Kind::inductor,
           a, c);
}

ComponentType electric_dc_motor() {
  ComponentType type("electric.dc_motor",
                     "A motor with brushes and permanent magnets, between two electrical nodes and a shaft.");
  type.description =
      "d/dt (inductance · i) = v − resistance · i − torque_constant · ω, torque = torque_constant · i, with "
      "ω the speed of the "
      "shaft relative to the housing. What the winding takes in beyond heat and field, torque_constant · ω · "
      "i, is what the "
      "shaft gets: the torque constant in N·m/A is also the voltage constant in V·s/rad. The shaft may be a "
      "rotational.inertia, a declared node or the coordinate of a revolute joint.";
  electric::add_machine_keys(type);
  type.connects(node_port("shaft", Domain::rotational, "the shaft it drives"));
  type.connects(node_port("housing", Domain::rotational, "what takes the opposite torque; ground if absent")
                    .optional());
  type.takes(number("torque_constant", "N*m/A", "torque per current"));
  type.takes(
      number("inertia", "kg*m^2", "of the rotor, added to the shaft").at_least(0).otherwise("0 kg*m^2"));
  type.takes(number("damping", "N*m*s/rad", "of the bearings").at_least(0).otherwise("0 N*m*s/rad"));
  type.gives({"torque", "N*m", "torque on the shaft, from the current"});
  type.gives({"back_emf", "V", "voltage that the rotation induces"});
  type.signs = "With positive constants a current from A to B turns the shaft in the positive direction.";
  type.nodes = "electrical: [supply]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 12 V, between: [supply, ground]}
motor: {type: electric.dc_motor, resistance: 0.3 ohm, inductance: 82 uH, torque_constant: 30.2 mN*m/A, inertia: 1.42e-5 kg*m^2, between: [supply, ground], shaft: wheel}
wheel: {type: rotational.inertia, inertia: 1e-3 kg*m^2}
)yaml";
  type.build = [](Build& b) { electric::build_machine(b, "shaft", "torque_constant", "inertia", "torque"); };
  return type;
}

}  // namespace escapement
