#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_ccvs() {
  ComponentType type("electric.ccvs", "A voltage controlled by a current.");
  type.description = "v_A − v_B = transresistance · input, where the input is the current of any component.";
  electric::two_terminals(type);
  type.connects(input("A", "the current that controls it, as a signal: of any component"));
  type.takes(number("transresistance", "ohm", "voltage per current"));
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.current_source, sine: {amplitude: 1 mA, frequency: 1 kHz}, between: [ground, in]}
shunt: {type: electric.resistor, resistance: 10 ohm, between: [in, ground]}
stage: {type: electric.ccvs, transresistance: 2 kohm, input: shunt.current, between: [out, ground]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto ends = electric::ends(b);
    b.add(electric::VoltageSource{ends.a, ends.b, electric::source_current(b, ends, "controlled voltage"),
                                  b.signal("input"), b.number("transresistance")});
  };
  return type;
}

}  // namespace escapement
