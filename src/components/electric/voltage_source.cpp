#include "components/electric/sources.hpp"

#include "components/electric/build.hpp"

template struct escapement::Adaptor<escapement::electric::VoltageSource>;
template struct escapement::Adaptor<escapement::electric::CurrentSource>;

namespace escapement {

ComponentType electric_voltage_source() {
  ComponentType type("electric.voltage_source",
                     "A voltage that is constant, a waveform, an expression of time, or a signal.");
  type.description = "v_A − v_B = the given voltage, whatever current that takes.";
  electric::two_terminals(type);
  electric::add_waveform_keys(type, "V", "the voltage");
  type.signs =
      "A is the positive pole: v_A − v_B is the given voltage. The current is positive from A through the "
      "source to B, so it is "
      "negative while the source delivers power.";
  type.nodes = "electrical: [line, gate]";
  type.example = R"yaml(
mains: {type: electric.voltage_source, sine: {amplitude: 20 V, frequency: 50 Hz}, between: [line, ground]}
clock: {type: electric.voltage_source, pulse: {high: 5 V, rise: 1 ms, fall: 1 ms, width: 8 ms, period: 20 ms}, between: [gate, line]}
load: {type: electric.resistor, resistance: 1 kohm, between: [gate, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto ends = electric::ends(b);
    b.add(electric::VoltageSource{ends.a, ends.b, electric::source_current(b, ends, "given voltage"),
                                  electric::waveform(b, "given", "V")});
  };
  return type;
}

}  // namespace escapement
