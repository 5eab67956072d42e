#include "components/body/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "components/body/rigid.hpp"

namespace escapement::body {
namespace {

Vector3 vector3(const Build& b, const std::string& key) {
  const std::vector<double>& v = b.vector(key);
  return {{v[0], v[1], v[2]}};
}

Vector3 direction(const Build& b, const std::string& key) {
  const Vector3 v = vector3(b, key);
  const double size = norm(v);
  if (!(size > 0)) b.refuse("E-RANGE", key, "has length 0", "a direction, such as [0, 0, 1]");
  return (1 / size) * v;
}

Rotation<double> about(const Vector3& axis, double angle) {
  return {std::cos(0.5 * angle), std::sin(0.5 * angle) * axis};
}

Rotation<double> quaternion(const Build& b, const std::string& key) {
  const std::vector<double>& q = b.vector(key);
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(size - 1) <= 1e-6))
    b.refuse("E-RANGE", key, fmt::format("has length {:g}, needs 1", size),
             "[w, x, y, z], [1, 0, 0, 0] for no rotation");
  return {q[0] / size, {{q[1] / size, q[2] / size, q[3] / size}}};
}

/// Intrinsic rotations: each about an axis of the body as turned so far.
Rotation<double> euler(const Build& b, const std::string& prefix) {
  const std::string& sequence = b.text(prefix + "euler.sequence");
  const std::vector<double>& angles = b.vector(prefix + "euler.angles");
  Rotation<double> R;
  for (int i = 0; i < 3; ++i) {
    Vector3 axis;
    axis[sequence[i] - 'x'] = 1;
    R = R * about(axis, angles[i]);
  }
  return R;
}

Rotation<double> axes(const Build& b, const std::string& prefix) {
  const Vector3 x = direction(b, prefix + "x_axis"), given = direction(b, prefix + "y_axis");
  const double along = dot(x, given);
  if (std::abs(along) > 1e-6)
    b.refuse("E-RANGE", prefix + "y_axis",
             fmt::format("is not perpendicular to x_axis: {:.4g} degrees between them",
                         std::acos(std::clamp(along, -1.0, 1.0)) * 180 / 3.14159265358979),
             "two axes at a right angle");
  const Vector3 side = given - along * x;
  const Vector3 y = (1 / norm(side)) * side;
  return from_axes(x, y, cross(x, y));
}

Rotation<double> orientation(const Build& b, const std::string& prefix) {
  const auto has = [&](const char* key) { return b.has(prefix + key); };
  const char* ways[] = {"quaternion", "axis", "euler.angles", "x_axis"};
  const char* partners[][2] = {{"axis", "angle"}, {"x_axis", "y_axis"}};
  for (const auto& [one, other] : partners)
    if (has(one) != has(other))
      b.refuse("E-MISSING", prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1),
               fmt::format("`{}` is missing", has(one) ? other : one),
               "axis: [0, 0, 1], angle: 30 deg; or x_axis and y_axis");
  const char* given = nullptr;
  for (const char* way : ways) {
    if (!has(way)) continue;
    if (given)
      b.refuse("E-CHOICE", prefix + way, "the orientation is given twice",
               "one of quaternion, axis and angle, euler, x_axis and y_axis");
    given = way;
  }
  if (!given) return {};
  switch (given[0]) {
    case 'q':
      return quaternion(b, prefix + "quaternion");
    case 'a':
      return about(direction(b, prefix + "axis"), b.number(prefix + "angle"));
    case 'e':
      return euler(b, prefix);
    default:
      return axes(b, prefix);
  }
}

/// The inertia must be that of some distribution of mass.
void refuse_impossible(const Build& b, const MassProperties& p) {
  const char* key = b.has("inertia") ? "inertia" : b.has("principal_inertia") ? "principal_inertia" : "";
  auto [small, middle, large] = principal_values(p.inertia);
  if (std::abs(small) < 1e-12 * large) small = 0;  // rounding
  const std::string values = fmt::format("{:g}, {:g}, {:g} kg*m^2", small, middle, large);
  if (!(small > 0))
    b.refuse("E-RANGE", key, "is not positive definite: its principal values are " + values,
             "products of inertia are entries of the tensor, with its signs");
  if (large > (small + middle) * (1 + 1e-6))
    b.refuse(
        "E-RANGE", key,
        fmt::format("no body has it: of its principal values {} the largest exceeds the sum of the others, "
                    "{:g} > {:g} + {:g}",
                    values, large, small, middle),
        "take it about the centre of mass; products of inertia carry the sign of the tensor");
}

BodyFrames frames(const Build& b, const MassProperties& p) {
  BodyFrames body;
  const Frame<double> to_node{{}, -p.com};  // the node is at the centre of mass, in the reference axes
  body.frames = {{"", to_node}, {"com", {}}};
  for (const Node::Entry& e : b.entries("frames")) {
    if (e.key == "com")
      b.refuse_at(e.value, "E-NAME", "frames.com", "`com` is the centre of mass already", "another name");
    for (const char* channel : {"position", "quaternion", "velocity", "angular_velocity", "energy"})
      if (e.key == channel)
        b.refuse_at(e.value, "E-NAME", "frames." + e.key, "is a channel of the body already", "another name");
    body.frames.push_back({e.key, to_node * pose(b, "frames." + e.key + ".")});
  }
  Frame<double> at = to_node;
  std::string name = "";
  if (b.has("initial.frame")) {
    name = b.text("initial.frame");
    const auto known =
        std::find_if(body.frames.begin(), body.frames.end(), [&](const auto& f) { return f.name == name; });
    if (known == body.frames.end()) {
      std::vector<std::string> names;
      for (const auto& f : body.frames)
        if (!f.name.empty()) names.push_back(f.name);
      b.refuse("E-REFERENCE", "initial.frame", fmt::format("there is no frame `{}`", name),
               did_you_mean(name, names, fmt::format("its frames: {}", fmt::join(names, ", "))));
    }
    at = known->on_node;
  }
  const Frame<double> start = pose(b, "initial.");
  body.pose = start * at.inverse();
  const Vector3 v = vector3(b, "initial.velocity"), w = vector3(b, "initial.angular_velocity");
  body.angular_velocity = at.R * w;  // given in the axes of the frame
  body.velocity = v - body.pose.R * cross(body.angular_velocity, at.x);
  body.velocity_given = b.given("initial.velocity") || b.given("initial.angular_velocity");
  return body;
}

