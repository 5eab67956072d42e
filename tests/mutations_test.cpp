// Every key of every component, spoilt in every way a user may spoil it: removed, misspelt, of the wrong type, unit or
// range, connected to the wrong thing. Each must be refused with its code, at its place, under the component's name.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "components/registry.hpp"
#include "model/assembly.hpp"
#include "report/reference.hpp"

using namespace escapement;

namespace {

using Type = Parameter::Type;
using Path = std::vector<std::string>;  // of keys, from the component down

const std::string file = "mutated.yaml";

Node* descend(Node& from, const Path& path) {
  Node* at = &from;
  for (const std::string& key : path) at = at ? at->find(key) : nullptr;
  return at;
}

void put(Node& mapping, const std::string& key, Node value) {
  mapping.kind = Node::Kind::mapping;
  if (Node* old = mapping.find(key)) *old = std::move(value);
  else mapping.entries.push_back({key, {}, std::move(value)});
}

void remove(Node& mapping, const std::string& key) {
  std::erase_if(mapping.entries, [&](const Node::Entry& e) { return e.key == key; });
}

/// One letter less; short keys, and those that begin with a single letter (x_axis, y_axis), get one more: among them many
/// differ by one letter.
std::string misspelt(const std::string& key) {
  if (key.size() < 4 || key[1] == '_') return key + "x";
  std::string word = key;
  return word.erase(1, 1);
}

std::vector<ModelError> errors_of(const std::string& text, const Registry& registry) {
  try {
    assemble(Model::read_text(text, file, registry));
    return {};
  } catch (const ModelErrors& e) {
    return e.errors;
  } catch (const ModelError& e) {
    return {e};
  }
}

/// A place in the text: line by line, then by column.
struct Place {
  int line = 0, column = 0;
  auto operator<=>(const Place&) const = default;
};

Place begin_of(const Mark& mark) { return {mark.line, mark.column}; }

/// Behind the last character of a value; quotes and brackets are counted generously.
Place end_of(const Node& node) {
  Place end{node.mark.line, node.mark.column + static_cast<int>(node.text.size()) + 2};
  for (const Node& item : node.items) end = std::max(end, end_of(item));
  for (const Node::Entry& e : node.entries) end = std::max(end, end_of(e.value));
  return end;
}

/// A unit of another dimension.
std::string wrong_unit(const std::string& unit) {
  for (const char* other : {"kg", "m", "s"})
    if (!compatible(parse_unit(other).dimension, parse_unit(unit).dimension)) return other;
  return "A";
}

std::string quantity(double value, const std::string& unit) {
  return fmt::format("{:.17g}{}", value, unit == "1" || unit == "any" ? "" : " " + unit);
}

/// A value of the right type in this unit: as many numbers as the key takes.
Node value_in(const Parameter& p, const std::string& unit, double number = 1) {
  const Node one(quantity(number, unit));
  if (p.type == Type::vector) return Node::sequence(std::vector<Node>(std::max(1, p.size), one));
  if (p.type == Type::matrix) return Node::sequence({Node::sequence({one})});
  return one;
}

Node table_in(const std::string& x, const std::string& y) {
  return Node::sequence({Node::sequence({Node(quantity(1, x)), Node(quantity(1, y))}),
                         Node::sequence({Node(quantity(2, x)), Node(quantity(2, y))})});
}

/// All mutations of one component type.
class Mutations {
 public:
  Mutations(const ComponentType& type, const Registry& registry)
      : type_(type), registry_(registry), model_(read_yaml(example_model(type), nullptr)) {
    for (const Node::Entry& e : model_.find("components")->entries)
      if (const Node* t = e.value.find("type"); t && t->text == type.name) instances_.push_back(e.key);
  }

  int run() {
    const auto errors = errors_of(example_model(type_), registry_);
    CHECK_MESSAGE(errors.empty(), type_.name,
                  ": its example does not assemble: ", errors.empty() ? "" : std::string(errors[0].what()));
    CHECK_MESSAGE(!instances_.empty(), type_.name, ": its example does not use it");
    if (!errors.empty() || instances_.empty()) return 0;
    for (const Parameter& p : type_.parameters) parameter(p, {p.key});
    for (const Port& p : type_.ports) port(p);
    return count_;
  }

 private:
  enum class At { key, value, component };

  // ---- the mutated model and what is said of it

  /// The component to change: one that has the key, else one that can take it.
  std::string instance(const std::string& key) const {
    for (const std::string& name : instances_)
      if (model_.find("components")->find(name)->find(key)) return name;
    return instances_.front();
  }

  /// `change` gets the mapping in which the key stands (made if need be).
  template <class Change>
  void mutate(const Path& path, const char* what, const char* code, At at, const std::string& shown,
              const std::string& hint, Change&& change) {
    const std::string name = instance(path.front());
    Node model = model_;
    Node& component = *model.find("components")->find(name);
    Node* mapping = &component;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      if (!mapping->find(path[i])) put(*mapping, path[i], Node::mapping({}));
      mapping = mapping->find(path[i]);
    }
    if (path.size() == 1 && !component.find(path[0])) make_room(component, path[0]);
    change(*mapping, *model.find("components"));
    Path changed = path;
    changed.back() = shown;
    judge(write_yaml(model), name, changed, what, code, at, hint);
  }

