#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_vcvs() {
  ComponentType type("electric.vcvs", "A voltage controlled by another voltage.");
  type.description = "v_A − v_B = gain · (v_C − v_D); no current flows at the controlling nodes.";
  electric::two_terminals(type);
  type.connects(electric::sensed());
  type.takes(number("gain", "1", "voltage per voltage"));
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 10 mV, frequency: 1 kHz}, between: [in, ground]}
stage: {type: electric.vcvs, gain: 50, between: [out, ground], control: [in, ground]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto ends = electric::ends(b), control = electric::ends(b, "control");
    b.add(electric::VoltageFromVoltage{ends.a, ends.b, control.a, control.b,
                                       electric::source_current(b, ends, "controlled voltage"),
                                       b.number("gain")});
    b.branch(Branch::Kind::sensing, control.a, control.b);
  };
  return type;
}

}  // namespace escapement
