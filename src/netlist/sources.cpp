// Sources of netlists as components.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "base/nearest_name.hpp"
#include "model/expression.hpp"
#include "model/units.hpp"
#include "netlist/elaborator.hpp"

namespace escapement::netlist {

// ------------------------------------------------------------------ V, I

/// SIN, PULSE, PWL, EXP with its values.
struct Elaborator::Waveform {
  const Word& name;
  Instance& in;
  const char* unit;
  std::vector<const Word*> values = {};
  double shift = 0;  // TD= of PWL
};

/// From the word `at` on; moves `at` behind it. `key`: the field of the component.
Node Elaborator::waveform(const std::vector<Word>& words, std::size_t& at, Instance& in, const char* unit,
                          std::string& key) {
  const Waveform wave = read_waveform(words, at, in, unit);
  const auto is = [&](const char* name) { return wave.name.is(name); };
  key = is("sin") || is("sine") ? "sine" : is("pulse") ? "pulse" : is("exp") ? "exponential" : "table";
  if (key == "table") return table(wave);
  Node fields = Node::mapping({});
  fields.mark = wave.name.mark();
  if (key == "sine") put_sine(fields, wave);
  else if (key == "pulse") put_pulse(fields, wave);
  else put_exponential(fields, wave);
  return fields;
}

Elaborator::Waveform Elaborator::read_waveform(const std::vector<Word>& words, std::size_t& at, Instance& in,
                                               const char* unit) {
  const Word& name = words[at++];
  Waveform wave{name, in, unit};
  const bool parenthesis = at < words.size() && words[at].kind == Word::Kind::open;
  if (parenthesis) ++at;
  while (at < words.size() && words[at].kind != Word::Kind::close) {
    if (!words[at].is_value() ||
        (at + 1 < words.size() && words[at + 1].kind == Word::Kind::equals && !words[at].is("td")))
      throw fault(words[at].is("r") || words[at].is("file") ? "E-UNSUPPORTED" : "E-SYNTAX", words[at].mark(),
                  where_, fmt::format("unexpected `{}` in {}", words[at].text, name.card->shown()),
                  words[at].is("r") ? "a repeated PWL is a table of the model" : "");
    if (words[at].is("td") && at + 2 < words.size() && words[at + 1].kind == Word::Kind::equals) {
      wave.shift = value(words[at + 2], in);
      at += 3;
      continue;
    }
    if (!parenthesis && (words[at].is("ac") || words[at].is("dc"))) break;
    wave.values.push_back(&words[at++]);
  }
  if (parenthesis) {
    if (at == words.size())
      throw fault("E-SYNTAX", name.mark(), where_,
                  fmt::format("the parenthesis of {} is not closed", name.text), "add `)`");
    ++at;
  }
  return wave;
}

void Elaborator::check_count(const Waveform& wave, std::size_t least, std::size_t most,
                             const char* form) const {
  const auto& [name, in, unit, values, shift] = wave;
  if (values.size() < least)
    throw fault("E-MISSING", name.mark(), where_,
                fmt::format("{} has {} values, needs {}", name.text, values.size(), least), form);
  if (values.size() > most)
    throw fault("E-SYNTAX", values[most]->mark(), where_,
                fmt::format("{} has {} values, takes at most {}", name.text, values.size(), most), form);
}

/// Value i, if it is given.
void Elaborator::put_value(Node& fields, const char* key, const Waveform& wave, std::size_t i,
                           const char* unit, double factor) {
  if (i >= wave.values.size()) return;
  const Word& word = *wave.values[i];
  put(fields, key, quantity(factor * value(word, wave.in), unit, word.mark()));
}

void Elaborator::put_sine(Node& fields, const Waveform& wave) {
  check_count(wave, 3, 6, "SIN(OFFSET AMPLITUDE FREQUENCY DELAY DAMPING PHASE)");
  put_value(fields, "offset", wave, 0, wave.unit);
  put_value(fields, "amplitude", wave, 1, wave.unit);
  put_value(fields, "frequency", wave, 2, "Hz");
  put_value(fields, "delay", wave, 3, "s");
  put_value(fields, "damping", wave, 4, "1/s");
  put_value(fields, "phase", wave, 5, "rad", std::numbers::pi / 180);
}

void Elaborator::put_pulse(Node& fields, const Waveform& wave) {
  check_count(wave, 2, 8, "PULSE(LOW HIGH DELAY RISE FALL WIDTH PERIOD COUNT)");
  const auto given = [&](std::size_t i) {  // a width, period or count of 0 is none
    return i < wave.values.size() && value(*wave.values[i], wave.in) != 0;
  };
  put_value(fields, "low", wave, 0, wave.unit);
  put_value(fields, "high", wave, 1, wave.unit);
  put_value(fields, "delay", wave, 2, "s");
  put_value(fields, "rise", wave, 3, "s");
  put_value(fields, "fall", wave, 4, "s");
  if (given(5)) put_value(fields, "width", wave, 5, "s");
  if (given(6)) put_value(fields, "period", wave, 6, "s");
  if (given(7)) put_value(fields, "count", wave, 7, "");
}

void Elaborator::put_exponential(Node& fields, const Waveform& wave) {
  check_count(wave, 6, 6, "EXP(LOW HIGH RISE_DELAY RISE_TIME FALL_DELAY FALL_TIME)");
  put_value(fields, "low", wave, 0, wave.unit);
  put_value(fields, "high", wave, 1, wave.unit);
  put_value(fields, "rise_delay", wave, 2, "s");
  put_value(fields, "rise_time", wave, 3, "s");
  put_value(fields, "fall_delay", wave, 4, "s");
  put_value(fields, "fall_time", wave, 5, "s");
}

/// Of PWL.
Node Elaborator::table(const Waveform& wave) {
  const char* const form = "PWL(T1 VALUE1 T2 VALUE2 …)";
  check_count(wave, 2, 10'000'000, form);
  const auto& values = wave.values;
  if (values.size() % 2 != 0)
    throw fault("E-MISSING", values.back()->mark(), where_, "the last time has no value", form);
  Node points = Node::sequence({});
  points.mark = wave.name.mark();
  double last = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const double t = value(*values[i], wave.in) + wave.shift;
    if (i > 0 && !(t > last))
      throw fault("E-TABLE", values[i]->mark(), where_,
                  fmt::format("the times do not increase: {} s after {} s", t, last),
                  "a jump is two points a short time apart");
    last = t;
    Node point = Node::sequence({quantity(t, "s", values[i]->mark()),
                                 quantity(value(*values[i + 1], wave.in), wave.unit, values[i + 1]->mark())});
    point.mark = values[i]->mark();
    points.items.push_back(std::move(point));
  }
  return points;
}

