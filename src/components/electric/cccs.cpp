#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_cccs() {
  ComponentType type("electric.cccs", "A current controlled by another current.");
  type.description =
      "gain · input flows from A through the source to B, where the input is the current of any component.";
  electric::two_terminals(type);
  type.connects(input("A", "the current that controls it, as a signal: of any component"));
  type.takes(number("gain", "1", "current per current"));
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.current_source, sine: {amplitude: 1 mA, frequency: 1 kHz}, between: [ground, in]}
shunt: {type: electric.resistor, resistance: 10 ohm, between: [in, ground]}
mirror: {type: electric.cccs, gain: 3, input: shunt.current, between: [ground, out]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const ElementId id = b.add(electric::CurrentSource{a, c, b.signal("input"), b.number("gain")});
    b.channel("current", id, 0);
    b.branch(Branch::Kind::current, a, c);
  };
  return type;
}

}  // namespace escapement
