// Devices of netlists as components: what they have in common, and R and C.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "netlist/elaborator.hpp"

namespace escapement::netlist {

const Arguments::Named* Arguments::find(std::string_view name) const {
  for (const Named& n : named)
    if (n.name.text == name) return &n;
  return nullptr;
}

/// `least` and `most`: words by position. Names that are not listed are refused; `*` stands for any.
Arguments Elaborator::arguments(const Device& d, std::size_t least, std::size_t most, const char* form,
                                std::initializer_list<std::string_view> names,
                                std::initializer_list<std::string_view> ignored) const {
  Arguments a;
  const auto among = [](std::initializer_list<std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (std::size_t i = 0; i < d.words.size(); ++i) {
    const Word& w = d.words[i];
    if (w.kind == Word::Kind::open || w.kind == Word::Kind::close || w.is("params:")) continue;
    if (i + 1 >= d.words.size() || d.words[i + 1].kind != Word::Kind::equals) {
      if (w.kind == Word::Kind::equals) throw fault("E-SYNTAX", w.mark(), where_, "unexpected `=`", form);
      a.words.push_back(w);
      continue;
    }
    const bool any = among(names, "*");
    if (!w.is_word() || (!any && !among(names, w.text) && !among(ignored, w.text)))
      throw fault("E-UNSUPPORTED", w.mark(), where_,
                  fmt::format("`{}=` is not supported here: {}", w.text, d.name.card->shown()), form);
    if (i + 2 >= d.words.size() || !d.words[i + 2].is_value())
      throw fault("E-MISSING", w.mark(), where_, fmt::format("`{}` has no value", w.text), form);
    if (a.named.size() >= 1000)
      throw fault("E-LIMIT", w.mark(), where_, "more than 1000 parameters of one device", form);
    if (a.find(w.text))
      throw fault("E-DUPLICATE", w.mark(), where_, fmt::format("`{}` is given twice", w.text), form);
    Arguments::Named n{w, {d.words[i + 2]}};
    i += 2;
    while (i + 1 < d.words.size() && d.words[i + 1].is_value()) {  // tc=0.1,0.2
      const std::string_view text = d.name.card->text;
      const std::size_t before = text.find_last_not_of(" \t", d.words[i + 1].at - 1);
      if (before == text.npos || text[before] != ',') break;
      n.values.push_back(d.words[++i]);
    }
    if (!among(ignored, w.text)) a.named.push_back(std::move(n));
  }
  if (a.words.size() < least)
    throw fault("E-MISSING", d.name.mark(), where_,
                fmt::format("too few nodes or values in {}", d.name.card->shown()), form);
  if (a.words.size() > most)
    throw fault("E-SYNTAX", a.words[most].mark(), where_,
                fmt::format("unexpected `{}` in {}", a.words[most].text, d.name.card->shown()), form);
  return a;
}

double Elaborator::named(const Arguments& a, std::string_view name, double otherwise, Instance& in) {
  const Arguments::Named* n = a.find(name);
  return n ? value(n->values[0], in) : otherwise;
}

// ------------------------------------------------------------------ pieces of the tree

Node Elaborator::text(std::string text, const Mark& mark) {
  if (++values_ > deck_.limits.nodes)
    throw fault("E-LIMIT", mark, where_,
                fmt::format("the netlist makes more than {} values", deck_.limits.nodes),
                "subcircuits within subcircuits multiply");
  Node n(std::move(text));
  n.mark = mark;
  return n;
}

Node Elaborator::quantity(double value, const char* unit, const Mark& mark) {
  return text(number_text(value) + (*unit ? " " : "") + unit, mark);
}

void Elaborator::put(Node& fields, const char* key, Node value) {
  const Mark mark = value.mark;
  fields.entries.push_back({key, mark, std::move(value)});
}

Node& Elaborator::add(const Device& d, Instance& in, const char* type) {
  Node fields = Node::mapping({});
  fields.mark = d.name.mark();
  put(fields, "type", text(type, d.name.mark()));
  components_.push_back({in.prefix + d.id, d.name.mark(), std::move(fields)});
  return components_.back().value;
}

Node Elaborator::between(const Word& a, const Word& b, Instance& in) {
  Node n = Node::sequence({text(node(a, in), a.mark()), text(node(b, in), b.mark())});
  n.mark = a.mark();
  return n;
}

void Elaborator::put_model(Node& fields, const ModelValues& values) {
  for (const ModelParameter& p : values.table().parameters)
    if (p.role == ModelParameter::Role::value && values.has(p.name))
      put(fields, p.key, quantity(values.get(p.name, 0), p.unit, values.mark(p.name)));
}

void Elaborator::put_temperature(Node& fields, double celsius, const Mark& mark) {
  if (celsius != nominal_celsius) put(fields, "temperature", quantity(celsius + zero_celsius, "K", mark));
}

void Elaborator::device(const Device& d, Instance& in) {
  switch (d.letter) {
    case 'r':
      return resistor(d, in);
    case 'c':
      return capacitor(d, in);
    case 'l':
      return inductor(d, in);
    case 'v':
    case 'i':
      return source(d, in);
    case 'e':
      return controlled(d, in);
    case 'g':
      return controlled(d, in);
    case 'f':
    case 'h':
      return current_controlled(d, in);
    case 'b':
      return behavioural(d, in, "v", "i");
    case 'd':
      return diode(d, in);
    case 'q':
      return bipolar(d, in);
    case 'm':
      return mosfet(d, in);
    default:
      return switches(d, in);
  }
}

// ------------------------------------------------------------------ R, C

/// The value of R, C or L: by position, by name or from a model; with temperature coefficients.
double Elaborator::passive_value(const Arguments& a, Instance& in, const char* key, const char* type,
                                 const char* model_value, Word& place) {
  const Arguments::Named* by_name = a.find(key);
  const Word* by_position = nullptr;
  const Word* by_model = nullptr;
  for (std::size_t i = 2; i < a.words.size(); ++i) {
    const bool is_model = *type && a.words[i].is_word() && find_model(a.words[i].text, in).model;
    const Word*& to = is_model || by_position ? by_model : by_position;
    if (to)
      throw fault("E-SYNTAX", a.words[i].mark(), where_, fmt::format("unexpected `{}`", a.words[i].text));
    to = &a.words[i];
  }
  if (by_name && by_position)
    throw fault("E-DUPLICATE", by_name->name.mark(), where_, "the value is given twice",
                "remove one of the two");
  const double celsius = this->celsius(a, in), above = celsius - nominal_celsius;
  double tc1 = 0, tc2 = 0;
  std::optional<double> result;
  if (by_name) place = by_name->values[0], result = value(place, in);
  if (by_position) place = *by_position, result = value(place, in);
  if (by_model) {
    const std::string long_type = *type == 'r' ? "res" : "cap";
    const ModelValues m = model(*by_model, in, {type, long_type}, celsius);
    tc1 = m.get("tc1", 0);
    tc2 = m.get("tc2", 0);
    if (!result && m.has(model_value)) place = *by_model, result = m.get(model_value, 0);
  }
  if (!result)
    throw fault("E-MISSING", a.words.back().mark(), where_,
                fmt::format("the value is missing in {}", a.words[0].card->shown()), "a number, as in 4.7k");
  if (const Arguments::Named* tc = a.find("tc")) {
    tc1 = value(tc->values[0], in);
    if (tc->values.size() > 1) tc2 = value(tc->values[1], in);
  }
  tc1 = named(a, "tc1", tc1, in);
  tc2 = named(a, "tc2", tc2, in);
  const double times = named(a, "m", 1, in);
  if (!(times > 0))
    throw fault("E-RANGE", a.find("m")->values[0].mark(), where_, fmt::format("m={} must be > 0", times));
  const double v = *result * (1 + above * (tc1 + above * tc2));
  return *key == 'c' ? v * times : v / times;
}

void Elaborator::resistor(const Device& d, Instance& in) {
  const Arguments a =
      arguments(d, 2, 4, "R1 A B VALUE", {"r", "tc", "tc1", "tc2", "temp", "m"}, {"noisy", "ac"});
  Word place;
  const double ohms = passive_value(a, in, "r", "r", "r", place);
  Node wires = between(a.words[0], a.words[1], in);
  Node& fields = add(d, in, "electric.resistor");
  put(fields, "resistance", quantity(ohms, "ohm", place.mark()));
  put(fields, "between", std::move(wires));
}

void Elaborator::capacitor(const Device& d, Instance& in) {
  const Arguments a =
      arguments(d, 2, 4, "C1 A B VALUE IC=VOLTS", {"c", "ic", "tc", "tc1", "tc2", "temp", "m"});
  Word place;
  const double farads = passive_value(a, in, "c", "c", "cap", place);
  Node wires = between(a.words[0], a.words[1], in);
  const Arguments::Named* ic = a.find("ic");
  const double volts = named(a, "ic", 0, in);
  const std::string from = wires.items[0].text, to = wires.items[1].text;
  if ((from == "ground") != (to == "ground"))
    grounded_[from == "ground" ? to : from].push_back({components_.size(), from == "ground" ? -1.0 : 1.0});
  Node& fields = add(d, in, "electric.capacitor");
  put(fields, "capacitance", quantity(farads, "F", place.mark()));
  put(fields, "between", std::move(wires));
  if (!ic && !deck_.uic) return;
  Node initial = Node::mapping({});
  initial.mark = ic ? ic->values[0].mark() : d.name.mark();
  put(initial, "voltage", quantity(volts, "V", initial.mark));
  put(fields, "initial", std::move(initial));
}

}  // namespace escapement::netlist