void Elaborator::source(const Device& d, Instance& in) {
  const bool voltage = d.letter == 'v';
  const char* const unit = voltage ? "V" : "A";
  const char* const form = "V1 PLUS MINUS DC VALUE, or SIN(…), PULSE(…), PWL(…), EXP(…)";
  std::vector<Word> list;
  for (const Word& w : d.words)
    if (list.size() >= 2 || (w.kind != Word::Kind::open && w.kind != Word::Kind::close)) list.push_back(w);
  if (list.size() < 2)
    throw fault("E-MISSING", d.name.mark(), where_, fmt::format("too few nodes in {}", d.name.card->shown()),
                form);
  std::optional<Node> constant, shape;
  std::string key;
  const auto set = [&](const Word& w) {
    if (constant) throw fault("E-DUPLICATE", w.mark(), where_, "the value is given twice", form);
    constant = quantity(value(w, in), unit, w.mark());
  };
  double number;
  for (std::size_t i = 2; i < list.size();) {
    const Word& w = list[i];
    const bool alone = i + 1 >= list.size() || list[i + 1].is_value();  // no `sffm(`, no `r=`
    if (w.is("dc")) {
      if (i + 1 < list.size() && list[i + 1].kind == Word::Kind::equals) ++i;
      if (i + 1 >= list.size() || !list[i + 1].is_value())
        throw fault("E-MISSING", w.mark(), where_, "DC has no value", form);
      set(list[i + 1]);
      i += 2;
    } else if (w.is("ac")) {  // for analyses in frequency: magnitude and phase
      ++i;
      for (int k = 0; k < 2 && i < list.size(); ++k)
        if (list[i].kind == Word::Kind::expression || read_number(list[i].text, number) == NumberFault::none)
          ++i;
    } else if (w.is("sin") || w.is("sine") || w.is("pulse") || w.is("pwl") || w.is("exp")) {
      if (shape) throw fault("E-DUPLICATE", w.mark(), where_, "the source has two waveforms", form);
      shape = waveform(list, i, in, unit, key);
    } else if (w.is_value() && alone && !constant) {
      set(w);
      ++i;
    } else {
      throw fault("E-UNSUPPORTED", w.mark(), where_,
                  fmt::format("`{}` is not supported here: {}", w.text, d.name.card->shown()), form);
    }
  }
  Node wires = between(list[0], list[1], in);
  Node& fields = add(d, in, voltage ? "electric.voltage_source" : "electric.current_source");
  put(fields, "between", std::move(wires));
  const auto driven = in.user ? driven_.end() : driven_.find(d.id);
  if (driven != driven_.end()) put(fields, "input", text(driven->second, d.name.mark()));
  else if (shape) put(fields, key.c_str(), std::move(*shape));
  else put(fields, "value", constant ? std::move(*constant) : quantity(0, unit, d.name.mark()));
}

