// A model written back as it stands, without parameters, subsystems, repetitions or other files.
#include <fmt/format.h>

#include <algorithm>

#include "model/model.hpp"

namespace escapement {
namespace {

void put(Node& to, const std::string& key, Node value) { to.entries.push_back({key, {}, std::move(value)}); }

Node quoted(const std::string& text) {
  Node n(text);
  n.quoted = true;
  return n;
}

Node texts(const std::vector<ChannelPattern>& list) {
  std::vector<Node> items;
  for (const ChannelPattern& p : list) items.push_back(quoted(p.text));
  return Node::sequence(std::move(items));
}

Node flattened_nodes(const std::vector<DeclaredNode>& nodes) {
  Node all = Node::mapping({});
  for (const DeclaredNode& n : nodes) {
    if (!all.find(info(n.domain).name)) put(all, info(n.domain).name, Node::sequence({}));
    all.find(info(n.domain).name)->items.push_back(Node(n.path));
  }
  return all;
}

/// Its fields with values for names, and absolute paths for what it is connected to.
Node flattened_component(const FlatComponent& c, bool allow_outside) {
  const FieldReader reader(*c.space, c.loop, allow_outside);
  Node fields = reader.self_contained(*c.fields, c.type->parameters);
  std::erase_if(fields.entries, [](const Node::Entry& e) { return e.key == "for"; });
  for (Node::Entry& e : fields.entries) {
    const auto rename = [&](Node& n, const auto& again) -> void {
      if (n.is_scalar()) n.text = Model::absolute(*c.space, reader.substituted(n, e.key));
      for (Node& item : n.items) again(item, again);
      for (Node::Entry& named : n.entries) again(named.value, again);
    };
    if (c.type->port(e.key)) rename(e.value, rename);
    for (const Parameter& p : c.type->parameters)
      if (p.refers && p.key == e.key)
        for (Node::Entry& target : e.value.entries) target.key = Model::absolute(*c.space, target.key);
  }
  return fields;
}

Node flattened_plot(const PlotRequestText& p) {
  Node n = Node::mapping({});
  if (!p.title.empty()) put(n, "title", quoted(p.title));
  if (!p.x.text.empty()) put(n, "x", Node(p.x.text));
  put(n, "y", texts(p.y));
  return n;
}

}  // namespace

Node Model::flattened() const {
  Node root = Node::mapping({});
  put(root, "escapement", Node(language_version));
  put(root, "flattened", Node("true"));
  if (!title.empty()) put(root, "title", quoted(title));
  if (!nodes.empty()) put(root, "nodes", flattened_nodes(nodes));
  Node parts = Node::mapping({});
  for (const FlatComponent& c : components) put(parts, c.path, flattened_component(c, allow_outside));
  put(root, "components", std::move(parts));
  if (simulate_text_ && !simulate_text_->entries.empty())
    put(root, "simulate", FieldReader(root_space(), {}).self_contained(*simulate_text_, simulate_schema()));
  if (load_steps > 1)
    put(root, "start", Node::mapping({{"mode", {}, Node(start)}, {"load_steps", {}, Node(load_steps)}}));
  else if (start != "given") put(root, "start", Node(start));
  if (!gravity.empty()) {
    std::vector<Node> g;
    for (double v : gravity) g.push_back(Node(fmt::format("{:.17g} m/s^2", v)));
    put(root, "gravity", Node::sequence(std::move(g)));
  }
  if (!nominals.empty()) {
    Node all = Node::mapping({});
    for (const NominalText& n : nominals) put(all, n.unknown, n.value);
    put(root, "nominal", std::move(all));
    if (root_space().bare_numbers_are_si) put(root, "units", Node("SI"));
  }
  if (record_all) put(root, "record", Node("all"));
  else if (!record.empty()) put(root, "record", texts(record));
  if (!plots.empty()) {
    std::vector<Node> list;
    for (const PlotRequestText& p : plots) list.push_back(flattened_plot(p));
    put(root, "plots", Node::sequence(std::move(list)));
  }
  return root;
}

}  // namespace escapement
