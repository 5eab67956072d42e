#include "model/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "model/build.hpp"
#include "model/draft.hpp"
#include "model/names.hpp"

namespace escapement {
namespace {

/// A name that exists, but is no node of this domain.
ModelError not_in_domain(const std::string& is, Domain domain, const std::string& text, const Mark& mark,
                         const std::string& where) {
  const bool body = is == info(Domain::frame).node;
  return fault(
      "E-DOMAIN", mark, where, fmt::format("`{}` is {}, needs {}", text, is, info(domain).node),
      body ? "force.* and joint.* act on bodies; a revolute joint is a shaft, a prismatic one a slider" : "");
}

/// The text under a port that names what this end of it is connected to.
const Node& name_at_end(const Node& value, const Port& port, int end, const std::string& where) {
  const Node* name = port.by_name ? &named_entries(value, where).entries[end].value : &value;
  if (port.count > 1) {
    if (!value.is_sequence() || static_cast<int>(value.items.size()) != port.count)
      throw fault("E-TYPE", value.mark, where,
                  fmt::format("expected {} names [A, B], found {}", port.count,
                              value.is_sequence() ? fmt::format("a list of {}", value.items.size())
                                                  : value.described()));
    name = &value.items[end];
  }
  if (!name->is_scalar())
    throw fault("E-TYPE", name->mark, where, "expected a name, found " + name->described());
  return *name;
}

}  // namespace

void Nodes::make() {
  const Model& model = draft_.model;
  for (const FlatComponent& c : model.components)
    own_.push_back(c.type->provides ? make_node(draft_.builder, *c.type->provides, c.path) : Handle());
  for (const DeclaredNode& d : model.nodes) declared_.push_back(make_node(draft_.builder, d.domain, d.path));
}

void Nodes::find_frames() {
  const std::size_t n = draft_.model.components.size();
  bodies_.resize(n);
  further_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const FlatComponent& c = draft_.model.components[i];
    if (!c.type->frames) continue;
    draft_.diagnostics.collect([&] {
      bodies_[i] = c.type->frames(Build(draft_, static_cast<int>(i)));
      for (std::size_t k = 0; k < bodies_[i].further.size(); ++k)
        further_[i].push_back(Build::typed<Pose>(
            make_node(draft_.builder, Domain::frame, fmt::format("{}.node{}", c.path, k + 2))));
    });
  }
  draft_.diagnostics.stop();
}

void Nodes::tie_offered() {
  for (const auto& [key, node] : offered_) draft_.made.offers.at(key).make(draft_.builder, node);
}

Handle Nodes::offered(int component, int number) {
  const auto [at, is_new] = offered_.try_emplace({component, number});
  if (!is_new) return at->second;
  const FlatComponent& c = draft_.model.components[component];
  const OfferedNode& n = c.type->offers[number];
  at->second =
      make_node(draft_.builder, n.domain, c.type->offers.size() == 1 ? c.path : c.path + "." + n.name);
  return at->second;
}

bool Nodes::is_body(int component) const {
  const ComponentType& type = *draft_.model.components[component].type;
  return type.frames && type.provides;
}

bool Nodes::is_attached(int component) const {
  return attached_.contains(own_[component].variable) ||
         std::any_of(further_[component].begin(), further_[component].end(),
                     [&](const Pose& p) { return attached_.contains(p.variable); });
}

// ------------------------------------------------------------------ ports

Handle Nodes::at(int component, const Port& port, int end) { return find(component, port, end).node; }

AttachedFrame Nodes::frame_at(int component, const Port& port, int end) {
  const Found at = find(component, port, end);
  if (!at.node.is_ground()) attached_.insert(at.node.variable);
  return {Build::typed<Pose>(at.node), at.on_node, at.design};
}

Nodes::Found Nodes::find(int component, const Port& port, int end) {
  const FlatComponent& c = draft_.model.components[component];
  const Node* value = c.fields->find(port.key);
  const std::string where = c.path + "." + port.key;
  if (!value) return {};
  const Node& name = name_at_end(*value, port, end, where);
  const std::string text = FieldReader(*c.space, c.loop).substituted(name, where);
  return find(Model::absolute(*c.space, text), text, *port.domain, name.mark, where, *c.space);
}

