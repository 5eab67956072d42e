#include "model/names.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"

namespace escapement {
namespace {

/// Names that would fit there, as this namespace says them.
std::vector<std::string> fitting_names(const Model& model, const Namespace& space,
                                       std::optional<Domain> domain) {
  std::vector<std::string> fitting;
  const auto add = [&](const std::string& path) {
    if (path.starts_with(space.prefix) && fitting.size() < 5000)
      fitting.push_back(path.substr(space.prefix.size()));
  };
  for (const FlatComponent& c : model.components) {
    if (domain ? c.type->provides == domain || (domain == Domain::frame && c.type->frames) : c.type->block)
      add(c.path);
    for (const OfferedNode& o : c.type->offers)
      if (domain == o.domain) add(c.path + "." + o.name);
    if (!domain)
      for (const OutputType& o : c.type->outputs) add(c.path + "." + o.name);
  }
  for (const DeclaredNode& d : model.nodes)
    if (domain == d.domain) add(d.path);
  for (const auto& [port, target] : space.ports) fitting.push_back(port);
  return fitting;
}

}  // namespace

const Node& named_entries(const Node& value, const std::string& where) {
  if (!value.is_mapping())
    throw fault("E-TYPE", value.mark, where, "expected a mapping name: part, found " + value.described(),
                "give each a name: {x: cart.position}");
  for (const Node::Entry& e : value.entries) FieldReader::check_name(e, where);
  return value;
}

ModelError unknown_name(const Model& model, const std::string& text, const Mark& mark,
                        const std::string& where, const Namespace& space, std::optional<Domain> domain) {
  std::string hint;
  for (const FlatComponent& c : model.components)  // a subsystem, or a repetition
    if (hint.empty() && c.path.starts_with(space.prefix + text + "."))
      hint = fmt::format("name one of its parts: {}", c.path.substr(space.prefix.size()));
  if (hint.empty()) hint = did_you_mean(text, fitting_names(model, space, domain));
  if (hint.empty() && space.parameters.contains(text)) hint = "this is a parameter, not a part of the model";
  if (hint.empty() && domain && text.find('.') == std::string::npos)
    hint = fmt::format("declare it: nodes: {{{}: [{}]}}, or name a component", info(*domain).name, text);
  return fault("E-REFERENCE", mark, where, fmt::format("there is no `{}`", text), hint);
}

}  // namespace escapement
