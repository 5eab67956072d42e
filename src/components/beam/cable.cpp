#include "components/beam/cable.hpp"

#include <fmt/format.h>

#include <cmath>

#include "components/beam/curve.hpp"
#include "components/beam/section.hpp"

namespace escapement {

using beam::BodyPoint;
using beam::FreePoint;

template struct Adaptor<beam::Bar<BodyPoint, BodyPoint>>;
template struct Adaptor<beam::Bar<BodyPoint, FreePoint>>;
template struct Adaptor<beam::Bar<FreePoint, FreePoint>>;
template struct Adaptor<beam::BarInertia<BodyPoint, BodyPoint>>;
template struct Adaptor<beam::BarInertia<BodyPoint, FreePoint>>;
template struct Adaptor<beam::BarInertia<FreePoint, FreePoint>>;

namespace {

/// Points of a cable at rest between two places, at even parts of its length: a catenary where it hangs through, else the
/// straight line (T-cable-2).
std::vector<Vector3> hanging(const Vector3& from, const Vector3& to, double length, const Vector3& gravity,
                             int n) {
  std::vector<Vector3> points;
  const Vector3 way = to - from;
  const double distance = norm(way), g = norm(gravity);
  const Vector3 down = g > 0 ? (1 / g) * gravity : Vector3{};
  const double fall = dot(way, down);
  Vector3 side = way - fall * down;
  double span = norm(side);
  if (g == 0 || length <= distance * (1 + 1e-9)) {
    for (int i = 0; i <= n; ++i) points.push_back(from + (static_cast<double>(i) / n) * way);
    return points;
  }
  if (span < 1e-3 * length) {  // one end above the other: it hangs as a narrow loop
    const Vector3 other = std::abs(down[0]) < 0.9 ? Vector3{{1, 0, 0}} : Vector3{{0, 1, 0}};
    side = cross(down, other);
    span = 1e-3 * length;
  }
  side = (1 / norm(side)) * side;
  // sqrt(L² − fall²)/span = sinh(u)/u with u = span/2a.
  const double ratio = std::sqrt(length * length - fall * fall) / span;
  double low = 0, high = 1;
  while (std::sinh(high) / high < ratio) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double u = 0.5 * (low + high);
    (std::sinh(u) / u < ratio ? low : high) = u;
  }
  const double a = span / (2 * 0.5 * (low + high));
  // Height −a cosh((x − m)/a) + c: arc length a (sinh((x − m)/a) + sinh(m/a)).
  const double m = 0.5 * span + a * std::atanh(fall / length);
  const double begin = std::sinh(-m / a);
  for (int i = 0; i <= n; ++i) {
    const double x = m + a * std::asinh(begin + length * i / (n * a));
    const double drop = a * (std::cosh(m / a) - std::cosh((x - m) / a));
    points.push_back(i == n ? to : from + x * side + drop * down);
  }
  return points;
}

/// What a cable is per metre.
struct CableLine {
  double axial, mass;      // N, kg/m
  double radius, modulus;  // m, Pa; 0: not known
};

CableLine read_cable_line(const Build& b, double distance) {
  if (b.has("diameter")) {
    const beam::Material material = beam::read_material(b);
    for (const char* key : {"axial", "mass"})
      if (b.has(key)) b.refuse("E-CHOICE", key, "diameter and material say that already", "remove it");
    const double radius = 0.5 * b.number("diameter");
    const double area = 3.14159265358979323846 * radius * radius;
    return {material.youngs_modulus * area, material.density * area, radius, material.youngs_modulus};
  }
  for (const char* key : {"axial", "mass"})
    if (!b.has(key))
      b.refuse("E-MISSING", "", fmt::format("`{}` is missing", key),
               "axial and mass, or diameter and material");
  for (const char* key : {"material", "youngs_modulus", "poisson_ratio", "density"})
    if (b.has(key)) b.refuse("E-CHOICE", key, "axial and mass are given themselves", "remove it");
  return {b.number("axial"), b.number("mass"), 0.005 * std::max(distance, 1e-3), 0};
}

void build_cable(Build& b) {
  const AttachedFrame from = b.frame("from");
  const bool free = !b.connected("to");
  if (free == !b.has("free_end"))
    b.refuse(free ? "E-MISSING" : "E-CHOICE", free ? "" : "free_end",
             free ? "neither `to` nor `free_end` says where it ends" : "`to` says already where it ends",
             free ? "to: a frame, or free_end: where its free end starts" : "one of them");
  const AttachedFrame to = free ? AttachedFrame{} : b.frame("to");
  const Vector3 start = from.design.x, end = free ? beam::vector3(b, "free_end") : to.design.x;
  const Vector3 gravity{{b.gravity()[0], b.gravity()[1], b.gravity()[2]}};
  const int n = b.integer("elements");
  const double distance = norm(end - start);
  if (!b.has("length") && !(distance > 0))
    b.refuse("E-RANGE", "", "its ends coincide: it has no length", "length: 1 m");
  const double tight = b.number("tension");
  const auto [axial, mass, radius, modulus] = read_cable_line(b, distance);
  if (tight != 0 && b.has("length"))
    b.refuse("E-CHOICE", "tension", "the length says already how tight it is", "one of them");
  const double length = b.has("length") ? b.number("length") : distance / (1 + tight / axial);
  const std::vector<Vector3> points = hanging(start, end, length, gravity, n);
  const double l = length / n;

  std::vector<Position<3>> nodes;
  const int own = free ? n : n - 1;
  for (int i = 1; i <= own; ++i) {
    nodes.push_back(b.system.position<3>(b.name(fmt::format("node{}", i).c_str())));
    b.start(nodes.back(), {points[i][0], points[i][1], points[i][2]});
  }
  const Scene::Beam picture{{"ellipse", {radius, radius}}, modulus, true};
  const auto add = [&](const auto& p, const auto& q) {
    using P = std::remove_cvref_t<decltype(p)>;
    using Q = std::remove_cvref_t<decltype(q)>;
    const auto place = [](const auto& point) {
      Scene::End end{point.node.variable, {}};
      if constexpr (requires { point.arm; }) end.on_node.x = point.arm;
      return end;
    };
    const beam::Bar<P, Q> bar{p, q, l, axial, b.number("damping"), b.flag("tension_only")};
    b.add(bar);
    b.add(beam::BarInertia<P, Q>{p, q, l * mass, gravity});
    b.draw_beam(picture, place(p), place(q), [bar, p = place(p), q = place(q)](const Scene::Places& at) {
      const double strain = bar.strain_of(at(q).x - at(p).x);
      Scene::Bearing now{};
      now[0] = strain;
      now[6] = bar.elastic_tension(strain);
      return now;
    });
    return bar;
  };
  const auto tension = [&](const char* output, const auto& reading) { b.channel(output, b.add(reading), 0); };
  const BodyPoint first{from.node, from.on_node.x}, last{to.node, to.on_node.x};
  if (own == 0) {
    const beam::BarTension<beam::Bar<BodyPoint, BodyPoint>> only{add(first, last)};
    tension("tension", only);
    tension("end_tension", only);
    return;
  }
  std::vector<beam::Bar<FreePoint, FreePoint>> inner;
  const auto begin = add(first, FreePoint{nodes[0]});
  for (int i = 0; i + 1 < own; ++i) inner.push_back(add(FreePoint{nodes[i]}, FreePoint{nodes[i + 1]}));
  const auto end_bar = free ? begin : add(last, FreePoint{nodes.back()});
  using EndBar = beam::Bar<BodyPoint, FreePoint>;
  if (inner.empty()) {
    tension("tension", beam::BarTension<EndBar>{begin});
    tension("end_tension", beam::BarTension<EndBar>{end_bar});
    return;
  }
  tension("tension", beam::EndTension<EndBar>{begin, inner.front()});
  if (free) tension("end_tension", beam::BarTension<beam::Bar<FreePoint, FreePoint>>{inner.back()});
  else tension("end_tension", beam::EndTension<EndBar>{end_bar, inner.back()});
  if (free) {
    const ElementId reading = b.add(beam::PointReading{nodes.back()});
    for (int k = 0; k < 3; ++k) {
      b.channel("end.position", reading, k, k);
      b.channel("end.velocity", reading, 3 + k, k);
    }
  }
}

}  // namespace

