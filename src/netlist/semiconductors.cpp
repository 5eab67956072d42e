// Diodes, transistors and switches of netlists as components.
#include <fmt/format.h>

#include "netlist/elaborator.hpp"

namespace escapement::netlist {

namespace {

/// `off` is a first guess for SPICE's own iteration.
std::optional<Word> area_of(const Arguments& a, std::size_t first, const std::string& where) {
  std::optional<Word> area;
  for (std::size_t i = first; i < a.words.size(); ++i) {
    if (a.words[i].is("off")) continue;
    if (area)
      throw fault("E-SYNTAX", a.words[i].mark(), where, fmt::format("unexpected `{}`", a.words[i].text));
    area = a.words[i];
  }
  if (const Arguments::Named* n = a.find("area")) area = n->values[0];
  return area;
}

}  // namespace

void Elaborator::diode(const Device& d, Instance& in) {
  const Arguments a = arguments(d, 3, 5, "D1 ANODE CATHODE MODEL AREA", {"area", "m", "temp"}, {"pj"});
  const double T = celsius(a, in);
  ModelValues m = model(a.words[2], in, {"d"}, T);
  heat_diode(m, T);
  const auto area = area_of(a, 3, where_);
  const double size = (area ? value(*area, in) : 1) * named(a, "m", 1, in);
  Node wires = between(a.words[0], a.words[1], in);
  Node& fields = add(d, in, "electric.diode");
  put(fields, "between", std::move(wires));
  put_model(fields, m);
  if (size != 1) put(fields, "area", quantity(size, "", area ? area->mark() : d.name.mark()));
  put_temperature(fields, T, d.name.mark());
}

void Elaborator::bipolar(const Device& d, Instance& in) {
  const Arguments a = arguments(d, 4, 7, "Q1 COLLECTOR BASE EMITTER MODEL AREA", {"area", "m", "temp"});
  const double T = celsius(a, in);
  std::size_t at = 3;  // of the model; a substrate may stand before it
  if (!find_model(a.words[3].text, in).model && a.words.size() > 4 && find_model(a.words[4].text, in).model)
    at = 4;
  ModelValues m = model(a.words[at], in, {"npn", "pnp"}, T);
  if (m.has("rbm") && m.get("rbm", 0) != m.get("rb", 0))
    throw fault("E-UNSUPPORTED", m.mark("rbm"), where_, "`rbm` of a bipolar transistor is not supported",
                "RBM=RB or none: the resistance of the base does not depend on its current");
  heat_bipolar(m, T);
  for (const char* name : {"vaf", "var", "ikf", "ikr"})  // 0 stands for infinite
    if (m.has(name) && m.get(name, 0) == 0) m.erase(name);
  const auto area = area_of(a, at + 1, where_);
  const double size = (area ? value(*area, in) : 1) * named(a, "m", 1, in);
  const std::string collector = node(a.words[0], in), base = node(a.words[1], in),
                    emitter = node(a.words[2], in);
  Node& fields = add(d, in, "electric.bjt");
  put(fields, "polarity", text(find_model(a.words[at].text, in).model->type.text, a.words[at].mark()));
  put(fields, "collector", text(collector, a.words[0].mark()));
  put(fields, "base", text(base, a.words[1].mark()));
  put(fields, "emitter", text(emitter, a.words[2].mark()));
  put_model(fields, m);
  if (size != 1) put(fields, "area", quantity(size, "", area ? area->mark() : d.name.mark()));
  put_temperature(fields, T, d.name.mark());
}

void Elaborator::mosfet(const Device& d, Instance& in) {
  const char* const form = "M1 DRAIN GATE SOURCE BULK MODEL L=LENGTH W=WIDTH";
  const Arguments a =
      arguments(d, 5, 6, form, {"l", "w", "ad", "as", "pd", "ps", "m", "temp"}, {"nrd", "nrs"});
  if (a.words.size() > 5 && !a.words[5].is("off"))
    throw fault("E-SYNTAX", a.words[5].mark(), where_, fmt::format("unexpected `{}`", a.words[5].text), form);
  const double T = celsius(a, in);
  if (T != nominal_celsius)
    throw fault("E-UNSUPPORTED", d.name.mark(), where_, fmt::format("a MOSFET at {} °C is not supported", T),
                "it is modelled at 27 °C only");
  ModelValues m = model(a.words[4], in, {"nmos", "pmos"}, T);
  const double times = named(a, "m", 1, in);
  if (!(times > 0))
    throw fault("E-RANGE", a.find("m")->values[0].mark(), where_, fmt::format("m={} must be > 0", times));
  if (m.get("tox", 0) > 0 && !m.has("kp"))  // mobility in cm^2/(V*s), permittivity of the oxide
    m.set("kp", m.get("uo", 600) * 1e-4 * 3.9 * 8.854214871e-12 / m.get("tox", 1));
  if (m.has("cjsw") && m.get("mjsw", 0.5) != m.get("mj", 0.5))
    throw fault("E-UNSUPPORTED", m.mark("mjsw"), where_,
                "side walls with a grading of their own are not supported", "MJSW=MJ");
  const double side = m.get("cjsw", 0);
  const auto junction = [&](const char* capacitance, const char* area, const char* perimeter) {
    const double own = m.has(capacitance) ? m.get(capacitance, 0) : m.get("cj", 0) * named(a, area, 0, in);
    const double all = (own + side * named(a, perimeter, 0, in)) * times;
    if (all != 0 || m.has(capacitance)) m.set(capacitance, all);
  };
  junction("cbd", "ad", "pd");
  junction("cbs", "as", "ps");
  for (const char* name : {"rd", "rs"})
    if (m.has(name)) m.set(name, m.get(name, 0) / times);
  if (times != 1) m.set("is", m.get("is", 1e-14) * times);
  const double length = named(a, "l", m.get("l", 1e-4), in) - 2 * m.get("ld", 0);
  const double width = named(a, "w", m.get("w", 1e-4), in) * times;
  const auto place = [&](const char* name) {
    return a.find(name) ? a.find(name)->values[0].mark() : m.has(name) ? m.mark(name) : d.name.mark();
  };
  const Mark length_mark = place("l"), width_mark = place("w");
  m.erase("l");
  m.erase("w");
  std::string ends[4];
  for (int i = 0; i < 4; ++i) ends[i] = node(a.words[i], in);
  Node& fields = add(d, in, "electric.mosfet");
  put(fields, "polarity", text(find_model(a.words[4].text, in).model->type.text, a.words[4].mark()));
  const char* const names[] = {"drain", "gate", "source", "bulk"};
  for (int i = 0; i < 4; ++i) put(fields, names[i], text(ends[i], a.words[i].mark()));
  put_model(fields, m);
  put(fields, "width", quantity(width, "m", width_mark));
  put(fields, "length", quantity(length, "m", length_mark));
}

void Elaborator::switches(const Device& d, Instance& in) {
  const bool voltage = d.letter == 's';
  const std::size_t at = voltage ? 4 : 3;  // of the model
  const Arguments a = arguments(d, at + 1, at + 2, voltage ? "S1 A B C D MODEL" : "W1 A B V1 MODEL", {});
  ModelValues m = model(a.words[at], in, {voltage ? "sw" : "csw"}, nominal_celsius);
  if (a.words.size() > at + 1) {  // its state at the start matters between the thresholds only
    const Word& state = a.words[at + 1];
    const bool on = state.is("on");
    if (!on && !state.is("off"))
      throw fault("E-SYNTAX", state.mark(), where_, fmt::format("unexpected `{}`", state.text), "ON or OFF");
    if (on && m.get(voltage ? "vh" : "ih", 0) != 0)
      throw fault("E-UNSUPPORTED", state.mark(), where_,
                  "a switch with hysteresis that starts on is not supported",
                  "remove ON: it starts as its control says, off between the thresholds");
  }
  if (!m.has("roff")) m.set("roff", 1e12);
  Node wires = between(a.words[0], a.words[1], in);
  std::optional<Node> control;
  std::string current;
  if (voltage) control = between(a.words[2], a.words[3], in);
  else current = current_of(a.words[2], in);
  if (!voltage && a.words[2].text[0] != 'v')
    throw fault("E-REFERENCE", a.words[2].mark(), where_,
                fmt::format("`{}` is not a voltage source", a.words[2].text), "V1 A B 0 measures a current");
  Node& fields = add(d, in, "electric.switch");
  put(fields, "between", std::move(wires));
  if (voltage) put(fields, "control", std::move(*control));
  else put(fields, "input", text(current, a.words[2].mark()));
  put_model(fields, m);
}

}  // namespace escapement::netlist
