#include "model/command_settings.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"

namespace escapement {

const Node* CommandSettings::find(const std::string& key) {
  const Node* found = nullptr;
  for (const auto& [name, value] : options_.set) {
    if (name != key) continue;
    std::erase_if(unused_, [&](const auto& s) { return s.first == key; });
    found = &parsed(name, value);
  }
  return found;
}

const Node& CommandSettings::parsed(const std::string& key, const std::string& value) {
  if (value.find_first_not_of(" \t") == std::string::npos)
    throw ModelError("E-USAGE", "--set " + key, "the value is empty", "--set KEY=VALUE");
  return texts_.documents.emplace_back(read_yaml(value, texts_.sources.add("--set " + key), options_.limits));
}

std::map<std::string, std::string> CommandSettings::of_simulate() const {
  std::map<std::string, std::string> set;
  for (const auto& [key, value] : options_.set)
    if (key.starts_with("simulate.")) set[key.substr(9, key.find('.', 9) - 9)] = value;
  return set;
}

void CommandSettings::apply_to_simulate(Node& section) {
  for (const auto& [key, value] : options_.set)
    if (key.starts_with("simulate.")) replace(section, key.substr(9), key, value);
}

void CommandSettings::apply_to_components(Model& model, Diagnostics& diagnostics) {
  for (const auto& [key, value] : unused_)
    if (!key.starts_with("simulate."))
      diagnostics.collect([&, &key = key, &value = value] { apply(model, key, value); });
}

void CommandSettings::apply(Model& model, const std::string& key, const std::string& value) {
  for (std::size_t dot = key.rfind('.'); dot != std::string::npos && dot > 0; dot = key.rfind('.', dot - 1)) {
    const int i = model.find_component(key.substr(0, dot));
    if (i < 0) continue;
    FlatComponent& c = model.components[i];
    const std::string field = key.substr(dot + 1);
    if (field == "type" || field == "for" || field == "use")
      throw ModelError("E-USAGE", "--set " + key,
                       fmt::format("`{}` cannot be changed from the command line", field),
                       "change the model");
    Node& fields = texts_.documents.emplace_back(*c.fields);
    replace(fields, key.substr(dot + 1), key, value);
    c.fields = &fields;
    return;
  }
  refuse_unknown(model, key);
}

void CommandSettings::refuse_unknown(const Model& model, const std::string& key) const {
  std::vector<std::string> names;
  for (const Namespace& inner : texts_.spaces)
    for (const auto& [name, parameter] : inner.parameters) names.push_back(inner.prefix + name);
  for (const Parameter& p : simulate_schema())
    if (p.key == key)
      throw ModelError("E-USAGE", "--set " + key, "there is no such parameter or component",
                       "did you mean simulate." + key + "?");
  for (const FlatComponent& c : model.components) {
    if (names.size() > 2000) break;
    for (const Parameter& p : c.type->parameters) {
      if (p.type != Parameter::Type::group) names.push_back(c.path + "." + p.key);
      for (const Parameter& inner : p.group) names.push_back(c.path + "." + p.key + "." + inner.key);
    }
  }
  for (const Parameter& p : simulate_schema()) names.push_back("simulate." + p.key);
  throw ModelError("E-USAGE", "--set " + key, "there is no such parameter, component or setting",
                   did_you_mean(key, names));
}

/// Sets a dotted key inside a mapping.
void CommandSettings::replace(Node& fields, const std::string& key, const std::string& full_key,
                              const std::string& value) {
  Node* at = &fields;
  std::size_t begin = 0;
  const Mark mark{texts_.sources.add("--set " + full_key), 1, 1};
  while (true) {
    const std::size_t dot = key.find('.', begin);
    const std::string part = key.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (part.empty() || (!at->is_mapping() && at->kind != Node::Kind::null))
      throw ModelError("E-USAGE", "--set " + full_key, "there is no such key", "");
    at->kind = Node::Kind::mapping;
    if (!at->find(part)) at->entries.push_back({part, mark, Node()});
    at = at->find(part);
    if (dot == std::string::npos) break;
    begin = dot + 1;
  }
  *at = parsed(full_key, value);
}

}  // namespace escapement
