#include "components/electric/build.hpp"
#include "components/electric/machine_build.hpp"

namespace escapement {

ComponentType electric_voice_coil() {
  ComponentType type("electric.voice_coil",
                     "A coil in the field of a magnet, between two electrical nodes and a slider.");
  type.description =
      "d/dt (inductance · i) = v − resistance · i − force_constant · u, force = force_constant · i, with u "
      "the velocity of the "
      "slider relative to the housing. The slider may be a translational.mass, a declared node or the "
      "coordinate of a prismatic "
      "joint.";
  electric::add_machine_keys(type);
  type.connects(node_port("slider", Domain::translational, "the slider it drives"));
  type.connects(node_port("housing", Domain::translational, "what takes the opposite force; ground if absent")
                    .optional());
  type.takes(number("force_constant", "N/A", "force per current"));
  type.takes(number("mass", "kg", "of the coil, added to the slider").at_least(0).otherwise("0 kg"));
  type.takes(number("damping", "N*s/m", "of its guide").at_least(0).otherwise("0 N*s/m"));
  type.gives({"force", "N", "force on the slider, from the current"});
  type.gives({"back_emf", "V", "voltage that the motion induces"});
  type.signs = "With positive constants a current from A to B pushes the slider in the positive direction.";
  type.nodes = "electrical: [supply]";
  type.example = R"yaml(
amplifier: {type: electric.voltage_source, sine: {amplitude: 5 V, frequency: 3 Hz}, between: [supply, ground]}
coil: {type: electric.voice_coil, resistance: 8 ohm, inductance: 1 mH, force_constant: 10 N/A, mass: 10 g, damping: 2 N*s/m, between: [supply, ground], slider: cone}
cone: {type: translational.mass, mass: 0.1 kg}
rim: {type: translational.spring, stiffness: 500 N/m, between: [ground, cone]}
)yaml";
  type.build = [](Build& b) { electric::build_machine(b, "slider", "force_constant", "mass", "force"); };
  return type;
}

}  // namespace escapement
