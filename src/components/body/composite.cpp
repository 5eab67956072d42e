#include <fmt/format.h>

#include "components/body/build.hpp"

namespace escapement {
namespace {

struct Solid {
  const char* name;
  std::vector<const char*> sizes;
};
const Solid solids[] = {{"box", {"size"}},
                        {"cylinder", {"radius", "length"}},
                        {"sphere", {"radius"}},
                        {"capsule", {"radius", "length"}},
                        {"tube", {"inner_radius", "radius", "length"}},
                        {"cone", {"radius", "length"}}};

body::MassProperties part(const Build& b, const std::string& prefix) {
  const std::string& shape = b.text(prefix + "shape");
  for (const Solid& s : solids) {
    if (shape != s.name) continue;
    for (const char* size : {"size", "inner_radius", "radius", "length"}) {
      const bool needed = std::find_if(s.sizes.begin(), s.sizes.end(), [&](const char* x) {
                            return std::string_view(x) == size;
                          }) != s.sizes.end();
      if (needed && !b.has(prefix + size))
        b.refuse("E-MISSING", prefix + "shape", fmt::format("a {} needs `{}`", shape, size));
      if (!needed && b.has(prefix + size))
        b.refuse("E-CHOICE", prefix + size, fmt::format("a {} has no `{}`", shape, size), "remove it");
    }
  }
  const auto number = [&](const char* key) { return b.number(prefix + key); };
  body::MassProperties solid;
  if (shape == "box") {
    const std::vector<double>& s = b.vector(prefix + "size");
    solid = body::box({{s[0], s[1], s[2]}});
  } else if (shape == "cylinder") {
    solid = body::cylinder(number("radius"), number("length"));
  } else if (shape == "sphere") {
    solid = body::sphere(number("radius"));
  } else if (shape == "capsule") {
    solid = body::capsule(number("radius"), number("length"));
  } else if (shape == "cone") {
    solid = body::cone(number("radius"), number("length"));
  } else {
    if (!(number("inner_radius") < number("radius")))
      b.refuse("E-RANGE", prefix + "inner_radius", "is not smaller than radius");
    solid = body::tube(number("inner_radius"), number("radius"), number("length"));
  }
  if (b.has(prefix + "density") == b.has(prefix + "mass"))
    b.refuse("E-CHOICE", prefix + "shape", "give exactly one of density and mass");
  const double factor = b.has(prefix + "density") ? number("density") : number("mass") / solid.mass;
  return body::placed(body::scaled(solid, factor), body::pose(b, prefix));
}

body::MassProperties composite_properties(const Build& b) {
  body::MassProperties sum;
  for (const Node::Entry& e : b.entries("parts")) {
    const body::MassProperties p = part(b, "parts." + e.key + ".");
    sum = sum.mass > 0 ? body::together(sum, p) : p;
  }
  if (b.entries("parts").empty())
    b.refuse("E-MISSING", "parts", "a composite body needs at least one part",
             "parts: {hub: {shape: cylinder, radius: 0.1 m, length: 0.02 m, density: 7850 kg/m^3}}");
  return sum;
}

}  // namespace

ComponentType body_composite() {
  ComponentType type("body.composite", "One rigid body put together from solids.");
  type.description =
      "Each part is a solid with a density or a mass, placed in the body's reference frame. Mass, centre of "
      "mass and inertia are those of all parts together; otherwise it is a `body.rigid`. Parts that overlap "
      "count twice.";
  std::vector<Parameter> fields = body::pose_fields("of the part, in the body's reference frame");
  fields.push_back(choice("shape", {"box", "cylinder", "sphere", "capsule", "tube", "cone"}, "what it is"));
  fields.push_back(vector("size", "m", 3, "of a box: edges along x, y and z").positive().optional());
  fields.push_back(number("radius", "m", "of all but a box; of a tube the outer one").positive().optional());
  fields.push_back(number("inner_radius", "m", "of a tube").positive().optional());
  fields.push_back(number("length", "m", "along z; of a cone its height").positive().optional());
  fields.push_back(number("density", "kg/m^3", "of its material").positive().optional());
  fields.push_back(number("mass", "kg", "of the part").positive().optional());
  type.takes(records("parts", std::move(fields), "the solids by name"));
  body::make_body(type, composite_properties);
  type.shape = {"box"};
  type.build = [build = type.build](Build& b) {
    build(b);
    const Frame<double> to_node{{}, -composite_properties(b).com};
    for (const Node::Entry& e : b.entries("parts")) {
      const std::string prefix = "parts." + e.key + ".";
      std::vector<double> size;
      for (const char* key : {"size", "inner_radius", "radius", "length"}) {
        if (!b.has(prefix + key)) continue;
        if (std::string_view(key) == "size") size = b.vector(prefix + key);
        else size.push_back(b.number(prefix + key));
      }
      b.draw(b.text(prefix + "shape"), std::move(size),
             {{b.own_node<Pose>().variable, to_node * body::pose(b, prefix)}});
    }
  };
  type.example = R"yaml(
hammer:
  type: body.composite
  parts:
    handle: {shape: cylinder, radius: 0.015 m, length: 0.3 m, density: 700 kg/m^3}
    head: {shape: box, size: [0.1 m, 0.03 m, 0.03 m], density: 7850 kg/m^3, position: [0, 0, -0.15 m]}
  frames: {grip: {position: [0, 0, 0.15 m]}}
  initial: {frame: grip}
pivot: {type: joint.spherical, between: [ground, hammer.grip]}
)yaml";
  return type;
}

}  // namespace escapement
