// What all joints share: where their markers are, reactions, coordinates.
#pragma once
#include "components/joint/coordinate.hpp"
#include "components/joint/joint.hpp"
#include "model/component.hpp"

namespace escapement::joint {

/// The two ends of a joint: z of both markers is its axis.
struct Markers {
  Pose a, b;
  Frame<double> on_a, on_b;
};

/// `between` two frames, or `at` a point of the design position, with an axis if the joint has one.
ComponentType joint_type(const char* name, const char* summary, bool has_axis);
/// The group `initial` of a joint's coordinates and rates.
Parameter at_start(std::vector<Parameter> coordinates);
Markers markers(const Build& b);

/// "x of A at a right angle to y of B", for messages.
std::string described(const Equation& e);

/// Adds the joint's equations and its reaction channels, and tells where it starts.
template <int n>
ElementId tie(Build& b, const Markers& m, const std::array<Equation, n>& equations, JointStart start = {}) {
  std::vector<std::string> rows, units;
  std::vector<Extent> extents;
  for (const Equation& e : equations) {
    rows.push_back(described(e));
    units.push_back(turns(e.kind) ? "rad" : "m");
    extents.push_back(turns(e.kind) ? Extent::angle : Extent::length);
  }
  const auto load = b.system.multiplier<n>(b.name("reaction"), {.unit = "N",
                                                                .row_unit = "m",
                                                                .parts = std::move(rows),
                                                                .part_units = std::move(units),
                                                                .part_extents = std::move(extents)});
  const ElementId id = b.add(Joint<n>{m.a, m.b, load, m.on_a, m.on_b, equations});
  for (int i = 0; i < 3; ++i) {
    b.channel("force", id, i, i);
    b.channel("torque", id, 3 + i, i);
  }
  b.draw(b.primitive(), {}, {{m.a.variable, m.on_a}, {m.b.variable, m.on_b}});
  b.arrow("force", 1, 0);
  b.arrow("torque", 1, 0);
  start.path = b.path();
  start.kept = b.has("initial.fixed");
  start.a = m.a;
  start.b = m.b;
  start.on_a = m.on_a;
  start.on_b = m.on_b;
  b.joint(std::move(start));
  return id;
}
/// Angle of B about the z axis of A's marker.
Measure rotation(const Markers& m);
/// Displacement of B's marker along axis i of A's marker.
Measure translation(const Markers& m, int i);
/// Offered node number `node` and its two channels; `start`: the angle at the start, whole turns included.
void coordinate(Build& b, const Markers& m, int node, const Measure& measure, const char* value,
                const char* rate, double start = 0);

/// A turn about axis i.
Rotation<double> turn(int i, double angle);

}  // namespace escapement::joint
