#include "report/scene_json.hpp"

#include <map>

namespace escapement {
namespace {

int columns_of(const Scene::Node& node) { return node.domain ? info(*node.domain).values : 3; }

/// Strains and loads of a piece of a beam; 0 of other parts. A cable has an elongation and a tension alone.
int columns_of(const Scene& scene, const Scene::Part& part) {
  if (!part.bearing) return 0;
  return scene.beams[part.beam].cable ? 2 : 12;
}

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

/// `column`: of what the next piece of a beam bears.
Json component_json(const FlatComponent& c, const Scene& scene, const Scene::Component& drawn,
                    const std::map<int, int>& index, int& column) {
  Json parts = Json::array();
  for (const Scene::Part& p : drawn.parts) {
    Json ends = Json::array();
    for (const Scene::End& e : p.ends) ends.add(end_json(e, index));
    Json part = Json::object();
    part.set("primitive", p.primitive).set("size", numbers(p.size)).set("ends", ends);
    if (p.beam >= 0) part.set("beam", p.beam);
    if (const int count = columns_of(scene, p); count > 0) {
      part.set("bears", column);
      column += count;
    }
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
  return Json::object()
      .set("outline", beam.outline.shape)
      .set("size", numbers(beam.outline.size))
      .set("youngs_modulus", beam.youngs_modulus > 0 ? Json(beam.youngs_modulus) : Json())
      .set("cable", beam.cable);
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
    nodes.add(std::move(node));
  }
  Json beams = Json::array();
  for (const Scene::Beam& beam : assembly.scene.beams) beams.add(beam_json(beam));
  Json components = Json::array();
  for (std::size_t i = 0; i < model.components.size(); ++i)
    components.add(
        component_json(model.components[i], assembly.scene, assembly.scene.components[i], index, column));
  return Json::object()
      .set("gravity", model.gravity.empty() ? Json() : numbers(model.gravity))
      .set("nodes", nodes)
      .set("beams", beams)
      .set("components", components);
}

std::size_t motion_columns(const Assembly& assembly) {
  std::size_t count = 0;
  for (const Scene::Node& n : assembly.scene.nodes) count += columns_of(n);
  for (const Scene::Component& c : assembly.scene.components)
    for (const Scene::Part& p : c.parts) count += columns_of(assembly.scene, p);
  return count;
}

void read_motion(const Assembly& assembly, const State& state, std::vector<double>& values) {
  const auto numbers_of = [&](int variable) {
    return &state.value[assembly.system.variables()[variable].value];
  };
  const Scene::Places place = [&](const Scene::End& end) {
    if (end.variable < 0) return end.on_node;
    const double* x = numbers_of(end.variable);
    if (assembly.system.variables()[end.variable].values == 3)
      return Frame<double>{{}, {{x[0], x[1], x[2]}}} * end.on_node;
    return Frame<double>{{x[0], {{x[1], x[2], x[3]}}}, {{x[4], x[5], x[6]}}} * end.on_node;
  };
  values.clear();
  for (const Scene::Node& n : assembly.scene.nodes) {
    const double* from = numbers_of(n.variable);
    values.insert(values.end(), from, from + columns_of(n));
  }
  for (const Scene::Component& c : assembly.scene.components)
    for (const Scene::Part& p : c.parts) {
      if (!p.bearing) continue;
      const Scene::Bearing now = p.bearing(place);
      if (assembly.scene.beams[p.beam].cable) values.insert(values.end(), {now[0], now[6]});
      else values.insert(values.end(), now.begin(), now.end());
    }
}

}  // namespace escapement
