#include "components/electric/bjt.hpp"

#include "components/electric/build.hpp"

template struct escapement::Adaptor<escapement::electric::BipolarTransistor>;

namespace escapement {
namespace {

void build_bjt(Build& b) {
  using namespace electric;
  const double area = b.number("area"), vt = thermal_voltage(b.number("temperature"));
  const auto inverse = [&](const char* key) { return b.has(key) ? 1 / b.number(key) : 0.0; };
  const auto inner = [&](const char* port, const char* resistance, const char* suffix) {
    return behind(b, b.node<Terminal>(port), b.number(resistance) / area, suffix);
  };
  const auto collector = inner("collector", "collector_resistance", "inner_collector"),
             base = inner("base", "base_resistance", "inner_base"),
             emitter = inner("emitter", "emitter_resistance", "inner_emitter");
  if (collector.variable == base.variable && base.variable == emitter.variable)
    b.refuse("E-TOPOLOGY", "base", "all three pins are at the same node");
  const double saturation = area * b.number("saturation_current"), fc = b.number("forward_coefficient");
  const auto be = b.system.state<1>(b.name("base_emitter"), junction_unknown()),
             bc = b.system.state<1>(b.name("base_collector"), junction_unknown());
  const ElementId id =
      b.add(BipolarTransistor{collector,
                              base,
                              emitter,
                              be,
                              bc,
                              b.text("polarity") == "npn" ? 1.0 : -1.0,
                              {saturation, b.number("forward_emission") * vt},
                              {saturation, b.number("reverse_emission") * vt},
                              b.number("forward_gain"),
                              b.number("reverse_gain"),
                              area * b.number("emitter_leakage"),
                              b.number("emitter_leakage_emission") * vt,
                              area * b.number("collector_leakage"),
                              b.number("collector_leakage_emission") * vt,
                              inverse("forward_early"),
                              inverse("reverse_early"),
                              inverse("forward_knee") / area,
                              inverse("reverse_knee") / area,
                              {area * b.number("emitter_capacitance"), b.number("emitter_potential"),
                               b.number("emitter_grading"), fc},
                              {area * b.number("collector_capacitance"), b.number("collector_potential"),
                               b.number("collector_grading"), fc},
                              b.number("forward_transit_time"),
                              b.number("reverse_transit_time")});
  b.channel("collector_current", id, 0);
  b.channel("base_current", id, 1);
  b.channel("emitter_current", id, 2);
  if (base.variable != emitter.variable) b.branch(Branch::Kind::conductor, base, emitter);
  if (base.variable != collector.variable) b.branch(Branch::Kind::conductor, base, collector);
}

}  // namespace

ComponentType electric_bjt() {
  ComponentType type("electric.bjt", "A bipolar transistor, npn or pnp, after Gummel and Poon with charges.");
  type.description =
      "With I_F = IS (exp(v_BE / (NF V_T)) − 1), I_R = IS (exp(v_BC / (NR V_T)) − 1) and the base charge\n\n"
      "    q = (1 + √(1 + 4 (I_F / IKF + I_R / IKR))) / 2 / (1 − v_BC / VAF − v_BE / VAR)\n\n"
      "the collector current is (I_F − I_R) / q − I_R / BR − ISC (exp(v_BC / (NC V_T)) − 1) and the base "
      "current I_F / BF + ISE "
      "(exp(v_BE / (NE V_T)) − 1) + I_R / BR + ISC (…). Charges: of the depletion layers, TF · I_F / q and "
      "TR · I_R. With the "
      "default values this is the transport form of Ebers and Moll. Not modelled: variation of TF (ITF, XTF, "
      "VTF), of the base "
      "resistance (RBM, IRB), the substrate.";
  type.connects(node_port("collector", Domain::electrical, "collector"));
  type.connects(node_port("base", Domain::electrical, "base"));
  type.connects(node_port("emitter", Domain::electrical, "emitter"));
  const auto takes = [&](const char* key, const char* unit, const char* summary, const char* fallback,
                         bool positive) {
    Parameter p = number(key, unit, summary).otherwise(fallback);
    type.takes(positive ? p.positive() : p.at_least(0));
  };
  type.takes(choice("polarity", {"npn", "pnp"}, "npn or pnp").otherwise("npn"));
  takes("saturation_current", "A", "IS: saturation current", "1e-16 A", true);
  takes("forward_gain", "1", "BF: forward current gain", "100", true);
  takes("reverse_gain", "1", "BR: reverse current gain", "1", true);
  takes("forward_emission", "1", "NF: forward emission coefficient", "1", true);
  takes("reverse_emission", "1", "NR: reverse emission coefficient", "1", true);
  type.takes(
      number("forward_early", "V", "VAF: forward Early voltage; infinite if absent").positive().optional());
  type.takes(
      number("reverse_early", "V", "VAR: reverse Early voltage; infinite if absent").positive().optional());
  type.takes(
      number("forward_knee", "A", "IKF: knee of the forward gain; infinite if absent").positive().optional());
  type.takes(
      number("reverse_knee", "A", "IKR: knee of the reverse gain; infinite if absent").positive().optional());
  takes("emitter_leakage", "A", "ISE: leakage of the emitter junction", "0 A", false);
  takes("emitter_leakage_emission", "1", "NE: its emission coefficient", "1.5", true);
  takes("collector_leakage", "A", "ISC: leakage of the collector junction", "0 A", false);
  takes("collector_leakage_emission", "1", "NC: its emission coefficient", "2", true);
  takes("base_resistance", "ohm", "RB: in series with the base", "0 ohm", false);
  takes("emitter_resistance", "ohm", "RE: in series with the emitter", "0 ohm", false);
  takes("collector_resistance", "ohm", "RC: in series with the collector", "0 ohm", false);
  takes("emitter_capacitance", "F", "CJE: of the emitter junction without voltage", "0 F", false);
  takes("emitter_potential", "V", "VJE: its potential", "0.75 V", true);
  takes("emitter_grading", "1", "MJE: its exponent", "0.33", false);
  takes("collector_capacitance", "F", "CJC: of the collector junction without voltage", "0 F", false);
  takes("collector_potential", "V", "VJC: its potential", "0.75 V", true);
  takes("collector_grading", "1", "MJC: its exponent", "0.33", false);
  takes("forward_coefficient", "1", "FC: share of the potentials up to which their formula holds", "0.5",
        false);
  takes("forward_transit_time", "s", "TF: charge of the forward current per current", "0 s", false);
  takes("reverse_transit_time", "s", "TR: charge of the reverse current per current", "0 s", false);
  takes("temperature", "K", "of the junctions", "300.15 K", true);
  takes("area", "1", "so many of these in parallel", "1", true);
  for (Parameter& p : type.parameters)
    if (p.key.ends_with("grading") || p.key == "forward_coefficient") p.maximum = 0.95;
  type.gives({"collector_current", "A", "current into the collector, without that of the charges"});
  type.gives({"base_current", "A", "current into the base, without that of the charges"});
  type.gives(
      {"emitter_current", "A", "current into the emitter, without that of the charges", {}, false, false});
  type.signs =
      "Currents are positive into the transistor. An npn conducts from collector to emitter while the base "
      "is above the emitter; a pnp the other way round.";
  type.nodes = "electrical: [supply, in, base, collector]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 12 V, between: [supply, ground]}
feed: {type: electric.voltage_source, sine: {offset: 1 V, amplitude: 0.2 V, frequency: 5 Hz}, between: [in, ground]}
series: {type: electric.resistor, resistance: 10 kohm, between: [in, base]}
load: {type: electric.resistor, resistance: 2.2 kohm, between: [supply, collector]}
transistor: {type: electric.bjt, saturation_current: 14.34 fA, forward_gain: 255.9, reverse_gain: 6.092, forward_early: 74 V, emitter_capacitance: 22 pF, collector_capacitance: 7.3 pF, forward_transit_time: 411 ps, base_resistance: 10 ohm, collector: collector, base: base, emitter: ground}
)yaml";
  type.build = build_bjt;
  return type;
}

}  // namespace escapement
