#include "components/electric/build.hpp"
#include "components/electric/junction.hpp"

template struct escapement::Adaptor<escapement::electric::Diode>;

namespace escapement {
namespace {

void build_diode(Build& b) {
  using namespace electric;
  const auto [anode, cathode] = ends(b);
  const double area = b.number("area"), vt = thermal_voltage(b.number("temperature"));
  const auto inner = behind(b, anode, b.number("series_resistance") / area, "inner");
  const Junction junction(area * b.number("saturation_current"), b.number("emission") * vt,
                          b.has("breakdown_voltage") ? b.number("breakdown_voltage") : INFINITY,
                          area * b.number("breakdown_current"));
  const Depletion depletion{area * b.number("junction_capacitance"), b.number("junction_potential"),
                            b.number("grading"), b.number("forward_coefficient")};
  const auto s = b.system.state<1>(b.name("junction"), junction_unknown());
  const ElementId id = b.add(Diode{inner, cathode, s, junction, depletion, b.number("transit_time")});
  b.channel("current", id, 0);
  b.branch(Branch::Kind::conductor, inner, cathode);
}

}  // namespace

ComponentType electric_diode() {
  ComponentType type("electric.diode",
                     "A semiconductor diode: exponential, with series resistance, charges and breakdown.");
  type.description =
      "i = saturation_current · (exp(v / (emission · V_T)) − 1) with V_T = k T / e (25.85 mV at 300 K), "
      "beyond the breakdown "
      "voltage −breakdown_current · exp(−(v + breakdown_voltage) / (emission · V_T)). The charge is that of "
      "the depletion "
      "layer, with C(v) = junction_capacitance / (1 − v / junction_potential)^grading up to "
      "forward_coefficient · "
      "junction_potential and along its tangent from there, and transit_time · i. The exponential is "
      "followed along its own "
      "curve (docs/theory.md, T-junction), so any step may be tried without overflow.";
  electric::two_terminals(type);
  type.takes(number("saturation_current", "A", "saturation current").positive().otherwise("1e-14 A"));
  type.takes(number("emission", "1", "emission coefficient").positive().otherwise("1"));
  type.takes(
      number("series_resistance", "ohm", "in series with the junction").at_least(0).otherwise("0 ohm"));
  type.takes(number("junction_capacitance", "F", "of the depletion layer without voltage")
                 .at_least(0)
                 .otherwise("0 F"));
  type.takes(number("junction_potential", "V", "of the depletion layer").positive().otherwise("1 V"));
  type.takes(
      number("grading", "1", "exponent of the depletion layer").at_least(0).at_most(0.95).otherwise("0.5"));
  type.takes(number("forward_coefficient", "1", "share of the potential up to which its formula holds")
                 .at_least(0)
                 .at_most(0.95)
                 .otherwise("0.5"));
  type.takes(number("transit_time", "s", "charge of the current per current").at_least(0).otherwise("0 s"));
  type.takes(number("breakdown_voltage", "V", "reverse voltage of the breakdown; none if absent")
                 .positive()
                 .optional());
  type.takes(number("breakdown_current", "A", "current there").positive().otherwise("1 mA"));
  type.takes(number("temperature", "K", "of the junction").positive().otherwise("300.15 K"));
  type.takes(number("area", "1", "so many of these in parallel").positive().otherwise("1"));
  type.signs =
      "A is the anode, B the cathode: the diode conducts from A to B. The current is that of the junction, "
      "without that of its charges.";
  type.nodes = "electrical: [line, out]";
  type.example = R"yaml(
mains: {type: electric.voltage_source, sine: {amplitude: 20 V, frequency: 50 Hz}, between: [line, ground]}
diode: {type: electric.diode, saturation_current: 76.9 pA, emission: 1.45, series_resistance: 42 mohm, junction_capacitance: 26.5 pF, grading: 0.333, transit_time: 4 us, breakdown_voltage: 1000 V, between: [line, out]}
load: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
smooth: {type: electric.capacitor, capacitance: 100 uF, between: [out, ground]}
)yaml";
  type.build = build_diode;
  return type;
}

}  // namespace escapement