// ------------------------------------------------------------------ E, G, F, H, B

void Elaborator::controlled(const Device& d, Instance& in) {
  const bool voltage = d.letter == 'e';
  for (std::size_t i = 2; i < d.words.size(); ++i) {
    const Word& w = d.words[i];
    const bool assigned = i + 1 < d.words.size() && d.words[i + 1].kind == Word::Kind::equals;
    if (assigned && (w.is("value") || w.is(voltage ? "vol" : "cur")))
      return voltage ? behavioural(d, in, w.text, "") : behavioural(d, in, "", w.text);
    if (i == 2 && (w.is("poly") || w.is("table") || w.is("laplace") || w.is("freq") || w.is("value") ||
                   w.is("cur") || w.is("vol")))
      throw fault("E-UNSUPPORTED", w.mark(), where_,
                  fmt::format("`{}` is not supported here: {}", w.text, d.name.card->shown()),
                  voltage ? "E1 A B C D GAIN, or E1 A B VALUE={EXPRESSION}"
                          : "G1 A B C D GAIN, or G1 A B VALUE={EXPRESSION}");
  }
  const Arguments a = arguments(d, 5, 5, voltage ? "E1 A B C D GAIN" : "G1 A B C D TRANSCONDUCTANCE", {});
  const double gain = value(a.words[4], in);
  Node wires = between(a.words[0], a.words[1], in), control = between(a.words[2], a.words[3], in);
  Node& fields = add(d, in, voltage ? "electric.vcvs" : "electric.vccs");
  put(fields, voltage ? "gain" : "transconductance", quantity(gain, voltage ? "" : "S", a.words[4].mark()));
  put(fields, "between", std::move(wires));
  put(fields, "control", std::move(control));
}

/// The signal that is the current of a device.
std::string Elaborator::current_of(const Word& name, Instance& in) {
  const Definition& def = *in.definition;
  const auto found = def.device_names.find(name.text);
  if (found != def.device_names.end()) {
    const Device& of = def.devices[found->second];
    if (const auto coil = in.windings.find(of.name.text); coil != in.windings.end())
      return coil->second + ".current";
    return in.prefix + of.id + ".current";
  }
  std::vector<std::string> names;
  for (const Device& other : def.devices)
    if (other.letter == 'v' && names.size() < 2000) names.push_back(other.name.text);
  throw fault(
      "E-REFERENCE", name.mark(), where_, fmt::format("there is no source `{}`", name.text),
      did_you_mean(name.text, names, "the current of a voltage source of this netlist or subcircuit"));
}

void Elaborator::current_controlled(const Device& d, Instance& in) {
  const bool voltage = d.letter == 'h';
  const char* const form = voltage ? "H1 A B V1 TRANSRESISTANCE" : "F1 A B V1 GAIN";
  if (d.words.size() > 2 && (d.words[2].is("poly") || d.words[2].is("value")))
    throw fault("E-UNSUPPORTED", d.words[2].mark(), where_,
                fmt::format("`{}` is not supported here: {}", d.words[2].text, d.name.card->shown()), form);
  const Arguments a = arguments(d, 4, 4, form, {});
  const std::string current = current_of(a.words[2], in);
  if (a.words[2].text[0] != 'v')
    throw fault("E-REFERENCE", a.words[2].mark(), where_,
                fmt::format("`{}` is not a voltage source", a.words[2].text), "V1 A B 0 measures a current");
  const double gain = value(a.words[3], in);
  Node wires = between(a.words[0], a.words[1], in);
  Node& fields = add(d, in, voltage ? "electric.ccvs" : "electric.cccs");
  put(fields, voltage ? "transresistance" : "gain", quantity(gain, voltage ? "ohm" : "", a.words[3].mark()));
  put(fields, "between", std::move(wires));
  put(fields, "input", text(current, a.words[2].mark()));
}

