#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_vcvs() {
  ComponentType type("electric.vcvs", "A voltage controlled by another voltage.");
  type.description = "v_A − v_B = gain · (v_C − v_D); no current flows at the controlling nodes.";
  electric::two_terminals(type);
  Port control = node_port("control", Domain::electrical, "the nodes C and D whose voltage controls it");
  control.count = 2;
  type.connects(control);
  type.takes(number("gain", "1", "voltage per voltage"));
  type.signs = "The voltage is A − B; the current is positive from A through the component to B.";
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 10 mV, frequency: 1 kHz}, between: [in, ground]}
stage: {type: electric.vcvs, gain: 50, between: [out, ground], control: [in, ground]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const auto control = electric::ends(b, "control");
    const auto current =
        b.system.state<1>(b.name("current"), electric::current_unknown("controlled voltage"));
    b.add(electric::VoltageFromVoltage{a, c, control.a, control.b, current, b.number("gain")});
    b.channel("current", current);
    b.branch(Branch::Kind::voltage, a, c, true);
    b.branch(Branch::Kind::sensing, control.a, control.b);
  };
  return type;
}

}  // namespace escapement