  /// Another key of the same set gives way.
  void make_room(Node& component, const std::string& key) const {
    std::string set;
    for (const Parameter& p : type_.parameters)
      if (p.key == key) set = p.alternative_of;
    for (const Port& p : type_.ports)
      if (p.key == key) set = p.alternative_of;
    if (set.empty()) return;
    for (const Parameter& p : type_.parameters)
      if (p.alternative_of == set) remove(component, p.key);
    for (const Port& p : type_.ports)
      if (p.alternative_of == set) remove(component, p.key);
  }

  void judge(const std::string& text, const std::string& name, const Path& path, const char* what,
             const char* code, At at, const std::string& hint) {
    ++count_;
    const std::string mutation = fmt::format("{}: {}: {}\n{}", type_.name, fmt::join(path, "."), what, text);
    INFO(mutation);
    const auto errors = errors_of(text, registry_);
    CHECK_MESSAGE(!errors.empty(), "accepted");
    if (errors.empty()) return;
    const ModelError& e = errors.front();
    const std::string said = e.what();
    INFO(said);
    CHECK(e.code == std::string(code));
    CHECK(e.where.starts_with(name));
    CHECK(e.place.file == file);
    CHECK(e.hint.find(hint) != std::string::npos);
    check_place({e.place.line, e.place.column}, text, name, path, at);
  }

  static void check_place(const Place& place, const std::string& text, const std::string& name,
                          const Path& path, At at) {
    Node model = read_yaml(text, &file);
    Node& component = *model.find("components")->find(name);
    const Place told = place;
    if (at == At::component) {
      const bool inside = told >= begin_of(component.mark) && told <= end_of(component);
      CHECK_MESSAGE(inside, "the place is outside of the component");
      return;
    }
    Node* mapping = descend(component, Path(path.begin(), path.end() - 1));
    const auto entry = std::find_if(mapping->entries.begin(), mapping->entries.end(),
                                    [&](const Node::Entry& e) { return e.key == path.back(); });
    REQUIRE(entry != mapping->entries.end());
    if (at == At::key) {
      const bool exact = told == begin_of(entry->mark);
      CHECK_MESSAGE(exact, "the place is not that of the key");
    } else {
      const bool inside = told >= begin_of(entry->value.mark) && told <= end_of(entry->value);
      CHECK_MESSAGE(inside, "the place is not within the value");
    }
  }

  void set_value(const Path& path, const char* what, const char* code, const Node& value,
                 const std::string& hint = {}) {
    mutate(path, what, code, At::value, path.back(), hint,
           [&](Node& mapping, Node&) { put(mapping, path.back(), value); });
  }

  // ---- values

  void parameter(const Parameter& p, const Path& path) {
    key(path, p.required, p.alternative_of);
    types(p, path);
    if (p.type == Type::group) {
      // One of several alternatives is complete only where the example has it.
      const Node* component = model_.find("components")->find(instance(path.front()));
      if (!p.alternative_of.empty() && !component->find(p.key)) return;
      for (const Parameter& inner : p.group) {
        Path deeper = path;
        deeper.push_back(inner.key);
        parameter(inner, deeper);
      }
      return;
    }
    units(p, path);
    ranges(p, path);
    if (p.type == Type::choice) {
      set_value(path, "none of the choices", "E-VALUE", Node("none_of_these"));
      set_value(path, "a misspelt choice", "E-VALUE", Node(misspelt(p.choices.front())), p.choices.front());
    }
  }

  void key(const Path& path, bool required, const std::string& alternative_of) {
    const std::string& name = path.back();
    const Node* component = model_.find("components")->find(instance(path.front()));
    const bool given = path.size() == 1 && component->find(name);
    if (given && (required || !alternative_of.empty()))
      mutate(path, "removed", required ? "E-MISSING" : "E-CHOICE", At::component, name, "",
             [&](Node& mapping, Node&) { remove(mapping, name); });
    mutate(path, "misspelt", "E-KEY", At::key, misspelt(name), name, [&](Node& mapping, Node&) {
      Node* old = mapping.find(name);
      Node value = old ? *old : Node("1");
      remove(mapping, name);
      put(mapping, misspelt(name), std::move(value));
    });
  }

  void types(const Parameter& p, const Path& path) {
    const Node mapping = Node::mapping({{"a", {}, Node("1")}});
    const Node list = Node::sequence({Node("on"), Node("off")});
    const char* const code = p.type == Type::table ? "E-TABLE" : "E-TYPE";
    const bool takes_mapping = p.type == Type::group || p.type == Type::records || p.by_name || p.named;
    if (!takes_mapping) set_value(path, "a mapping", code, mapping);
    if (p.type == Type::records) set_value(path, "names of numbers", code, mapping);
    set_value(path, "a list of words", p.type == Type::choices ? "E-VALUE" : code, list);
    if (p.type == Type::text || p.type == Type::file || p.type == Type::table)
      return;  // there a word is a text or the name of a file
    set_value(path, "a boolean word", p.type == Type::choice ? "E-VALUE" : "E-TYPE", Node("on"));
    if (p.type != Type::choice)
      set_value(path, "a truth value for a number, or the wrong one", "E-TYPE",
                Node(p.type == Type::boolean ? "True" : "true"));
  }