/// The expression after `v=` or `i=` (or whatever they are called): in { } or ' ', or all that follows.
void Elaborator::behavioural(const Device& d, Instance& in, std::string_view voltage,
                             std::string_view current) {
  const char* const form = "B1 A B V={EXPRESSION}, or I={EXPRESSION}";
  std::vector<Word> nodes;
  std::size_t i = 0;
  const auto assigned = [&] { return i + 1 < d.words.size() && d.words[i + 1].kind == Word::Kind::equals; };
  for (; i < d.words.size() && !assigned(); ++i)
    if (d.words[i].is_word()) nodes.push_back(d.words[i]);
  if (nodes.size() != 2 || i == d.words.size())
    throw fault(nodes.size() > 2 ? "E-SYNTAX" : "E-MISSING", d.name.mark(), where_,
                fmt::format("expected two nodes and an expression in {}", d.name.card->shown()), form);
  const bool is_voltage = d.words[i].text == voltage;
  if (!d.words[i].is_word() || (!is_voltage && d.words[i].text != current))
    throw fault("E-UNSUPPORTED", d.words[i].mark(), where_,
                fmt::format("`{}=` is not supported here: {}", d.words[i].text, d.name.card->shown()), form);
  if (i + 2 == d.words.size())
    throw fault("E-MISSING", d.words[i].mark(), where_, "the expression is missing", form);
  Word expression = d.words[i + 2];
  if (expression.kind == Word::Kind::expression) {
    if (i + 3 < d.words.size())
      throw fault("E-UNSUPPORTED", d.words[i + 3].mark(), where_,
                  fmt::format("unexpected `{}` after the expression", d.words[i + 3].text), form);
  } else {
    const Card& card = *d.name.card;
    expression = {Word::Kind::expression, lower(std::string_view(card.text).substr(expression.at)),
                  expression.at, &card};
  }
  Node wires = between(nodes[0], nodes[1], in);
  later_.push_back({components_.size(), &d, &in, expression, is_voltage});
  put(add(d, in, "electric.behavioural_source"), "between", std::move(wires));
}

/// The expression in the language of models; the signals it uses go to `inputs`.
std::string Elaborator::translated(const Word& expression, Instance& in, Node& inputs) {
  Formula::Scope s = scope(in);
  std::map<std::string, std::string> names;  // signal -> name
  std::set<std::string> taken;
  std::vector<std::pair<std::string, std::string>> units;  // of the names
  s.probe = [&](char kind, const std::string& of, const Mark& mark) -> std::optional<Formula::Scope::Probe> {
    std::string signal;
    if (kind == 'v') {
      if (is_ground(of)) return std::nullopt;
      const auto node = existing_node(of, in);
      if (!node) {
        std::vector<std::string> near;
        for (const auto& [name, id] : in.nodes)
          if (near.size() < 2000) near.push_back(name);
        std::sort(near.begin(), near.end());
        throw fault("E-REFERENCE", mark, where_, fmt::format("there is no node `{}`", of),
                    did_you_mean(of, near));
      }
      if (*node == "ground") return std::nullopt;
      signal = *node + ".voltage";
    } else {
      Word name{Word::Kind::word, of, 0, expression.card};
      const Definition& def = *in.definition;
      const auto found = def.device_names.find(of);
      if (found == def.device_names.end() ||
          std::string_view("vehlr").find(def.devices[found->second].letter) == std::string_view::npos)
        throw fault(found == def.device_names.end() ? "E-REFERENCE" : "E-UNSUPPORTED", mark, where_,
                    found == def.device_names.end()
                        ? fmt::format("there is no source `{}`", of)
                        : fmt::format("the current of `{}` is not supported here", of),
                    "the current of a V, E, H, L or R of this netlist or subcircuit");
      signal = current_of(name, in);
    }
    const char* const unit = kind == 'v' ? "V" : "A";
    auto [known, added] = names.emplace(signal, "");
    if (added) {
      std::string name = kind + ("_" + signal.substr(0, signal.rfind('.')));
      std::replace(name.begin(), name.end(), '.', '_');
      while (!taken.insert(name).second) name += "_";
      known->second = name;
      units.emplace_back(name, unit);
      put(inputs, name.c_str(), text(signal, mark));
    }
    return Formula::Scope::Probe{known->second, unit};
  };
  const std::string result = Formula::parse(expression, where_).translate(s);
  try {  // what is wrong with it is told here, where the place is known
    Expression::compile("(" + result + ")*(1 V)",
                        {[&](std::string_view name) -> std::optional<Name> {
                           if (name == "t") return Name{parse_unit("s").dimension, 0};
                           for (std::size_t i = 0; i < units.size(); ++i)
                             if (units[i].first == name)
                               return Name{parse_unit(units[i].second).dimension, static_cast<int>(i) + 1};
                           return std::nullopt;
                         },
                         {}});
  } catch (const ExpressionError& e) {
    throw fault(e.kind == ExpressionError::Kind::range ? "E-RANGE" : "E-EXPRESSION", expression.mark(),
                where_, fmt::format("{} in {}", e.what(), Node(expression.text).described()), e.hint);
  }
  return result;
}

}  // namespace escapement::netlist
