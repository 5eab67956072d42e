#include "model/scene.hpp"

#include "model/fields.hpp"
#include "model/model.hpp"

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

}  // namespace

std::vector<std::vector<Scene::Connection>> connections(const Model& model) {
  std::vector<std::vector<Scene::Connection>> all;
  for (const FlatComponent& c : model.components) {
    auto& list = all.emplace_back();
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
  }
  return all;
}

}  // namespace escapement
