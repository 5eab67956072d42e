#include "netlist/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"

namespace escapement::netlist {
namespace {

using Role = ModelParameter::Role;

constexpr ModelParameter diode[] = {
    {"is", Role::value, "saturation_current", "A"},
    {"n", Role::value, "emission"},
    {"rs", Role::value, "series_resistance", "ohm"},
    {"cjo", Role::value, "junction_capacitance", "F"},
    {"vj", Role::value, "junction_potential", "V"},
    {"m", Role::value, "grading"},
    {"fc", Role::value, "forward_coefficient"},
    {"tt", Role::value, "transit_time", "s"},
    {"bv", Role::value, "breakdown_voltage", "V"},
    {"ibv", Role::value, "breakdown_current", "A"},
    {"eg", Role::used},
    {"xti", Role::used},
    {"kf", Role::nothing},
    {"af", Role::nothing},
    {"mfg", Role::nothing},
    {"type", Role::nothing},
    {"vpk", Role::nothing},
    {"iave", Role::nothing},
    {"trs", Role::thermal},
    {"trs1", Role::thermal},
    {"trs2", Role::thermal},
    {"tbv1", Role::thermal},
    {"tbv2", Role::thermal},
    {"tcv", Role::thermal},
    {"ttt1", Role::thermal},
    {"ttt2", Role::thermal},
    {"tm1", Role::thermal},
    {"tm2", Role::thermal},
    {"cta", Role::thermal},
    {"tnom", Role::neutral, "", "", 27},
    {"level", Role::neutral, "", "", 1},
    {"ikf", Role::neutral},
    {"ikr", Role::neutral},
    {"isr", Role::neutral},
    {"nr", Role::nothing},  // belongs to isr
    {"jsw", Role::neutral},
    {"cjsw", Role::neutral},
    {"php", Role::nothing},  // these belong to cjsw
    {"mjsw", Role::nothing},
    {"nbv", Role::neutral, "", "", 1},
};

constexpr ModelParameter bipolar[] = {
    {"is", Role::value, "saturation_current", "A"},
    {"bf", Role::value, "forward_gain"},
    {"br", Role::value, "reverse_gain"},
    {"nf", Role::value, "forward_emission"},
    {"nr", Role::value, "reverse_emission"},
    {"vaf", Role::value, "forward_early", "V"},
    {"var", Role::value, "reverse_early", "V"},
    {"ikf", Role::value, "forward_knee", "A"},
    {"ikr", Role::value, "reverse_knee", "A"},
    {"ise", Role::value, "emitter_leakage", "A"},
    {"ne", Role::value, "emitter_leakage_emission"},
    {"isc", Role::value, "collector_leakage", "A"},
    {"nc", Role::value, "collector_leakage_emission"},
    {"rb", Role::value, "base_resistance", "ohm"},
    {"re", Role::value, "emitter_resistance", "ohm"},
    {"rc", Role::value, "collector_resistance", "ohm"},
    {"cje", Role::value, "emitter_capacitance", "F"},
    {"vje", Role::value, "emitter_potential", "V"},
    {"mje", Role::value, "emitter_grading"},
    {"cjc", Role::value, "collector_capacitance", "F"},
    {"vjc", Role::value, "collector_potential", "V"},
    {"mjc", Role::value, "collector_grading"},
    {"fc", Role::value, "forward_coefficient"},
    {"tf", Role::value, "forward_transit_time", "s"},
    {"tr", Role::value, "reverse_transit_time", "s"},
    {"eg", Role::used},
    {"xti", Role::used},
    {"xtb", Role::used},
    {"rbm", Role::used},
    {"kf", Role::nothing},
    {"af", Role::nothing},
    {"mfg", Role::nothing},
    {"vceo", Role::nothing},
    {"icrating", Role::nothing},
    {"tnom", Role::neutral, "", "", 27},
    {"level", Role::neutral, "", "", 1},
    {"xtf", Role::neutral},
    {"itf", Role::nothing},  // these belong to xtf
    {"vtf", Role::nothing},
    {"ptf", Role::neutral},
    {"irb", Role::neutral},
    {"xcjc", Role::neutral, "", "", 1},
    {"cjs", Role::neutral},
    {"vjs", Role::nothing},  // these belong to cjs
    {"mjs", Role::nothing},
    {"iss", Role::neutral},
    {"ns", Role::nothing},  // belongs to iss
    {"nk", Role::neutral, "", "", 0.5},
    {"rco", Role::neutral},
    {"trb1", Role::thermal},
    {"trc1", Role::thermal},
    {"tre1", Role::thermal},
};

constexpr ModelParameter mosfet[] = {
    {"vto", Role::value, "threshold", "V"},
    {"kp", Role::value, "transconductance", "A/V^2"},
    {"gamma", Role::value, "gamma"},
    {"phi", Role::value, "surface_potential", "V"},
    {"lambda", Role::value, "modulation", "1/V"},
    {"rd", Role::value, "drain_resistance", "ohm"},
    {"rs", Role::value, "source_resistance", "ohm"},
    {"cgso", Role::value, "gate_source_overlap", "F/m"},
    {"cgdo", Role::value, "gate_drain_overlap", "F/m"},
    {"cgbo", Role::value, "gate_bulk_overlap", "F/m"},
    {"tox", Role::value, "oxide_thickness", "m"},
    {"cbd", Role::value, "bulk_drain_capacitance", "F"},
    {"cbs", Role::value, "bulk_source_capacitance", "F"},
    {"pb", Role::value, "bulk_potential", "V"},
    {"mj", Role::value, "bulk_grading"},
    {"fc", Role::value, "forward_coefficient"},
    {"is", Role::value, "bulk_saturation_current", "A"},
    {"l", Role::value, "length", "m"},
    {"w", Role::value, "width", "m"},
    {"cj", Role::used},
    {"cjsw", Role::used},
    {"mjsw", Role::used},
    {"ld", Role::used},
    {"uo", Role::used},
    {"kf", Role::nothing},
    {"af", Role::nothing},
    {"mfg", Role::nothing},
    {"tnom", Role::neutral, "", "", 27},
    {"level", Role::neutral, "", "", 1},
    {"rsh", Role::neutral},
    {"js", Role::neutral},
    {"nsub", Role::neutral},
    {"nss", Role::neutral},
    {"tpg", Role::neutral, "", "", 1},
};

constexpr ModelParameter voltage_switch[] = {
    {"vt", Role::value, "threshold", "V"},
    {"vh", Role::value, "hysteresis", "V"},
    {"ron", Role::value, "on_resistance", "ohm"},
    {"roff", Role::value, "off_resistance", "ohm"},
};
constexpr ModelParameter current_switch[] = {
    {"it", Role::value, "threshold", "A"},
    {"ih", Role::value, "hysteresis", "A"},
    {"ron", Role::value, "on_resistance", "ohm"},
    {"roff", Role::value, "off_resistance", "ohm"},
};

constexpr ModelParameter resistor[] = {
    {"r", Role::used},      {"tc1", Role::used},   {"tc2", Role::used},
    {"kf", Role::nothing},  {"af", Role::nothing}, {"tnom", Role::neutral, "", "", 27},
    {"rsh", Role::neutral},
};
constexpr ModelParameter capacitor[] = {
    {"cap", Role::used},   {"tc1", Role::used},     {"tc2", Role::used}, {"tnom", Role::neutral, "", "", 27},
    {"cj", Role::neutral}, {"cjsw", Role::neutral},
};

struct Alias {
  const char *type, *name, *usual;
};
constexpr Alias aliases[] = {
    {"d", "cj0", "cjo"},   {"d", "cj", "cjo"},     {"d", "ik", "ikf"},     {"d", "js", "is"},
    {"d", "pb", "vj"},     {"d", "mj", "m"},       {"d", "vb", "bv"},      {"npn", "va", "vaf"},
    {"npn", "vbf", "vaf"}, {"npn", "vb", "var"},   {"npn", "ik", "ikf"},   {"npn", "jbf", "ikf"},
    {"npn", "pe", "vje"},  {"npn", "me", "mje"},   {"npn", "pc", "vjc"},   {"npn", "mc", "mjc"},
    {"npn", "nkf", "nk"},  {"npn", "ccs", "cjs"},  {"npn", "csub", "cjs"}, {"npn", "ps", "vjs"},
    {"npn", "ms", "mjs"},  {"nmos", "vt0", "vto"}, {"nmos", "u0", "uo"},   {"c", "c", "cap"},
};

/// Types that are the same in all but the sign of their polarity.
std::string_view kind(std::string_view type) {
  if (type == "pnp") return "npn";
  if (type == "pmos") return "nmos";
  if (type == "res") return "r";
  if (type == "cap") return "c";
  return type;
}

}  // namespace

const ModelTable* model_table(std::string_view type) {
  static const std::map<std::string, ModelTable, std::less<>> tables = {
      {"d", {"a diode", diode}},
      {"npn", {"a bipolar transistor", bipolar}},
      {"nmos", {"a MOSFET", mosfet}},
      {"sw", {"a switch", voltage_switch}},
      {"csw", {"a switch", current_switch}},
      {"r", {"a resistor", resistor}},
      {"c", {"a capacitor", capacitor}},
  };
  const auto found = tables.find(kind(type));
  return found == tables.end() ? nullptr : &found->second;
}

std::string usual_name(std::string_view type, std::string_view name) {
  for (const Alias& a : aliases)
    if (kind(type) == a.type && name == a.name) return a.usual;
  return std::string(name);
}

ModelValues::ModelValues(const DeviceModel& model, double celsius, const Evaluate& evaluate,
                         const std::string& where)
    : table_(model_table(model.type.text)), model_mark_(model.name.mark()) {
  for (const Assignment& a : model.parameters) {
    const std::string name = usual_name(model.type.text, a.name.text);
    const auto found = std::find_if(table_->parameters.begin(), table_->parameters.end(),
                                    [&](const ModelParameter& p) { return p.name == name; });
    if (found == table_->parameters.end()) {
      std::vector<std::string> names;
      for (const ModelParameter& p : table_->parameters)
        if (p.role == Role::value || p.role == Role::used) names.push_back(p.name);
      throw fault("E-KEY", a.name.mark(), where,
                  fmt::format("the model of {} has no parameter `{}` here", table_->what, a.name.text),
                  did_you_mean(name, names, fmt::format("one of {}", fmt::join(names, ", "))));
    }
    if (found->role == Role::nothing) continue;
    if (found->role == Role::thermal) {
      if (celsius == nominal_celsius) continue;
      throw fault("E-UNSUPPORTED", a.name.mark(), where,
                  fmt::format("`{}` has an effect at {} °C that is not supported", a.name.text, celsius),
                  "remove it, or simulate at 27 °C");
    }
    const double value = evaluate(a.value);
    if (found->role == Role::neutral) {
      if (value == found->number) continue;
      throw fault("E-UNSUPPORTED", a.name.mark(), where,
                  fmt::format("`{}` of {} is not supported", a.name.text, table_->what),
                  fmt::format("{}={} or none: the component has no such effect", a.name.text, found->number));
    }
    if (!values_.emplace(name, std::pair(value, a.value.mark())).second)
      throw fault("E-DUPLICATE", a.name.mark(), where,
                  fmt::format("`{}` is another name of `{}`, which is given already", a.name.text, name),
                  "remove one of the two");
  }
}

double ModelValues::get(const std::string& name, double otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second.first;
}
Mark ModelValues::mark(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? model_mark_ : found->second.second;
}
void ModelValues::set(const std::string& name, double value) { values_[name] = {value, mark(name)}; }

// ------------------------------------------------------------------ temperature

namespace {

constexpr double boltzmann = 1.380649e-23, charge = 1.602176634e-19;

/// The potential of a junction and its capacitance at another temperature.
void heat_junction(ModelValues& v, double T, const char* capacitance, const char* potential,
                   double usual_potential, const char* grading, double usual_grading) {
  if (v.get(capacitance, 0) == 0) return;
  const double T0 = nominal_celsius + zero_celsius, ratio = T / T0;
  const auto gap = [](double at) { return 1.16 - 7.02e-4 * at * at / (at + 1108); };  // eV
  const double V = v.get(potential, usual_potential), m = v.get(grading, usual_grading);
  const double heated = V * ratio - 3 * boltzmann * T / charge * std::log(ratio) - gap(T0) * ratio + gap(T);
  v.set(capacitance, v.get(capacitance, 0) * (1 + m * (4e-4 * (T - T0) - (heated - V) / V)));
  v.set(potential, heated);
}

}  // namespace

void heat_diode(ModelValues& v, double celsius) {
  if (celsius == nominal_celsius) return;
  const double T = celsius + zero_celsius, ratio = T / (nominal_celsius + zero_celsius);
  const double n = v.get("n", 1), thermal = boltzmann * T / charge;
  v.set("is", v.get("is", 1e-14) * std::exp((ratio - 1) * v.get("eg", 1.11) / (n * thermal) +
                                            v.get("xti", 3) / n * std::log(ratio)));
  heat_junction(v, T, "cjo", "vj", 1, "m", 0.5);
}

void heat_bipolar(ModelValues& v, double celsius) {
  if (celsius == nominal_celsius) return;
  const double T = celsius + zero_celsius, ratio = T / (nominal_celsius + zero_celsius);
  const double thermal = boltzmann * T / charge;
  const double exponent = (ratio - 1) * v.get("eg", 1.11) / thermal + v.get("xti", 3) * std::log(ratio);
  const double gain = std::pow(ratio, v.get("xtb", 0));
  v.set("is", v.get("is", 1e-16) * std::exp(exponent));
  v.set("bf", v.get("bf", 100) * gain);
  v.set("br", v.get("br", 1) * gain);
  if (v.has("ise")) v.set("ise", v.get("ise", 0) * std::exp(exponent / v.get("ne", 1.5)) / gain);
  if (v.has("isc")) v.set("isc", v.get("isc", 0) * std::exp(exponent / v.get("nc", 2)) / gain);
  heat_junction(v, T, "cje", "vje", 0.75, "mje", 0.33);
  heat_junction(v, T, "cjc", "vjc", 0.75, "mjc", 0.33);
}

}  // namespace escapement::netlist
