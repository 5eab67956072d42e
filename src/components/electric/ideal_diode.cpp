#include <algorithm>

#include "components/electric/build.hpp"
#include "components/electric/junction.hpp"

namespace escapement {

ComponentType electric_ideal_diode() {
  ComponentType type("electric.ideal_diode", "A diode of two straight lines, which switches by events.");
  type.description =
      "Above its knee v = knee_voltage + on_resistance · i (but for the leakage), below i = off_conductance "
      "· v. Steps "
      "of the integrator end where it begins to conduct or to block.";
  electric::two_terminals(type);
  type.takes(number("knee_voltage", "V", "voltage from which it conducts").at_least(0).otherwise("0 V"));
  type.takes(number("on_resistance", "ohm",
                    "resistance while it conducts; at least 1e-9 ohm counts, by which diodes in parallel "
                    "share their current")
                 .at_least(0)
                 .otherwise("1 mohm"));
  type.takes(number("off_conductance", "S", "conductance while it blocks").at_least(0).otherwise("1e-9 S"));
  type.signs = "A is the anode, B the cathode: the diode conducts from A to B.";
  type.nodes = "electrical: [line, out]";
  type.example = R"yaml(
mains: {type: electric.voltage_source, sine: {amplitude: 20 V, frequency: 5 Hz}, between: [line, ground]}
diode: {type: electric.ideal_diode, knee_voltage: 0.7 V, between: [line, out]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const auto s = b.system.state<1>(b.name("curve"), electric::junction_unknown());
    const auto current = b.system.state<1>(b.name("current"), electric::current_unknown("characteristic"));
    // Diodes without any resistance would conduct together only at an instant, with no current that follows from anything.
    constexpr double least = 1e-9;  // ohm
    b.add(electric::IdealDiode{a, c, s, current, b.number("knee_voltage"),
                               std::max(least, b.number("on_resistance")), b.number("off_conductance")});
    b.channel("current", current);
    b.branch(Branch::Kind::conductor, a, c);
  };
  return type;
}

}  // namespace escapement