void build(Build& b, const MassProperties& p) {
  refuse_impossible(b, p);
  const auto at = b.own_node<Pose>();
  const auto& g = b.gravity();
  const ElementId id = b.add(Rigid{at, p.mass, p.inertia, {{g[0], g[1], g[2]}}});
  b.keep_if_fixed("position", at, 0, 3, false);
  b.keep_if_fixed("orientation", at, 3, 3, false);
  b.keep_if_fixed("velocity", at, 0, 3, true);
  b.keep_if_fixed("angular_velocity", at, 3, 3, true);
  b.channel("energy", id, 0);
  const ElementId reading = b.add(FrameReading{at, {{}, -p.com}});
  const auto bind = [&](const std::string& output, const ElementId& element, int first, int parts) {
    for (int i = 0; i < parts; ++i) b.channel(output, element, first + i, i);
  };
  bind("position", reading, 0, 3);
  bind("quaternion", reading, 3, 4);
  bind("velocity", reading, 7, 3);
  bind("angular_velocity", reading, 10, 3);
  for (const Node::Entry& e : b.entries("frames")) {
    const Frame<double> on_body = Frame<double>{{}, -p.com} * pose(b, "frames." + e.key + ".");
    const ElementId frame = b.add(FrameReading{at, on_body});
    bind(e.key + ".position", frame, 0, 3);
    bind(e.key + ".velocity", frame, 7, 3);
  }
}

}  // namespace

std::vector<Parameter> pose_fields(const char* position_summary) {
  Parameter sequence =
      choice("sequence", {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"},
             "axes, each turned with the ones before");
  return {vector("position", "m", 3, position_summary).otherwise("[0, 0, 0]"),
          vector("quaternion", "1", 4, "orientation: [w, x, y, z], of length one").optional(),
          vector("axis", "1", 3, "orientation: turned about this axis …").optional(),
          number("angle", "rad", "… by this angle").optional(),
          group("euler", {sequence.otherwise("zyx"), vector("angles", "rad", 3, "in this order").optional()},
                "orientation: three turns about the body's own axes"),
          vector("x_axis", "1", 3, "orientation: direction of its x axis …").optional(),
          vector("y_axis", "1", 3, "… and of its y axis").optional()};
}

Frame<double> pose(const Build& b, const std::string& prefix) {
  return {orientation(b, prefix), vector3(b, prefix + "position")};
}

void make_body(ComponentType& type, MassProperties (*properties)(const Build&)) {
  type.provides = Domain::frame;
  type.takes(records("frames", pose_fields("of its origin, in the body's reference frame"),
                     "frames fixed to the body, by name: `body.name` is one for joints, forces and sensors")
                 .optional());
  std::vector<Parameter> start = pose_fields("at the start, world axes");
  start.push_back(text("frame",
                       "whose pose and velocity are given: a name under `frames`, or `com`; the reference "
                       "frame if absent")
                      .optional());
  start.push_back(vector("velocity", "m/s", 3, "at the start, world axes").otherwise("[0, 0, 0]"));
  start.push_back(
      vector("angular_velocity", "rad/s", 3, "at the start, in the axes of the body").otherwise("[0, 0, 0]"));
  start.push_back(fixed({"position", "orientation", "velocity", "angular_velocity"}));
  start.back().summary += "; `position` and `velocity` are then those of the centre of mass";
  type.takes(group("initial", std::move(start), "where it starts"));
  type.gives({"position", "m", "of the reference frame, world axes", "xyz"});
  type.gives({"quaternion", "1", "orientation: body axes to world axes", "wxyz"});
  type.gives({"velocity", "m/s", "of the reference frame, world axes", "xyz"});
  type.gives({"angular_velocity", "rad/s", "angular velocity, body axes", "xyz"});
  type.gives({"energy", "J", "kinetic energy and energy of weight (zero at the origin)", {}, false, false});
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> list;
    for (const Node::Entry& e : b.entries("frames")) {
      list.push_back({e.key + ".position", "m", "of this frame, world axes", "xyz", false, false});
      list.push_back({e.key + ".velocity", "m/s", "of this frame, world axes", "xyz", false, false});
    }
    return list;
  };
  type.signs =
      "World axes for position and velocity, z up; body axes for the angular velocity. The quaternion turns "
      "body axes into world axes. Angles count by the right-hand rule.";
  type.frames = [properties](const Build& b) { return frames(b, properties(b)); };
  type.build = [properties](Build& b) { build(b, properties(b)); };
}

void takes_density(ComponentType& type) {
  type.takes(number("density", "kg/m^3", "of the material").positive().one_of("its density or mass"));
  type.takes(number("mass", "kg", "mass").positive().one_of("its density or mass"));
}

MassProperties weighed(const Build& b, const MassProperties& solid) {
  return scaled(solid, b.has("density") ? b.number("density") : b.number("mass") / solid.mass);
}

}  // namespace escapement::body
