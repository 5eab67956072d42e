#include "components/electric/build.hpp"

namespace escapement {

ComponentType electric_ideal_transformer() {
  ComponentType type("electric.ideal_transformer",
                     "A transformer without losses, leakage or magnetising current.");
  type.description =
      "v_primary = ratio · v_secondary, i_secondary = −ratio · i_primary; it passes direct current, too.";
  for (const char* key : {"primary", "secondary"}) {
    Port p = node_port(key, Domain::electrical, std::string("nodes of the ") + key + " winding");
    p.count = 2;
    type.connects(p);
  }
  type.takes(number("ratio", "1", "primary over secondary voltage"));
  type.gives({"current", "A", "current of the primary winding, from its first node to its second"});
  type.signs = "Currents are positive from the first node of a winding to the second.";
  type.nodes = "electrical: [line, out]";
  type.example = R"yaml(
mains: {type: electric.voltage_source, sine: {amplitude: 325 V, frequency: 50 Hz}, between: [line, ground]}
core: {type: electric.ideal_transformer, ratio: 10, primary: [line, ground], secondary: [out, ground]}
load: {type: electric.resistor, resistance: 8 ohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const double ratio = b.number("ratio");
    if (ratio == 0) b.refuse("E-RANGE", "ratio", "is zero: the primary would be a short circuit");
    const auto one = electric::ends(b, "primary"), two = electric::ends(b, "secondary");
    const auto current = b.system.state<1>(b.name("current"), electric::current_unknown("voltage ratio"));
    b.add(electric::IdealTransformer{one.a, one.b, two.a, two.b, current, ratio});
    b.channel("current", current);
    b.branch(Branch::Kind::conductor, one.a, one.b);
    b.branch(Branch::Kind::conductor, two.a, two.b);
  };
  return type;
}

}  // namespace escapement
