#include "netlist/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"

namespace escapement::netlist {
namespace {

constexpr std::size_t most_devices = 300'000, deepest_parameter = 100;
constexpr int deepest_subcircuit = 50;

bool reserved(std::string_view id) { return id == "ground" || id == "t" || id == "pi"; }

}  // namespace

std::string Elaborator::at(const Instance& in, const std::string& id) const {
  std::string path = use_.path;
  const std::string inner = in.prefix + id;
  if (!path.empty() && !inner.empty()) path += ".";
  path += inner;
  if (path.ends_with('.')) path.pop_back();
  return path;
}

// ------------------------------------------------------------------ parameters

double Elaborator::parameter(Instance& in, const std::string& name, const Mark& mark) {
  for (Instance* s = &in; s; s = s->parent) {
    if (const auto known = s->parameters.find(name); known != s->parameters.end()) return known->second;
    const auto given = s->definition->parameters.find(name);
    if (given == s->definition->parameters.end()) continue;
    const std::pair<const Instance*, std::string> self(s, name);
    if (const auto circle = std::find(evaluating_.begin(), evaluating_.end(), self);
        circle != evaluating_.end()) {
      std::string path;
      for (auto p = circle; p != evaluating_.end(); ++p) path += p->second + " → ";
      throw fault("E-CYCLE", given->second.name.mark(), where_,
                  fmt::format("parameters refer to each other in a circle: {}{}", path, name));
    }
    if (evaluating_.size() >= deepest_parameter)
      throw fault("E-LIMIT", given->second.name.mark(), where_, "parameters refer to each other too deeply");
    struct Leave {
      decltype(evaluating_)& list;
      ~Leave() { list.pop_back(); }
    };
    evaluating_.push_back(self);
    const Leave leave{evaluating_};
    const double number = value(given->second.value, *s);
    s->parameters.emplace(name, number);
    return number;
  }
  std::vector<std::string> names;
  for (const Instance* s = &in; s; s = s->parent)
    for (const auto& [known, a] : s->definition->parameters)
      if (names.size() < 2000) names.push_back(known);
  throw fault("E-REFERENCE", mark, where_, fmt::format("there is no parameter `{}`", name),
              did_you_mean(name, names, "a number, or a name that .param defines"));
}

Formula::Scope Elaborator::scope(Instance& in) {
  Formula::Scope s;
  s.parameter = [this, &in](const std::string& name, const Mark& mark) { return parameter(in, name, mark); };
  s.temperature = celsius_.value_or(nominal_celsius);
  return s;
}

double Elaborator::value(const Word& word, Instance& in) {
  if (word.kind == Word::Kind::word) {
    double number = 0;
    const NumberFault wrong = read_number(word.text, number);
    if (wrong == NumberFault::none) return number;
    if (wrong == NumberFault::out_of_range)
      throw fault("E-RANGE", word.mark(), where_, fmt::format("the number `{}` is out of range", word.text));
    const std::size_t sign = word.text.find_first_not_of("+-");
    if (sign == std::string::npos || (word.text[sign] >= '0' && word.text[sign] <= '9') ||
        word.text[sign] == '.')
      throw fault("E-VALUE", word.mark(), where_, fmt::format("`{}` is not a number", word.text),
                  "a number and a scale, as in 4.7k; expressions stand in { }");
  } else if (word.kind != Word::Kind::expression) {
    throw fault("E-VALUE", word.mark(), where_, fmt::format("expected a number, found `{}`", word.text));
  }
  return Formula::parse(word, where_).evaluate(scope(in));
}

double Elaborator::celsius(const Arguments& a, Instance& in) {
  const Arguments::Named* own = a.find("temp");
  const double T = own ? value(own->values[0], in) : celsius_.value_or(nominal_celsius);
  if (T > -zero_celsius && T < 1000) return T;
  throw fault("E-RANGE", own ? own->values[0].mark() : deck_.temperature->mark(), where_,
              fmt::format("{} °C is no temperature of a device", T), "temperatures are in °C");
}

// ------------------------------------------------------------------ nodes

const std::string& Elaborator::node_id(const Word& word, const Definition& in) {
  NodeNames& names = names_[&in];
  if (const auto known = names.ids.find(word.text); known != names.ids.end()) return known->second;
  std::string id = identifier(word.text);
  if (reserved(id) || in.device_ids.contains(id)) id = "n_" + id;  // devices keep their names
  if (in.device_ids.contains(id))
    throw fault("E-NAME", word.mark(), where_,
                fmt::format("the node `{}` and a device would both be called `{}`", word.text, id),
                "rename one of the two");
  const auto [other, free] = names.origins.emplace(id, word.text);
  if (!free)
    throw fault(
        "E-NAME", word.mark(), where_,
        fmt::format("the nodes `{}` and `{}` would both be called `{}`", word.text, other->second, id),
        "rename one of the two");
  return names.ids.emplace(word.text, std::move(id)).first->second;
}

/// A node of this subcircuit itself, declared where it is met first.
std::string Elaborator::declared(const Word& word, Instance& in) {
  const std::string& id = node_id(word, *in.definition);
  if (!in.user) {
    const auto outer = use_.connect.find(id);
    if (outer != use_.connect.end() && outer->second == "ground") {
      known_nodes_.insert(id);
      return "ground";
    }
  }
  std::string name = in.prefix + id;
  if (known_nodes_.insert(name).second) nodes_.emplace_back(name, word.mark());
  return name;
}

std::string Elaborator::node(const Word& word, Instance& in) {
  if (!word.is_word())
    throw fault("E-SYNTAX", word.mark(), where_, fmt::format("expected a node, found `{}`", word.text));
  if (is_ground(word.text)) return "ground";
  if (const auto known = in.nodes.find(word.text); known != in.nodes.end()) return known->second;
  Instance* owner = in.user && deck_.global_nodes.contains(word.text) ? &instances_.front() : &in;
  return in.nodes.emplace(word.text, declared(word, *owner)).first->second;
}

/// A node that some device has; `x1.out` is the node of a subcircuit.
std::optional<std::string> Elaborator::existing_node(const std::string& name, Instance& in) {
  if (const auto known = in.nodes.find(name); known != in.nodes.end()) return known->second;
  if (in.user && deck_.global_nodes.contains(name)) {
    const auto top = instances_.front().nodes.find(name);
    if (top != instances_.front().nodes.end()) return top->second;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  std::string path;
  for (std::size_t begin = 0; begin <= dot;) {
    const std::size_t end = name.find('.', begin);
    path += identifier(name.substr(begin, end - begin)) + ".";
    begin = end + 1;
  }
  path = in.prefix + path;
  if (by_prefix_.empty())
    for (Instance& instance : instances_) by_prefix_.emplace(instance.prefix, &instance);
  const auto inner = by_prefix_.find(path);
  if (inner == by_prefix_.end()) return std::nullopt;
  const auto known = inner->second->nodes.find(name.substr(dot + 1));
  return known == inner->second->nodes.end() ? std::nullopt : std::optional(known->second);
}

/// `.ic v(node)=x`: the initial voltage of the capacitors between the node and ground.
void Elaborator::initial_voltages(Instance& in, const Card& card) {
  where_ = at(in);
  const std::vector<Word> list = words(card, where_, deck_.limits.nodes);
  for (std::size_t i = 1; i < list.size(); i += 6) {
    if (!list[i].is("v") || i + 5 >= list.size() || list[i + 1].kind != Word::Kind::open ||
        !list[i + 2].is_word() || list[i + 3].kind != Word::Kind::close ||
        list[i + 4].kind != Word::Kind::equals)
      throw fault("E-SYNTAX", list[i].mark(), where_,
                  fmt::format("expected v(node)=value in {}", card.shown()), ".ic v(NODE)=VALUE");
    const double volts = value(list[i + 5], in);
    const Word& name = list[i + 2];
    const auto node = is_ground(name.text) ? std::optional<std::string>() : existing_node(name.text, in);
    if (!node)
      throw fault("E-REFERENCE", name.mark(), where_, fmt::format("there is no node `{}`", name.text));
    const auto found = grounded_.find(*node);
    if (found == grounded_.end())
      throw fault(
          "E-UNSUPPORTED", name.mark(), where_,
          fmt::format("the node `{}` is held at the start, but no capacitor lies between it and ground",
                      name.text),
          "give the capacitor that keeps the voltage an IC=");
    for (const Grounded& g : found->second) {
      Node& fields = components_[g.component].value;
      if (fields.find("initial") && !deck_.uic)
        throw fault("E-CHOICE", name.mark(), where_,
                    fmt::format("the capacitor `{}` has an IC= already", components_[g.component].key),
                    "remove one of the two");
      std::erase_if(fields.entries, [](const Node::Entry& e) { return e.key == "initial"; });
      Node initial = Node::mapping({});
      initial.mark = list[i + 5].mark();
      put(initial, "voltage", quantity(g.sign * volts, "V", initial.mark));
      put(fields, "initial", std::move(initial));
    }
  }
}

// ------------------------------------------------------------------ subcircuits and models

void Elaborator::unfold(Instance& in) {
  where_ = at(in);
  diagnostics_.collect([&] { couplings(in); });
  for (const Device& d : in.definition->devices) {
    if (++devices_ > most_devices)
      throw fault("E-LIMIT", d.name.mark(), at(in, d.id),
                  fmt::format("the netlist has more than {} devices", most_devices),
                  "subcircuits within subcircuits multiply");
    where_ = at(in, d.id);
    if (d.letter == 'x') subcircuit(d, in);
    else if (d.letter != 'k') diagnostics_.collect([&] { device(d, in); });
  }
}

void Elaborator::subcircuit(const Device& d, Instance& in) {
  Instance* made = nullptr;
  diagnostics_.collect([&] {
    const char* const form = "X1 NODES … NAME PARAMETER=VALUE …";
    Arguments a = arguments(d, 1, 1001, form, {"*"});
    const Word name = a.words.back();
    a.words.pop_back();
    const Definition* found = nullptr;
    Instance* parent = &in;
    std::vector<std::string> names;
    for (; parent; parent = parent->parent) {
      const auto& all = parent->definition->subcircuits;
      if (const auto known = all.find(name.text); known != all.end()) {
        found = known->second.get();
        break;
      }
      for (const auto& [other, definition] : all) names.push_back(other);
    }
    if (!found)
      throw fault("E-REFERENCE", name.mark(), where_, fmt::format("there is no subcircuit `{}`", name.text),
                  did_you_mean(name.text, names, ".subckt defines one, .include reads a file of them"));
    int depth = 0;
    for (const Instance* user = &in; user; user = user->user, ++depth)
      if (user->definition == found)
        throw fault("E-CYCLE", name.mark(), where_,
                    fmt::format("the subcircuit `{}` uses itself", name.text));
    if (depth > deepest_subcircuit)
      throw fault("E-LIMIT", name.mark(), where_, "subcircuits are nested too deeply");
    if (a.words.size() != found->ports.size())
      throw fault("E-SYNTAX", name.mark(), where_,
                  fmt::format("the subcircuit `{}` has {} nodes, {} are given", name.text,
                              found->ports.size(), a.words.size()),
                  fmt::format("it was defined at line {}", found->name.mark().line));
    Instance inner{found, parent, &in, in.prefix + d.id + ".", {}, {}, {}};
    for (std::size_t i = 0; i < a.words.size(); ++i)
      inner.nodes.emplace(found->ports[i].text, node(a.words[i], in));
    for (const Arguments::Named& n : a.named) {
      if (!found->arguments.contains(n.name.text))
        throw fault("E-KEY", n.name.mark(), where_,
                    fmt::format("the subcircuit `{}` has no parameter `{}`", name.text, n.name.text),
                    did_you_mean(n.name.text, found->arguments, "parameters stand on its .subckt card"));
      if (!inner.parameters.emplace(n.name.text, value(n.values[0], in)).second)
        throw fault("E-DUPLICATE", n.name.mark(), where_, fmt::format("`{}` is given twice", n.name.text));
    }
    made = &instances_.emplace_back(std::move(inner));
  });
  if (made) unfold(*made);
}

Elaborator::FoundModel Elaborator::find_model(const std::string& name, Instance& in) const {
  for (Instance* s = &in; s; s = s->parent)
    if (const auto known = s->definition->models.find(name); known != s->definition->models.end())
      return {&known->second, s};
  return {};
}

ModelValues Elaborator::model(const Word& name, Instance& in, std::initializer_list<std::string_view> types,
                              double celsius) {
  const FoundModel found = find_model(name.text, in);
  if (!found.model) {
    std::vector<std::string> names;
    for (const Instance* s = &in; s; s = s->parent)
      for (const auto& [known, m] : s->definition->models)
        if (names.size() < 2000) names.push_back(known);
    throw fault("E-REFERENCE", name.mark(), where_, fmt::format("there is no model `{}`", name.text),
                did_you_mean(name.text, names, fmt::format(".model {} {}(…)", name.text, *types.begin())));
  }
  const std::string& type = found.model->type.text;
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    if (!model_table(type))
      throw fault("E-UNSUPPORTED", found.model->type.mark(), where_,
                  fmt::format("models of the type `{}` are not supported", type),
                  fmt::format("here one of {}", fmt::join(types, ", ")));
    throw fault("E-TYPE", name.mark(), where_,
                fmt::format("the model `{}` is of the type `{}`", name.text, type),
                fmt::format("here one of {}", fmt::join(types, ", ")));
  }
  return ModelValues(
      *found.model, celsius, [&](const Word& w) { return value(w, *found.in); }, where_);
}

// ------------------------------------------------------------------ the tree

SubsystemTree Elaborator::run() {
  Instance& top = instances_.emplace_back(Instance{&deck_.top, nullptr, nullptr, "", {}, {}, {}});
  for (const auto& [name, number] : use_.parameters) top.parameters.emplace(name, number);
  where_ = at(top);
  if (deck_.temperature) diagnostics_.collect([&] { celsius_ = value(*deck_.temperature, top); });
  for (const std::string& name :
       deck_.top.parameter_order)  // all are evaluated: a wrong one is told, used or not
    diagnostics_.collect([&] { parameter(top, name, {}); });
  diagnostics_.stop();
  for (const Device& d :
       deck_.top.devices) {  // a source that is connected gets a port of a name that is free
    if ((d.letter != 'v' && d.letter != 'i') || !use_.connect.contains(d.id)) continue;
    std::string port = d.id + "_input";
    while (deck_.top.device_ids.contains(port)) port += "_";
    driven_[d.id] = port;
  }
  unfold(top);
  for (const Later& l : later_)
    diagnostics_.collect([&] {
      where_ = at(*l.in, l.device->id);
      Node inputs = Node::mapping({});
      inputs.mark = l.expression.mark();
      Node& fields = components_[l.component].value;
      const std::string expression = translated(l.expression, *l.in, inputs);
      Node law = text(fmt::format("({})*(1 {})", expression, l.voltage ? "V" : "A"), l.expression.mark());
      law.quoted = true;
      if (inputs.entries.empty()) {  // of time alone
        fields.find("type")->text = l.voltage ? "electric.voltage_source" : "electric.current_source";
        put(fields, "expression", std::move(law));
        return;
      }
      put(fields, "inputs", std::move(inputs));
      put(fields, l.voltage ? "voltage" : "current", std::move(law));
    });
  for (Instance& in : instances_)
    for (const Card* card : in.definition->initial)
      diagnostics_.collect([&] { initial_voltages(in, *card); });
  diagnostics_.stop();
  if (components_.empty())
    throw fault("E-MISSING", deck_.title_mark, use_.path, "the netlist has no devices",
                "the first line is its title, and everything after .end is left out");
  return tree();
}

SubsystemTree Elaborator::tree() {
  SubsystemTree result;
  Node& root = result.root;
  root = Node::mapping({});
  root.mark = deck_.title_mark;
  put(root, "escapement", text("1", root.mark));
  if (!deck_.title.empty()) {
    Node title = text(deck_.title, root.mark);
    title.quoted = true;
    put(root, "title", std::move(title));
  }
  Node ports = Node::mapping({}), list = Node::sequence({});
  ports.mark = list.mark = root.mark;
  for (auto& [name, mark] : nodes_) {
    if (use_.connect.contains(name)) {
      put(ports, name.c_str(), text("electrical", mark));
      result.connections[name] = name;
    } else {
      list.items.push_back(text(name, mark));
    }
  }
  for (const auto& [source, port] : driven_) {
    put(ports, port.c_str(), text("signal", deck_.top.devices[deck_.top.device_ids.at(source)].name.mark()));
    result.connections[port] = source;
  }
  for (const std::string& name : known_nodes_)
    if (name.find('.') == std::string::npos) result.connectable.push_back(name);
  for (const Device& d : deck_.top.devices)
    if (d.letter == 'v' || d.letter == 'i') result.connectable.push_back(d.id);
  if (!ports.entries.empty()) put(root, "ports", std::move(ports));
  if (!list.items.empty()) {
    Node nodes = Node::mapping({});
    nodes.mark = root.mark;
    put(nodes, "electrical", std::move(list));
    put(root, "nodes", std::move(nodes));
  }
  Node parts = Node::mapping(std::move(components_));
  parts.mark = root.mark;
  put(root, "components", std::move(parts));
  return result;
}

}  // namespace escapement::netlist
