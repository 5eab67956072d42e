#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {

ComponentType electric_vccs() {
  ComponentType type("electric.vccs", "A current controlled by a voltage.");
  type.description =
      "transconductance · (v_C − v_D) flows from A through the source to B; no current flows at the "
      "controlling nodes.";
  electric::two_terminals(type);
  type.connects(electric::sensed());
  type.takes(number("transconductance", "S", "current per voltage"));
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 10 mV, frequency: 1 kHz}, between: [in, ground]}
stage: {type: electric.vccs, transconductance: 40 mS, between: [out, ground], control: [in, ground]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const auto control = electric::ends(b, "control");
    const ElementId id =
        b.add(electric::CurrentFromVoltage{a, c, control.a, control.b, b.number("transconductance")});
    b.channel("current", id, 0);
    b.branch(Branch::Kind::current, a, c);
    b.branch(Branch::Kind::sensing, control.a, control.b);
  };
  return type;
}

}  // namespace escapement