// ------------------------------------------------------------------ names

Handle Nodes::named(const std::string& absolute, const std::string& text, Domain domain, const Mark& mark,
                    const std::string& where, const Namespace& space) {
  return find(absolute, text, domain, mark, where, space).node;
}

Nodes::Found Nodes::find(const std::string& absolute, const std::string& text, Domain domain,
                         const Mark& mark, const std::string& where, const Namespace& space) {
  const Model& model = draft_.model;
  if (absolute == "ground") return {};
  if (domain == Domain::frame) {
    for (const std::size_t dot : {absolute.size(), absolute.rfind('.')}) {
      if (dot == std::string::npos) continue;
      const int c = model.find_component(absolute.substr(0, dot));
      if (c >= 0 && model.components[c].type->frames)
        return find_frame(c, dot < absolute.size() ? absolute.substr(dot + 1) : "", absolute.substr(0, dot),
                          text, mark, where);
    }
  } else if (const Handle* node = find_offered(absolute, domain)) {
    return {*node};
  }
  const auto mismatch = [&](const std::string& is) { return not_in_domain(is, domain, text, mark, where); };
  if (const int d = model.find_node(absolute); d >= 0) {
    if (model.nodes[d].domain != domain) throw mismatch(info(model.nodes[d].domain).node);
    return {declared_[d]};
  }
  if (const int c = model.find_component(absolute); c >= 0) {
    const ComponentType& type = *model.components[c].type;
    if (!type.provides && !type.offers.empty())  // a joint coordinate of another kind
      throw mismatch(info(type.offers.front().domain).node);
    if (!type.provides) throw mismatch(type.block ? "a signal" : "no node (it is a " + type.name + ")");
    if (*type.provides != domain) throw mismatch(info(*type.provides).node);
    return {own_[c]};
  }
  for (std::size_t dot = absolute.rfind('.'); dot != std::string::npos && dot > 0;
       dot = absolute.rfind('.', dot - 1))
    if (const int c = model.find_component(absolute.substr(0, dot)); c >= 0) {
      if (model.components[c].type->output(absolute.substr(dot + 1)) != nullptr) throw mismatch("a signal");
      break;
    }
  throw unknown_name(model, text, mark, where, space, domain);
}

Nodes::Found Nodes::find_frame(int component, const std::string& name, const std::string& body,
                               const std::string& text, const Mark& mark, const std::string& where) const {
  for (const BodyFrames::Named& frame : bodies_[component].frames)
    if (frame.name == name)
      return {own(component, frame.node), frame.on_node, design(component, frame.node) * frame.on_node};
  if (draft_.model.components[component].type->output(name))
    throw fault("E-DOMAIN", mark, where, fmt::format("`{}` is a signal, needs a frame of a body", text));
  std::vector<std::string> names;
  for (const BodyFrames::Named& frame : bodies_[component].frames)
    if (!frame.name.empty()) names.push_back(body + "." + frame.name);
  throw fault("E-REFERENCE", mark, where, fmt::format("there is no frame `{}`", text),
              did_you_mean(text, names, fmt::format("its frames: {}", fmt::join(names, ", "))));
}

/// A joint coordinate: the joint's own name if it has one of this domain, or `joint.name`.
const Handle* Nodes::find_offered(const std::string& absolute, Domain domain) {
  for (const std::size_t dot : {absolute.size(), absolute.rfind('.')}) {
    if (dot == std::string::npos) continue;
    const int c = draft_.model.find_component(absolute.substr(0, dot));
    if (c < 0) continue;
    const auto& offers = draft_.model.components[c].type->offers;
    const std::string name = dot < absolute.size() ? absolute.substr(dot + 1) : "";
    for (std::size_t i = 0; i < offers.size(); ++i)
      if (offers[i].domain == domain && (name.empty() || offers[i].name == name)) {
        offered(c, static_cast<int>(i));
        return &offered_.at({c, static_cast<int>(i)});
      }
  }
  return nullptr;
}

}  // namespace escapement
