#include "components/electric/build.hpp"

namespace escapement {
namespace {

void build_inductor(Build& b) {
  const auto [a, c] = electric::ends(b);
  const auto current = b.system.state<1>(b.name("current"), electric::current_unknown("flux linkage"));
  const double resistance = b.number("resistance");
  const ElementId id = b.add(electric::Coil{a, c, current, b.number("inductance"), resistance});
  b.channel("current", current);
  b.channel("flux", id, 0);
  const bool held = b.has("initial.current");
  if (held) b.start_condition("initial.current", current, Handle{}, b.number("initial.current"));
  b.branch(held             ? Branch::Kind::held_inductor
           : resistance > 0 ? Branch::Kind::conductor
                            : Branch::Kind::inductor,
           a, c);
}

}  // namespace

ComponentType electric_inductor() {
  ComponentType type("electric.inductor", "A coil between two nodes.");
  type.description =
      "d/dt (inductance · current) = voltage − resistance · current; it is the flux linkage that is "
      "integrated. "
      "Without an initial current it starts where its flux does not change (the operating point).";
  electric::two_terminals(type);
  type.takes(number("inductance", "H", "inductance").positive());
  type.takes(number("resistance", "ohm", "resistance in series").at_least(0).otherwise("0 ohm"));
  type.takes(group(
      "initial",
      {number("current", "A", "current at the start; where the flux does not change if absent").optional()},
      "how it starts"));
  type.gives({"flux", "V*s", "flux linkage", {}, false, false});
  type.nodes = "electrical: [supply, out]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 5 V, between: [supply, ground]}
choke: {type: electric.inductor, inductance: 10 mH, resistance: 0.1 ohm, initial: {current: 0 A}, between: [supply, out]}
load: {type: electric.resistor, resistance: 10 ohm, between: [out, ground]}
)yaml";
  type.build = build_inductor;
  return type;
}

}  // namespace escapement