  static bool has_unit(const Parameter& p) {
    return p.type != Type::text && p.type != Type::file && p.type != Type::choice &&
           p.type != Type::choices && p.type != Type::boolean && p.type != Type::records && p.unit != "any";
  }

  void units(const Parameter& p, const Path& path) {
    if (!has_unit(p)) return;
    const std::string wrong = wrong_unit(p.unit);
    if (p.type == Type::table) {
      set_value(path, "a first column of another unit", "E-UNITS", table_in(wrong, p.second_unit));
      if (p.second_unit != "any")
        set_value(path, "a second column of another unit", "E-UNITS",
                  table_in(p.unit, wrong_unit(p.second_unit)));
      return;
    }
    set_value(path, "another unit", "E-UNITS", value_in(p, wrong));
    if (!parse_unit(p.unit).dimension.dimensionless())
      set_value(path, "no unit", "E-UNITS", value_in(p, "1", 3));
  }

  void ranges(const Parameter& p, const Path& path) {
    if (p.type == Type::expression) return;
    const auto outside = [&](double number) {
      set_value(path, "out of range", "E-RANGE", value_in(p, p.unit, number));
    };
    if (std::isfinite(p.minimum)) outside(p.minimum - 1);
    if (std::isfinite(p.minimum) && p.above_minimum) outside(p.minimum);
    if (std::isfinite(p.maximum)) outside(p.maximum + 1);
  }

  // ---- connections

  void port(const Port& p) {
    const Path path = {p.key};
    key(path, p.required, p.alternative_of);
    const Node* given = model_.find("components")->find(instance(p.key))->find(p.key);
    if (!given) return;  // what it may be connected to depends on the other keys
    if (p.by_name) {
      const auto named = [](const char* name) { return Node::mapping({{"x", {}, Node(name)}}); };
      set_value(path, "a name alone", "E-TYPE", Node("nobody_has_this_name"));
      set_value(path, "a list", "E-TYPE", Node::sequence({Node("nobody_has_this_name")}));
      set_value(path, "an unknown name", "E-REFERENCE", named("nobody_has_this_name"));
      set_value(path, "a mapping in a mapping", "E-TYPE", Node::mapping({{"x", {}, named("y")}}));
      return;
    }
    const bool several = given->is_sequence();
    const auto with_end = [&](const std::string& name) {  // the last end renamed
      Node value = *given;
      if (several) value.items.back() = Node(name);
      else value = Node(name);
      return value;
    };
    set_value(path, "an unknown name", "E-REFERENCE", with_end("nobody_has_this_name"));
    set_value(path, "a mapping", "E-TYPE", Node::mapping({{"a", {}, Node("1")}}));
    if (p.count == 2) {
      set_value(path, "one end only", "E-TYPE", Node::sequence({given->items[0]}));
      set_value(path, "three ends", "E-TYPE",
                Node::sequence({given->items[0], given->items[1], Node("ground")}));
    }
    const bool sliders = p.domain == Domain::translational;
    connected(p, "of another domain", "E-DOMAIN", with_end("stranger"),
              sliders ? Fields{{"type", "rotational.inertia"}, {"inertia", "1 kg*m^2"}}
                      : Fields{{"type", "translational.mass"}, {"mass", "1 kg"}});
    if (p.domain) {
      connected(p, "a signal", "E-DOMAIN", with_end("stranger"),
                Fields{{"type", "control.constant"}, {"value", "1"}});
      return;
    }
    if (p.unit != "any")
      connected(p, "a signal of another unit", "E-UNITS", Node("stranger"),
                Fields{{"type", "control.constant"}, {"value", "1"}, {"unit", Node(wrong_unit(p.unit))}});
    if (p.width == 1)
      connected(p, "a wide signal", "E-WIDTH", Node("stranger"),
                Fields{{"type", "control.constant"}, {"value", List{"1", "2"}}});
  }

  /// The port connected to a component added for that purpose.
  void connected(const Port& p, const char* what, const char* code, const Node& value, const Node& stranger) {
    mutate({p.key}, what, code, At::value, p.key, "", [&](Node& mapping, Node& components) {
      put(mapping, p.key, value);
      put(components, "stranger", stranger);
    });
  }

  const ComponentType& type_;
  const Registry& registry_;
  Node model_;
  std::vector<std::string> instances_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("every mutation of every component is refused, with its code and place") {
  const Registry registry = standard_registry();
  int count = 0;
  for (const ComponentType& type : registry.types()) {
    const int here = Mutations(type, registry).run();
    CHECK_MESSAGE(here > 0, type.name, ": nothing was mutated");
    count += here;
  }
  MESSAGE(count << " mutations of " << registry.types().size() << " component types");
}
