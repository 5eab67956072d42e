#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_ideal_opamp() {
  ComponentType type("electric.ideal_opamp",
                     "An operational amplifier without limits: it keeps its inputs equal.");
  type.description =
      "The output takes whatever voltage brings v_plus − v_minus to zero, against ground. It needs a "
      "feedback from its output "
      "to `minus`, also for direct current (or an initial voltage of the capacitor in the feedback).";
  type.connects(node_port("plus", Domain::electrical, "non-inverting input"));
  type.connects(node_port("minus", Domain::electrical, "inverting input"));
  type.connects(node_port("output", Domain::electrical, "output"));
  type.gives({"current", "A", "current out of the output"});
  type.signs = "The current is positive out of the amplifier.";
  type.nodes = "electrical: [in, minus, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 1 V, frequency: 50 Hz}, between: [in, ground]}
r1: {type: electric.resistor, resistance: 1 kohm, between: [in, minus]}
r2: {type: electric.resistor, resistance: 10 kohm, between: [minus, out]}
amplifier: {type: electric.ideal_opamp, plus: ground, minus: minus, output: out}
)yaml";
  type.build = [](Build& b) {
    const auto plus = b.node<electric::Terminal>("plus"), minus = b.node<electric::Terminal>("minus"),
               output = b.node<electric::Terminal>("output");
    if (plus.variable == minus.variable) b.refuse("E-TOPOLOGY", "minus", "is the same node as `plus`");
    if (output.is_ground()) b.refuse("E-TOPOLOGY", "output", "is ground");
    const auto current = b.system.state<1>(b.name("current"), electric::current_unknown("equal inputs"));
    b.add(electric::IdealAmplifier{plus, minus, output, current});
    b.channel("current", current);
    b.branch(Branch::Kind::voltage, output, Handle{}, true);
    b.branch(Branch::Kind::sensing, plus, minus);
  };
  return type;
}

}  // namespace escapement
