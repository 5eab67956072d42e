#include "components/joint/build.hpp"

#include <fmt/format.h>

#include <cmath>

template struct escapement::Adaptor<escapement::joint::CoordinateReading>;
template struct escapement::Adaptor<escapement::joint::Coordinate>;

namespace escapement::joint {
namespace {

/// Axes whose z is given; x is as near to the world's (or frame's) x as it can be: in the plane of both, at a right angle to z. Where
/// z is along that x, but for rounding, x is the other's y.
Rotation<double> with_z(const Vector3& z) {
  const double aside = std::hypot(z[1], z[2]);
  if (aside < 1e-12) return from_axes({{0, 1, 0}}, cross(z, {{0, 1, 0}}), z);
  const Vector3 y = (1 / aside) * Vector3{{0, z[2], -z[1]}};
  return from_axes(cross(y, z), y, z);
}

}  // namespace

ComponentType joint_type(const char* name, const char* summary, bool has_axis) {
  ComponentType type(name, summary);
  type.connects(between(Domain::frame));
  type.takes(vector("at", "m", 3,
                    "where it is in the design position (that of the bodies' `initial`), world axes; "
                    "without it the origins of the two frames are joined")
                 .optional());
  if (has_axis)
    type.takes(
        vector("axis", "1", 3,
               "direction of its axis: with `at` in world axes, in the design position; without in the "
               "axes of each frame")
            .otherwise("[0, 0, 1]"));
  type.gives({"force", "N", "load of A on B, in the joint's axes on A", "xyz"});
  type.gives(
      {"torque", "N*m", "torque of A on B about the joint's point on B, in the joint's axes on A", "xyz"});
  return type;
}

Parameter at_start(std::vector<Parameter> coordinates) {
  std::vector<std::string> keys;
  for (const Parameter& p : coordinates) keys.push_back(p.key);
  coordinates.push_back(fixed(std::move(keys)));
  return group("initial", std::move(coordinates), "coordinates at the start");
}

Markers markers(const Build& b) {
  const AttachedFrame A = b.frame("between", 0), B = b.frame("between", 1);
  Rotation<double> R;
  if (b.has("axis")) {
    const std::vector<double>& n = b.vector("axis");
    const Vector3 axis{{n[0], n[1], n[2]}};
    if (!(norm(axis) > 0)) b.refuse("E-RANGE", "axis", "has length 0", "a direction, such as [0, 0, 1]");
    const Vector3 z = (1 / norm(axis)) * axis;
    if (!(z[2] == 1)) R = with_z(z);
  }
  if (!b.has("at"))
    return {A.node, B.node, A.on_node * Frame<double>{R, {}}, B.on_node * Frame<double>{R, {}}};
  const std::vector<double>& p = b.vector("at");
  const Frame<double> marker{R, {{p[0], p[1], p[2]}}};
  const auto on = [&](const AttachedFrame& f) { return f.on_node * (f.design.inverse() * marker); };
  return {A.node, B.node, on(A), on(B)};
}

std::string described(const Equation& e) {
  constexpr char axes[] = "xyz";
  switch (e.kind) {
    case Equation::Kind::coincide:
      return fmt::format("points together along {}", axes[e.i]);
    case Equation::Kind::along:
      return fmt::format("no offset along {} of A", axes[e.i]);
    case Equation::Kind::perpendicular:
      return fmt::format("{} of A at a right angle to {} of B", axes[e.i], axes[e.j]);
    case Equation::Kind::parallel:
      return fmt::format("z of A along z of B, at a right angle to {} of B", axes[e.i]);
    case Equation::Kind::aligned:
      return fmt::format("no rotation about {} of A", axes[e.i]);
    default:
      return "distance of the points";
  }
}

Measure rotation(const Markers& m) {
  const Matrix3 A = matrix(m.on_a.R), B = matrix(m.on_b.R);
  return {Measure::Kind::rotation, false, column(A, 0), column(A, 1), column(B, 0)};
}

Measure translation(const Markers& m, int i) {
  Measure measure{Measure::Kind::translation, false, {}, {}, {}, m.on_a.x, m.on_b.x};
  measure.x[i] = 1;
  measure.x = m.on_a.R * measure.x;
  return measure;
}

void coordinate(Build& b, const Markers& m, int node, const Measure& measure, const char* value,
                const char* rate, double start) {
  const ElementId reading = b.add(CoordinateReading{m.a, m.b, measure});
  b.start_memory(reading, 0, start);
  b.offered_channel(value, reading, 0, node);
  b.offered_channel(rate, reading, 1, node);
  const bool rotates = measure.kind == Measure::Kind::rotation;
  if (b.is_fixed(value)) {  // as an unknown it can be kept
    b.start(b.offered(node), {start});
    b.keep_if_fixed(value, b.offered(node), 0, 1, false);
  }
  if (b.is_fixed(rate)) {
    b.start_rate(b.offered(node), {b.number(std::string("initial.") + rate)});
    b.keep_if_fixed(rate, b.offered(node), 0, 1, true);
  }
  b.offer(node, reading, [=, name = b.name(value)](SystemBuilder& system, const Handle& at) {
    const auto load =
        system.multiplier<1>(name + ".load", {.unit = rotates ? "N*m" : "N",
                                              .row_unit = rotates ? "rad" : "m",
                                              .parts = {"coordinate"},
                                              .row_extent = rotates ? Extent::angle : Extent::length});
    system.add(Coordinate{m.a, m.b, Build::typed<Position<1>>(at), load, measure});
  });
}

Rotation<double> turn(int i, double angle) {
  Vector3 axis;
  axis[i] = std::sin(0.5 * angle);
  return {std::cos(0.5 * angle), axis};
}

}  // namespace escapement::joint
