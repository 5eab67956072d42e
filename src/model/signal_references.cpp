#include "model/signal_references.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "base/nearest_name.hpp"
#include "model/draft.hpp"
#include "model/names.hpp"

namespace escapement {

std::vector<std::vector<SignalReference>> SignalReferences::at(int component, const Port& port) const {
  const FlatComponent& c = draft_.model.components[component];
  const std::string where = c.path + "." + port.key;
  const Node* value = c.fields->find(port.key);
  std::vector<std::vector<SignalReference>> groups;
  if (!value) return groups;
  if (port.by_name) {
    for (const Node::Entry& e : named_entries(*value, where).entries)
      groups.push_back(of_name(component, e.value, where + "." + e.key));
    return groups;
  }
  if (!port.list || !value->is_sequence()) {
    groups.push_back(of_name(component, *value, where));
    return groups;
  }
  if (value->items.empty()) throw fault("E-TYPE", value->mark, where, "the list is empty");
  for (const Node& name : value->items) {
    if (!name.is_scalar())
      throw fault("E-TYPE", name.mark, where, "expected the name of a signal, found " + name.described());
    groups.push_back(of_name(component, name, where));
  }
  return groups;
}

/// One name, or a list that makes one wide signal.
std::vector<SignalReference> SignalReferences::of_name(int component, const Node& value,
                                                       const std::string& where) const {
  const FlatComponent& c = draft_.model.components[component];
  const auto one = [&](const Node& name) {
    if (!name.is_scalar())
      throw fault("E-TYPE", name.mark, where, "expected the name of a signal, found " + name.described());
    return reference(FieldReader(*c.space, c.loop).substituted(name, where), name.mark, where, *c.space);
  };
  std::vector<SignalReference> group;
  if (!value.is_sequence()) return {one(value)};
  for (const Node& name : value.items) group.push_back(one(name));
  if (group.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
  return group;
}

SignalReference SignalReferences::reference(const std::string& text, const Mark& mark,
                                            const std::string& where, const Namespace& space) const {
  const std::string path = Model::absolute(space, text);
  if (path == "ground")
    throw fault("E-DOMAIN", mark, where, "`ground` is no signal", "control.constant with value 0 is one");
  std::size_t dot = path.size();
  while (true) {
    const std::string head = path.substr(0, dot);
    const std::string rest = dot < path.size() ? path.substr(dot + 1) : "";
    if (const int c = draft_.model.find_component(head); c >= 0)
      return output_named(c, rest, text, mark, where);
    if (const int d = draft_.model.find_node(head); d >= 0)
      return node_output_named(d, rest, text, mark, where);
    if (dot == 0 || (dot = path.rfind('.', dot - 1)) == std::string::npos) break;
  }
  throw unknown_name(draft_.model, text, mark, where, space, std::nullopt);
}

SignalReference SignalReferences::output_named(int c, const std::string& rest, const std::string& text,
                                               const Mark& mark, const std::string& where) const {
  const ComponentType& type = *draft_.model.components[c].type;
  std::vector<std::string> names;
  for (const OutputType& o : draft_.outputs.of(c)) names.push_back(o.name);
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  if (rest.empty()) {
    if (type.block) return {c, 0, 0, mark, text};
    throw fault(
        "E-DOMAIN", mark, where, fmt::format("`{}` is a {}, not a signal", text, type.name),
        names.empty() ? "" : fmt::format("choose one of its outputs: {}.{}", text, fmt::join(names, ", .")));
  }
  std::string first = rest.substr(0, rest.find('.'));
  int output = -1;
  for (std::size_t o = 0; o < names.size(); ++o)  // `tip.position` has a dot of its own
    if (rest == names[o] || rest.starts_with(names[o] + ".")) {
      output = static_cast<int>(o);
      first = names[o];
    }
  std::string part = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
  if (output < 0 && type.block && !first.empty() && std::isdigit(static_cast<unsigned char>(first[0]))) {
    output = 0;
    part = rest;
  }
  if (output < 0) {
    std::string hint = did_you_mean(first, names, "one of " + listed);
    if (const Parameter* p = type.parameter("measure_" + first)) hint = p->key + ": true gives it one";
    throw fault("E-REFERENCE", mark, where,
                fmt::format("`{}` has no output `{}`", draft_.model.components[c].path, first), hint);
  }
  return {c, output, part_number(part, c, output, text, mark, where), mark, text};
}

SignalReference SignalReferences::node_output_named(int d, const std::string& rest, const std::string& text,
                                                    const Mark& mark, const std::string& where) const {
  const Owner owner = draft_.outputs.owner_of_node(d);
  const std::string first = rest.substr(0, rest.find('.'));
  const std::string part = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
  std::vector<std::string> names;
  for (const OutputType& o : draft_.outputs.of(owner)) {
    const int output = static_cast<int>(names.size());
    names.push_back(o.name);
    if (o.name == first)
      return {owner, output, part_number(part, owner, output, text, mark, where), mark, text};
  }
  throw fault("E-DOMAIN", mark, where,
              fmt::format("`{}` is {}, not a signal", text, info(draft_.model.nodes[d].domain).node),
              fmt::format("choose one of its channels: {}", fmt::join(names, ", ")));
}

/// ".y" or ".2" -> 2; "" -> 0.
int SignalReferences::part_number(const std::string& part, int owner, int output, const std::string& text,
                                  const Mark& mark, const std::string& where) const {
  const int width = draft_.widths.of(owner, output);
  if (part.empty()) return 0;
  const std::string& letters = draft_.outputs.of(owner)[output].parts;
  if (part.size() == 1 && letters.find(part) != std::string::npos)
    return static_cast<int>(letters.find(part)) + 1;
  char* end = nullptr;
  const long i = std::strtol(part.c_str(), &end, 10);
  if (*end != '\0' || i < 1 || (width > 0 && i > width) || (!letters.empty()))
    throw fault("E-REFERENCE", mark, where, fmt::format("`{}` has no part `{}`", text, part),
                width == 1        ? "it is a single number"
                : letters.empty() ? fmt::format("its parts are 1 … {}", width)
                                  : fmt::format("its parts are {}", fmt::join(letters, ", ")));
  return static_cast<int>(i);
}

}  // namespace escapement
