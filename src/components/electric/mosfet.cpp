#include "components/electric/mosfet.hpp"

#include "components/electric/build.hpp"
#include "components/electric/junction.hpp"

template struct escapement::Adaptor<escapement::electric::Channel>;

namespace escapement {
namespace {

void add_capacitor(Build& b, const electric::Terminal& a, const electric::Terminal& c, double capacitance) {
  if (capacitance == 0 || a.variable == c.variable) return;
  b.add(electric::Capacitor{a, c, capacitance});
  b.branch(Branch::Kind::capacitor, a, c);
}

void build_mosfet(Build& b) {
  using namespace electric;
  const double sign = b.text("polarity") == "nmos" ? 1.0 : -1.0;
  const auto outer_drain = b.node<Terminal>("drain"), gate = b.node<Terminal>("gate"),
             outer_source = b.node<Terminal>("source");
  const auto bulk = b.connected("bulk") ? b.node<Terminal>("bulk") : outer_source;
  if (outer_drain.variable == outer_source.variable)
    b.refuse("E-TOPOLOGY", "source", "is the same node as `drain`: no current can flow");
  const auto drain = behind(b, outer_drain, b.number("drain_resistance"), "inner_drain"),
             source = behind(b, outer_source, b.number("source_resistance"), "inner_source");
  const double width = b.number("width"), length = b.number("length");
  constexpr double permittivity = 3.9 * 8.8541878128e-12;  // F/m, silicon dioxide
  const double oxide =
      b.has("oxide_thickness") ? permittivity / b.number("oxide_thickness") * width * length : 0.0;
  const ElementId id = b.add(Channel{drain, gate, source, bulk, sign, b.number("threshold"),
                                     b.number("transconductance") * width / length, b.number("gamma"),
                                     b.number("surface_potential"), b.number("modulation"), oxide});
  b.channel("current", id, 0);
  b.branch(Branch::Kind::conductor, drain, source);
  b.branch(oxide > 0 ? Branch::Kind::capacitor : Branch::Kind::sensing, gate, source);
  add_capacitor(b, gate, source, b.number("gate_source_overlap") * width);
  add_capacitor(b, gate, drain, b.number("gate_drain_overlap") * width);
  add_capacitor(b, gate, bulk, b.number("gate_bulk_overlap") * length);
  const Junction junction(b.number("bulk_saturation_current"), thermal_voltage(b.number("temperature")));
  const auto diode = [&](const Terminal& end, const char* capacitance, const char* name) {
    if (end.variable == bulk.variable) return;
    const Depletion depletion(b.number(capacitance), b.number("bulk_potential"), b.number("bulk_grading"),
                              b.number("forward_coefficient"));
    const auto s = b.system.state<1>(b.name(name), junction_unknown());
    b.add(sign > 0 ? Diode{bulk, end, s, junction, depletion, 0.0}
                   : Diode{end, bulk, s, junction, depletion, 0.0});
    b.branch(Branch::Kind::conductor, bulk, end);
  };
  diode(drain, "bulk_drain_capacitance", "bulk_drain");
  diode(source, "bulk_source_capacitance", "bulk_source");
}

}  // namespace

ComponentType electric_mosfet() {
  ComponentType type(
      "electric.mosfet",
      "A field-effect transistor, n- or p-channel, after Shichman and Hodges (level 1) with charges.");
  type.description =
      "With the threshold V_th = VTO + γ (√(PHI − v_BS) − √PHI) and β = KP · width / length the current from "
      "drain to source is\n\n"
      "    0                                          while v_GS < V_th\n"
      "    β v_DS (v_GS − V_th − v_DS / 2) (1 + λ v_DS)   while v_DS < v_GS − V_th\n"
      "    β / 2 (v_GS − V_th)² (1 + λ v_DS)              otherwise,\n\n"
      "and the other way round where v_DS is negative. Charges: overlaps of the gate, depletion layers of "
      "the bulk junctions, and "
      "with `oxide_thickness` that of the channel, parted between drain and source after Ward and Dutton "
      "(charge is conserved; "
      "the charge below the threshold is left out). The bulk junctions are diodes.";
  type.connects(node_port("drain", Domain::electrical, "drain"));
  type.connects(node_port("gate", Domain::electrical, "gate"));
  type.connects(node_port("source", Domain::electrical, "source"));
  type.connects(node_port("bulk", Domain::electrical, "bulk; connected to the source if absent").optional());
  const auto takes = [&](const char* key, const char* unit, const char* summary, const char* fallback,
                         bool positive) {
    Parameter p = number(key, unit, summary).otherwise(fallback);
    type.takes(positive ? p.positive() : p.at_least(0));
  };
  type.takes(choice("polarity", {"nmos", "pmos"}, "n- or p-channel").otherwise("nmos"));
  type.takes(number("threshold", "V",
                    "VTO: threshold voltage; of a p-channel negative where it blocks without voltage")
                 .otherwise("0 V"));
  takes("transconductance", "A/V^2", "KP: of a channel as wide as long", "2e-5 A/V^2", true);
  takes("gamma", "1", "GAMMA: effect of the bulk on the threshold, in square roots of volts", "0", false);
  takes("surface_potential", "V", "PHI: potential of the surface", "0.6 V", true);
  takes("modulation", "1/V", "LAMBDA: modulation of the length of the channel", "0 1/V", false);
  takes("width", "m", "W: width of the channel", "1e-4 m", true);
  takes("length", "m", "L: length of the channel", "1e-4 m", true);
  takes("drain_resistance", "ohm", "RD: in series with the drain", "0 ohm", false);
  takes("source_resistance", "ohm", "RS: in series with the source", "0 ohm", false);
  takes("gate_source_overlap", "F/m", "CGSO: capacitance per width", "0 F/m", false);
  takes("gate_drain_overlap", "F/m", "CGDO: capacitance per width", "0 F/m", false);
  takes("gate_bulk_overlap", "F/m", "CGBO: capacitance per length", "0 F/m", false);
  type.takes(number("oxide_thickness", "m", "TOX: with it the channel has charge").positive().optional());
  takes("bulk_drain_capacitance", "F", "CBD: of the bulk-drain junction without voltage", "0 F", false);
  takes("bulk_source_capacitance", "F", "CBS: of the bulk-source junction without voltage", "0 F", false);
  takes("bulk_potential", "V", "PB: potential of these junctions", "0.8 V", true);
  takes("bulk_grading", "1", "MJ: exponent of these junctions", "0.5", false);
  takes("forward_coefficient", "1", "FC: share of the potential up to which their formula holds", "0.5",
        false);
  takes("bulk_saturation_current", "A", "IS: saturation current of these junctions", "1e-14 A", true);
  takes("temperature", "K", "of these junctions", "300.15 K", true);
  for (Parameter& p : type.parameters)
    if (p.key == "bulk_grading" || p.key == "forward_coefficient") p.maximum = 0.95;
  type.gives({"current", "A", "current of the channel from drain to source"});
  type.signs =
      "The current is positive from drain to source. An n-channel conducts while the gate is above the "
      "source by the threshold; a p-channel while it is below.";
  type.nodes = "electrical: [supply, in, out]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 5 V, between: [supply, ground]}
feed: {type: electric.voltage_source, sine: {offset: 2.5 V, amplitude: 2.5 V, frequency: 2 Hz}, between: [in, ground]}
upper: {type: electric.mosfet, polarity: pmos, threshold: -0.8 V, transconductance: 4e-5 A/V^2, modulation: 0.02 1/V, width: 20 um, length: 1 um, oxide_thickness: 20 nm, drain: out, gate: in, source: supply}
lower: {type: electric.mosfet, threshold: 0.7 V, transconductance: 1e-4 A/V^2, gamma: 0.4, modulation: 0.02 1/V, width: 10 um, length: 1 um, oxide_thickness: 20 nm, gate_drain_overlap: 3e-10 F/m, bulk_drain_capacitance: 20 fF, drain: out, gate: in, source: ground, bulk: ground}
wire: {type: electric.capacitor, capacitance: 1 pF, between: [out, ground]}
)yaml";
  type.build = build_mosfet;
  return type;
}

}  // namespace escapement
