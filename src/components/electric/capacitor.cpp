#include "components/electric/build.hpp"

namespace escapement {
namespace {

void build_capacitor(Build& b) {
  const auto [a, c] = electric::ends(b);
  const double capacitance = b.number("capacitance");
  b.channel("charge", b.add(electric::Capacitor{a, c, capacitance}), 0);
  const bool held = b.has("initial.voltage");
  b.branch(held ? Branch::Kind::held_capacitor : Branch::Kind::capacitor, a, c);
  if (held) b.start_condition("initial.voltage", a, c, b.number("initial.voltage"));
  if (!b.flag("measure_current")) return;
  const auto current = b.system.state<1>(b.name("current"), electric::current_unknown("rate of charge"));
  b.add(electric::ChargingCurrent{a, c, current, capacitance});
  b.channel("current", current);
}

}  // namespace

ComponentType electric_capacitor() {
  ComponentType type("electric.capacitor", "A capacitor between two nodes.");
  type.description =
      "charge = capacitance · voltage; it is the charge that is integrated, so none is lost. Without an "
      "initial voltage it starts where no current flows through it (the operating point). Its current is no "
      "unknown of the circuit; with `measure_current` it becomes one, to be recorded or used as a signal.";
  type.connects(between(Domain::electrical));
  type.takes(number("capacitance", "F", "capacitance").positive());
  type.takes(boolean("measure_current", "adds the output `current`").otherwise("false"));
  type.takes(
      group("initial",
            {number("voltage", "V", "voltage at the start; where no current flows if absent").optional()},
            "how it starts"));
  type.gives({"voltage", "V", "voltage A − B"});
  type.gives({"charge", "C", "charge on A, the opposite one is on B", {}, false, false});
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> more;
    if (b.flag("measure_current"))
      more.push_back({"current", "A", "current from A through the component to B"});
    return more;
  };
  type.signs = "The voltage is A − B; the current is positive from A through the component to B.";
  type.nodes = "electrical: [supply, out]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 5 V, between: [supply, ground]}
charge: {type: electric.resistor, resistance: 1 kohm, between: [supply, out]}
store: {type: electric.capacitor, capacitance: 100 uF, measure_current: true, initial: {voltage: 0 V}, between: [out, ground]}
)yaml";
  type.build = build_capacitor;
  return type;
}

}  // namespace escapement
