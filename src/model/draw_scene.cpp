#include "model/draw_scene.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

#include "model/draft.hpp"

namespace escapement {
namespace {

/// All names under a port: one, a list, or by names.
void collect(const Node& value, std::vector<const Node*>& names) {
  if (value.is_scalar()) names.push_back(&value);
  for (const Node& item : value.items) collect(item, names);
  for (const Node::Entry& e : value.entries) collect(e.value, names);
}

/// The component or declared node that a path leads to.
std::string owner(const Model& model, const std::string& path) {
  if (path == "ground") return path;
  for (std::size_t dot = path.size(); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const std::string head = path.substr(0, dot);
    if (model.find_component(head) >= 0 || model.find_node(head) >= 0) return head;
  }
  return {};
}

/// What the ports of a component name.
std::vector<Scene::Connection> connections(const Model& model, const FlatComponent& c) {
  std::vector<Scene::Connection> list;
  for (const Port& port : c.type->ports) {
    const Node* const value = c.fields->find(port.key);
    if (!value) continue;
    std::vector<const Node*> names;
    collect(*value, names);
    for (const Node* name : names) {
      const std::string text = FieldReader(*c.space, c.loop).substituted(*name, c.path + "." + port.key);
      const std::string to = owner(model, Model::absolute(*c.space, text));
      if (!to.empty()) list.push_back({port.key, to, !port.domain});
    }
  }
  return list;
}

/// The sizes of a shape: the values under its keys, one after the other.
std::vector<double> sizes(const Shape& shape, const FieldValues& values) {
  std::vector<double> size;
  for (const std::string& key : shape.keys) {
    const FieldValue* value = values.find(key);
    if (const auto* number = value ? std::get_if<double>(value) : nullptr) size.push_back(*number);
    if (const auto* list = value ? std::get_if<std::vector<double>>(value) : nullptr)
      size.insert(size.end(), list->begin(), list->end());
  }
  return size;
}

/// Of a component that draws nothing itself: the shape of its type, at its own node, or at and between its ports.
void draw_by_type(Draft& draft, int component) {
  const FlatComponent& c = draft.model.components[component];
  const Shape& shape = c.type->shape;
  if (shape.primitive == "none" || shape.primitive == "block") return;
  std::vector<Scene::Part>& parts = draft.made.scene.components[component].parts;
  Scene::Part part{shape.primitive, sizes(shape, draft.values[component]), {}};
  const auto& frames = draft.nodes.body(component).frames;
  if (c.type->provides) {
    part.ends.push_back(
        {draft.nodes.own(component).variable, frames.empty() ? Frame<double>{} : frames.front().on_node});
  } else if (c.type->frames) {
    for (const auto& f : frames) parts.push_back({shape.primitive, part.size, {{-1, f.on_node}}});
    return;
  } else {
    for (const Port& port : c.type->ports) {
      if (!port.domain || port.by_name || !c.fields->find(port.key)) continue;
      for (int end = 0; end < port.count; ++end) {
        const AttachedFrame at = draft.nodes.frame_at(component, port, end);
        part.ends.push_back({at.node.variable, at.on_node});
      }
    }
  }
  if (!part.ends.empty()) parts.push_back(std::move(part));
}

/// All nodes that something may hang on, by variable.
std::map<int, Scene::Node> all_nodes(const Draft& draft) {
  const Model& model = draft.model;
  std::map<int, Scene::Node> known;
  const auto know = [&](const Handle& node, const std::string& name, Domain domain) {
    if (!node.is_ground()) known[node.variable] = {node.variable, name, domain};
  };
  for (int i = 0; i < std::ssize(model.components); ++i) {
    const FlatComponent& c = model.components[i];
    if (c.type->provides) know(draft.nodes.own(i), c.path, *c.type->provides);
    const std::vector<Pose>& further = draft.nodes.further(i);
    for (std::size_t k = 0; k < further.size(); ++k)
      know(further[k], fmt::format("{}.node{}", c.path, k + 2), Domain::frame);
  }
  for (int d = 0; d < std::ssize(model.nodes); ++d)
    know(draft.nodes.declared(d), model.nodes[d].path, model.nodes[d].domain);
  for (const auto& [key, node] : draft.nodes.offered()) {
    const FlatComponent& c = model.components[key.first];
    const OfferedNode& offer = c.type->offers[key.second];
    know(node, c.path + "." + offer.name, offer.domain);
  }
  return known;
}

}  // namespace

void draw_scene(Draft& draft) {
  Scene& scene = draft.made.scene;
  for (int i = 0; i < std::ssize(scene.components); ++i) {
    scene.components[i].connections = connections(draft.model, draft.model.components[i]);
    if (scene.components[i].parts.empty()) draw_by_type(draft, i);
  }
  const std::map<int, Scene::Node> known = all_nodes(draft);
  std::set<int> used;
  for (const Scene::Component& c : scene.components)
    for (const Scene::Part& p : c.parts)
      for (const Scene::End& e : p.ends)
        if (known.contains(e.variable)) used.insert(e.variable);
  for (const int variable : used) scene.nodes.push_back(known.at(variable));
}

void add_nodes_of_beams(Scene& scene, const System& system) {
  std::map<int, std::size_t> place;  // by variable
  for (const Scene::Node& n : scene.nodes) place.emplace(n.variable, place.size());
  for (const Scene::Component& c : scene.components)
    for (const Scene::Part& p : c.parts)
      for (const Scene::End& e : p.ends) {
        if (p.beam < 0 || e.variable < 0) continue;
        const Variable& v = system.variables()[e.variable];
        if (!place.emplace(e.variable, scene.nodes.size()).second) continue;
        if (v.manifold != Manifold::vector || v.values != 3)
          throw std::logic_error(v.name + " is no place in space");
        scene.nodes.push_back({e.variable, v.name, std::nullopt});
      }
}

}  // namespace escapement