ComponentType beam_cable() {
  ComponentType type("beam.cable", "A cable, string or bar: it stretches but does not resist bending.");
  type.description =
      "`elements` straight bars, each with\n\n"
      "    tension = axial · (strain + damping · d strain/dt)\n\n"
      "and, with `tension_only`, none while it is shorter than unloaded. It begins at a frame and ends at "
      "another, or freely. "
      "Longer than the way between them, it starts as it would hang (a catenary, without its elongation); "
      "shorter or with "
      "`tension`, straight and tight. With one element it is a bar.";
  type.connects(node_port("from", Domain::frame, "where it begins"));
  type.connects(node_port("to", Domain::frame, "where it ends").optional());
  type.takes(
      vector("free_end", "m", 3, "instead of `to`: it ends freely, and there at the start").optional());
  type.takes(integer("elements", "bars").at_least(1).at_most(100000).otherwise("10"));
  type.takes(number("length", "m", "unloaded; the way between its ends at the start if absent")
                 .positive()
                 .optional());
  type.takes(number("tension", "N", "instead of `length`: how tight it is at the start").otherwise("0"));
  type.takes(number("axial", "N", "tension per strain").positive().optional());
  type.takes(number("mass", "kg/m", "per length").positive().optional());
  type.takes(number("diameter", "m", "of a round wire, instead of `axial` and `mass`").positive().optional());
  beam::add_material_keys(type);
  type.takes(number("damping", "s", "tension per rate of strain, over tension per strain")
                 .at_least(0)
                 .otherwise("0"));
  type.takes(boolean("tension_only", "slack instead of compression").otherwise("true"));
  type.gives({"tension", "N", "where it begins"});
  type.gives({"end_tension", "N", "where it ends; of a free end in the last bar"});
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> list;
    if (b.has("free_end") && b.integer("elements") > 1)
      list = {{"end.position", "m", "of the free end, world axes", "xyz"},
              {"end.velocity", "m/s", "of the free end, world axes", "xyz"}};
    return list;
  };
  type.signs = "Tension is positive.";
  type.shape = {"rod"};
  type.example = R"yaml(
hook: {type: body.anchor, position: [0, 0, 2 m]}
load: {type: body.sphere, radius: 0.1 m, mass: 5 kg, initial: {position: [0.5 m, 0, 0.5 m]}}
rope: {type: beam.cable, from: hook, to: load, elements: 10, diameter: 6 mm, material: nylon, damping: 1 ms}
)yaml";
  type.build = build_cable;
  return type;
}

}  // namespace escapement
