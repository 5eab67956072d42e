#include "components/electric/build.hpp"

namespace escapement {

ComponentType electric_resistor() {
  ComponentType type("electric.resistor", "A resistor between two nodes.");
  type.description = "voltage = resistance · current.";
  electric::two_terminals(type);
  type.takes(number("resistance", "ohm", "resistance").positive());
  type.nodes = "electrical: [supply, middle]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 12 V, between: [supply, ground]}
upper: {type: electric.resistor, resistance: 2 kohm, between: [supply, middle]}
lower: {type: electric.resistor, resistance: 1 kohm, between: [middle, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const ElementId id = b.add(electric::Resistor{a, c, 1 / b.number("resistance")});
    b.channel("current", id, 0);
    b.branch(Branch::Kind::conductor, a, c);
  };
  return type;
}

}  // namespace escapement
