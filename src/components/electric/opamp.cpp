#include <algorithm>
#include <cmath>
#include <numbers>

#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {
namespace {

void build_opamp(Build& b) {
  const auto plus = b.node<electric::Terminal>("plus"), minus = b.node<electric::Terminal>("minus"),
             output = b.node<electric::Terminal>("output");
  if (plus.variable == minus.variable) b.refuse("E-TOPOLOGY", "minus", "is the same node as `plus`");
  if (output.is_ground()) b.refuse("E-TOPOLOGY", "output", "is ground");
  const double gain = b.number("gain");
  const double low = b.has("minimum") ? b.number("minimum") : -INFINITY;
  const double high = b.has("maximum") ? b.number("maximum") : INFINITY;
  if (!(low < high)) b.refuse("E-RANGE", "minimum", "is not below `maximum`");
  const double reach = 2 * std::max({5.0, std::isfinite(low) ? -low : 0.0, std::isfinite(high) ? high : 0.0});
  const auto x = b.system.state<1>(b.name("internal"), {.unit = "V",
                                                        .nominal = reach,
                                                        .equation = "gain stage",
                                                        .row_unit = "V",
                                                        .starts_steady = true,
                                                        .network = Network::branch});
  const ElementId id = b.add(
      electric::Amplifier{plus, minus, output, x, gain, gain / (2 * std::numbers::pi * b.number("bandwidth")),
                          1 / b.number("output_resistance"), 1 / b.number("input_resistance"), low, high});
  b.channel("current", id, 0);
  b.branch(Branch::Kind::conductor, output, Handle{}, true);
  b.branch(Branch::Kind::conductor, plus, minus);
}

}  // namespace

ComponentType electric_opamp() {
  ComponentType type("electric.opamp",
                     "An operational amplifier with one pole, output resistance and limits.");
  type.description =
      "T · d/dt x = gain · (v_plus − v_minus) − x with T = gain / (2π · bandwidth); the output is x behind "
      "the "
      "output "
      "resistance, against ground. Beyond `minimum` and `maximum` x is driven back with a thousand times the "
      "gain, so it stays within a thousandth of |v_plus − v_minus| of the limit and comes back at once.";
  type.connects(node_port("plus", Domain::electrical, "non-inverting input"));
  type.connects(node_port("minus", Domain::electrical, "inverting input"));
  type.connects(node_port("output", Domain::electrical, "output"));
  type.takes(number("gain", "1", "gain for direct current").positive().otherwise("1e5"));
  type.takes(number("bandwidth", "Hz", "gain-bandwidth product").positive().otherwise("1 MHz"));
  type.takes(number("output_resistance", "ohm", "of the output").positive().otherwise("100 ohm"));
  type.takes(number("input_resistance", "ohm", "between the inputs").positive().otherwise("1e12 ohm"));
  type.takes(number("minimum", "V", "lower limit of the output; none if absent").optional());
  type.takes(number("maximum", "V", "upper limit of the output; none if absent").optional());
  type.gives({"current", "A", "current out of the output"});
  type.signs =
      "The output rises while v_plus is above v_minus; the current is positive out of the amplifier.";
  type.nodes = "electrical: [in, minus, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 2 V, frequency: 50 Hz}, between: [in, ground]}
r1: {type: electric.resistor, resistance: 1 kohm, between: [in, minus]}
r2: {type: electric.resistor, resistance: 10 kohm, between: [minus, out]}
amplifier: {type: electric.opamp, plus: ground, minus: minus, output: out, minimum: -12 V, maximum: 12 V}
)yaml";
  type.build = build_opamp;
  return type;
}

}  // namespace escapement
