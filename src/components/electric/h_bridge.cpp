#include <cmath>

#include "components/control/pwm.hpp"
#include "components/electric/build.hpp"
#include "components/electric/machine.hpp"

namespace escapement {
namespace {

void build_h_bridge(Build& b) {
  using namespace electric;
  const auto [a, c] = ends(b);
  const auto supply = ends(b, "supply");
  Signal<1> ratio = b.signal("input");
  if (b.has("frequency")) {
    const double period = 1 / b.number("frequency");
    const auto pulses = b.system.signal<1>(b.name("pulses"));
    const ElementId id =
        b.add(control::PulseWidth{ratio, pulses, period, -1, 1, b.text("modulation") == "unipolar"});
    b.at_times({0.0, id, 0, 1.0, period, INFINITY, 1.0});
    ratio = pulses;
  } else if (b.given("modulation")) {
    b.refuse("E-CHOICE", "modulation", "belongs to a switching bridge", "give a `frequency`, or remove it");
  }
  const auto current = b.system.state<1>(b.name("current"), current_unknown("ratio of voltages"));
  const ElementId id = b.add(Bridge{supply.a, supply.b, a, c, current, ratio, 2 * b.number("on_resistance")});
  b.channel("current", current);
  b.channel("supply_current", id, 0);
  b.branch(Branch::Kind::voltage, a, c, true);
  b.branch(Branch::Kind::conductor, supply.a, supply.b);
}

}  // namespace

ComponentType electric_h_bridge() {
  ComponentType type("electric.h_bridge",
                     "Four switches that put a supply on a load, either way round: averaged, or switching.");
  type.description =
      "v_A − v_B = m · v_supply + 2 · on_resistance · i, and the supply delivers −m · i, so that power is "
      "conserved. Averaged, m is "
      "the input, −1 … 1. With `frequency` it switches: m is +1 and −1 in turn (bipolar), or the sign of the "
      "input and 0 (unipolar), "
      "with the input as its mean; steps of the integrator end at the edges. Dead time and the drops of "
      "freewheeling diodes are not "
      "in it: build it of electric.switch and electric.diode where they matter.";
  electric::two_terminals(type);
  Port supply = node_port("supply", Domain::electrical, "the nodes of the supply [plus, minus]");
  supply.count = 2;
  type.connects(supply);
  type.connects(input("any", "the mean of m, −1 … 1"));
  type.takes(number("on_resistance", "ohm", "of each switch; two are in the way of the current")
                 .at_least(0)
                 .otherwise("0 ohm"));
  type.takes(number("frequency", "Hz", "of the pulses; averaged if absent").positive().optional());
  type.takes(choice("modulation", {"bipolar", "unipolar"}, "of a switching bridge").otherwise("bipolar"));
  type.gives({"supply_current", "A", "current from the supply into the bridge, at its plus"});
  type.signs =
      "With a positive input A is above B. The current is positive from A through the bridge to B: negative "
      "while it drives a load.";
  type.nodes = "electrical: [supply, a, b]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 24 V, between: [supply, ground]}
wish: {type: control.sine, amplitude: 0.8, frequency: 1 Hz}
bridge: {type: electric.h_bridge, input: wish, frequency: 10 Hz, on_resistance: 10 mohm, supply: [supply, ground], between: [a, b]}
load: {type: electric.resistor, resistance: 10 ohm, between: [a, b]}
reference: {type: electric.resistor, resistance: 1 Mohm, between: [b, ground]}
)yaml";
  type.build = build_h_bridge;
  return type;
}

}  // namespace escapement
