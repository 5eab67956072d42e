#include "model/model.hpp"

#include <algorithm>

namespace escapement {

Mark Model::simulate_mark(std::string_view key) const {
  const Node* value = simulate_text_ ? simulate_text_->find(key) : nullptr;
  return value ? value->mark : simulate_text_ ? simulate_text_->mark : Mark{};
}

ModelError Model::located(const ModelError& e) const {
  if (!e.place.file.empty()) return e;
  std::string path = e.where;
  if (path.starts_with('`')) path = path.substr(1, path.find('`', 1) - 1);  // `mass.position` (force balance)
  for (; !path.empty(); path.resize(path.rfind('.') == std::string::npos ? 0 : path.rfind('.'))) {
    if (const int c = find_component(path); c >= 0)
      return fault(e.code.c_str(), components[c].mark, e.where, e.cause, e.hint);
    if (const int d = find_node(path); d >= 0)
      return fault(e.code.c_str(), nodes[d].mark, e.where, e.cause, e.hint);
  }
  return e;
}

std::string Model::absolute(const Namespace& space, const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  if (first == "ground") return name;
  const auto port = space.ports.find(first);
  if (port != space.ports.end()) return port->second + (dot == std::string::npos ? "" : name.substr(dot));
  return space.prefix + name;
}

int Model::find_component(std::string_view path) const {
  const auto at = component_index_.find(path);
  return at == component_index_.end() ? -1 : at->second;
}
int Model::find_node(std::string_view path) const {
  const auto at = node_index_.find(path);
  return at == node_index_.end() ? -1 : at->second;
}

namespace {

/// Calls f(component, parameter, value) for every value of a component that `chosen` picks by its schema.
template <class Chosen, class F>
void for_each_value(const std::vector<FlatComponent>& components, Chosen chosen, F f) {
  for (const FlatComponent& c : components)
    for (const Parameter& p : c.type->parameters)
      if (const Node* value = chosen(p) ? c.fields->find(p.key) : nullptr) f(c, p, *value);
}

}  // namespace

const Namespace& Model::root_space() const { return texts_->spaces.front(); }

std::vector<std::string> Model::unused_parameters() const {
  std::vector<std::string> names;
  for (const Namespace& space : texts_->spaces) {
    if (space.of_other_format) continue;
    const auto unused = space.unused();
    names.insert(names.end(), unused.begin(), unused.end());
  }
  return names;
}

std::vector<UsedFile> Model::used_files() const {
  std::vector<UsedFile> files;
  for_each_value(
      components, [](const Parameter& p) { return p.type == Parameter::Type::file; },
      [&](const FlatComponent& c, const Parameter& p, const Node& value) {
        const FieldReader reader(*c.space, c.loop, allow_outside);
        const std::filesystem::path path = std::get<std::string>(reader.read(p, value, c.path + "." + p.key));
        files.push_back({path, flat_name(path, *c.space)});
      });
  return files;
}

std::vector<UsedCode> Model::used_code() const {
  std::vector<UsedCode> all;
  for_each_value(
      components, [](const Parameter& p) { return p.code; },
      [&](const FlatComponent& c, const Parameter& p, const Node& value) {
        UsedCode code{c.path + "." + p.key, {}, {}};
        const FieldReader reader(*c.space, c.loop, allow_outside);
        const std::string text = std::get<std::string>(reader.read(p, value, code.where));
        if (p.type == Parameter::Type::file) code.file = text;
        else code.text = text;
        all.push_back(std::move(code));
      });
  return all;
}

// ------------------------------------------------------------------ ModelText

ModelText::ModelText() : root_(Node::mapping({})) {
  root_.entries.push_back({"escapement", {}, Node(language_version)});
}

Node& ModelText::section(const std::string& key) {
  if (!root_.find(key)) root_.entries.push_back({key, {}, Node::mapping({})});
  return *root_.find(key);
}
ModelText& ModelText::title(const std::string& text) { return set("title", Node(text)); }
ModelText& ModelText::parameter(const std::string& name, Node value) {
  section("parameters").entries.push_back({name, {}, std::move(value)});
  return *this;
}
ModelText& ModelText::node(const std::string& domain, const std::string& name) {
  Node& all = section("nodes");
  if (!all.find(domain)) all.entries.push_back({domain, {}, Node::sequence({})});
  all.find(domain)->items.push_back(Node(name));
  return *this;
}
ModelText& ModelText::add(const std::string& name, const std::string& type, Fields fields) {
  Node n = std::move(fields);
  n.entries.insert(n.entries.begin(), {"type", {}, Node(type)});
  section("components").entries.push_back({name, {}, std::move(n)});
  return *this;
}
ModelText& ModelText::simulate(const std::string& key, Node value) {
  section("simulate").entries.push_back({key, {}, std::move(value)});
  return *this;
}
ModelText& ModelText::set(const std::string& key, Node value) {
  root_.entries.push_back({key, {}, std::move(value)});
  return *this;
}
Model ModelText::model(const Registry& registry, const ReadOptions& options) const {
  return Model::from_tree(root_, registry, options);
}

}  // namespace escapement
