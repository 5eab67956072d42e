#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_current_source() {
  ComponentType type("electric.current_source",
                     "A current that is constant, a waveform, an expression of time, or a signal.");
  type.description = "The given current flows from A through the source to B, whatever voltage that takes.";
  electric::two_terminals(type);
  electric::add_waveform_keys(type, "A", "the current");
  type.signs = "A positive current leaves the circuit at A and enters it again at B.";
  type.nodes = "electrical: [out]";
  type.example = R"yaml(
feed: {type: electric.current_source, value: 2 mA, between: [ground, out]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const ElementId id = b.add(electric::CurrentSource{a, c, electric::waveform(b, "given", "A")});
    b.channel("current", id, 0);
    b.branch(Branch::Kind::current, a, c);
  };
  return type;
}

}  // namespace escapement
