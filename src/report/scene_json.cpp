#include "report/scene_json.hpp"

#include <map>

namespace escapement {
namespace {

int columns_of(const Scene::Node& node) { return node.domain ? info(*node.domain).values : 3; }

template <class List>
Json numbers(const List& list) {
  Json a = Json::array();
  for (const double x : list) a.add(x);
  return a;
}

Json end_json(const Scene::End& end, const std::map<int, int>& index) {
  const auto at = index.find(end.variable);
  const Rotation<double>& R = end.on_node.R;
  const Vector3& x = end.on_node.x;
  return Json::object()
      .set("node", at == index.end() ? Json() : Json(at->second))
      .set("position", numbers(std::array{x[0], x[1], x[2]}))
      .set("quaternion", numbers(std::array{R.w, R.u[0], R.u[1], R.u[2]}));
}

Json component_json(const FlatComponent& c, const Scene::Component& drawn, const std::map<int, int>& index) {
  Json parts = Json::array();
  for (const Scene::Part& p : drawn.parts) {
    Json ends = Json::array();
    for (const Scene::End& e : p.ends) ends.add(end_json(e, index));
    Json part = Json::object();
    part.set("primitive", p.primitive).set("size", numbers(p.size)).set("ends", ends);
    if (p.beam >= 0) part.set("beam", p.beam);
    parts.add(std::move(part));
  }
  Json connections = Json::array();
  for (const Scene::Connection& to : drawn.connections)
    connections.add(Json::object().set("port", to.port).set("to", to.to).set("signal", to.signal));
  Json arrows = Json::array();
  for (const Scene::Arrow& a : drawn.arrows) {
    Json channels = Json::array();
    for (const char* part : {".x", ".y", ".z"}) channels.add(c.path + "." + a.output + part);
    arrows.add(Json::object()
                   .set("channels", channels)
                   .set("kind", a.output == "torque" ? "torque" : "force")
                   .set("end", a.end)
                   .set("axes", a.axes < 0 ? Json() : Json(a.axes)));
  }
  return Json::object()
      .set("name", c.path)
      .set("type", c.type->name)
      .set("summary", c.type->summary)
      .set("primitive", c.type->shape.primitive)
      .set("parts", parts)
      .set("connections", connections)
      .set("arrows", arrows);
}

Json beam_json(const Scene::Beam& beam) {
  Json stiffness = Json::array();
  for (const auto& row : beam.stiffness) stiffness.add(numbers(row));
  return Json::object()
      .set("outline", beam.outline.shape)
      .set("size", numbers(beam.outline.size))
      .set("stiffness", stiffness)
      .set("length", beam.length)
      .set("natural", numbers(beam.natural))
      .set("youngs_modulus", beam.youngs_modulus > 0 ? Json(beam.youngs_modulus) : Json());
}

}  // namespace

Json scene_json(const Model& model, const Assembly& assembly) {
  std::map<int, int> index;  // of a node, by variable
  Json nodes = Json::array();
  int column = 1;  // after the time
  for (const Scene::Node& n : assembly.scene.nodes) {
    index[n.variable] = static_cast<int>(index.size());
    Json node = Json::object();
    node.set("name", n.name).set("domain", n.domain ? info(*n.domain).name : "point").set("first", column);
    column += columns_of(n);
    if (n.fine) {
      node.set("rest", column);
      column += columns_of(n);
    }
    nodes.add(std::move(node));
  }
  Json beams = Json::array();
  for (const Scene::Beam& beam : assembly.scene.beams) beams.add(beam_json(beam));
  Json components = Json::array();
  for (std::size_t i = 0; i < model.components.size(); ++i)
    components.add(component_json(model.components[i], assembly.scene.components[i], index));
  return Json::object()
      .set("gravity", model.gravity.empty() ? Json() : numbers(model.gravity))
      .set("nodes", nodes)
      .set("beams", beams)
      .set("components", components);
}

std::size_t motion_columns(const Assembly& assembly) {
  std::size_t count = 0;
  for (const Scene::Node& n : assembly.scene.nodes) count += (n.fine ? 2 : 1) * columns_of(n);
  return count;
}

void read_motion(const Assembly& assembly, const State& state, std::vector<double>& values) {
  values.clear();
  for (const Scene::Node& n : assembly.scene.nodes) {
    const double* from = &state.value[assembly.system.variables()[n.variable].value];
    values.insert(values.end(), from, from + columns_of(n));
    if (n.fine)
      for (int i = 0; i < columns_of(n); ++i) values.push_back(from[i] - static_cast<float>(from[i]));
  }
}

}  // namespace escapement
