#include <fmt/format.h>

#include <cmath>

#include "components/beam/inertia.hpp"
#include "components/beam/section.hpp"
#include "components/beam/segment.hpp"
#include "components/body/rigid.hpp"

namespace escapement {
namespace {

Vector3 vector3(const Build& b, const char* key) {
  const std::vector<double>& v = b.vector(key);
  return {{v[0], v[1], v[2]}};
}

/// The sections stand across the line, their z towards `up`.
Rotation<double> across(const Build& b, const Vector3& x) {
  const Vector3 up = vector3(b, "up"), side = cross(up, x);
  if (!(norm(up) > 0)) b.refuse("E-RANGE", "up", "has length 0", "a direction, such as [0, 0, 1]");
  if (!(norm(side) > 1e-6 * norm(up)))
    b.refuse("E-RANGE", b.given("up") ? "up" : "",
             "`up` is parallel to the beam: it does not say how the sections are turned",
             "up: [1, 0, 0], or another direction across the beam");
  const Vector3 y = (1 / norm(side)) * side;
  return from_axes(x, y, cross(x, y));
}

BodyFrames frames(const Build& b) {
  const Vector3 from = vector3(b, "from"), way = vector3(b, "to") - from;
  const double length = norm(way);
  if (!(length > 0)) b.refuse("E-RANGE", "to", "is where the beam begins: it has no length");
  const int n = b.integer("elements");
  BodyFrames body;
  body.pose = {across(b, (1 / length) * way), from};
  for (int i = 1; i <= n; ++i)
    body.further.push_back({body.pose.R, from + (static_cast<double>(i) / n) * way});
  body.frames = {{"start", {}, 0}, {"end", {}, n}};
  const Vector3 w = vector3(b, "initial.angular_velocity");
  body.velocity = vector3(b, "initial.velocity");
  body.angular_velocity = body.pose.R.inverse() * w;
  body.velocity_given = b.given("initial.velocity") || b.given("initial.angular_velocity");
  return body;
}

void build(Build& b) {
  const int n = b.integer("elements");
  const double length = norm(vector3(b, "to") - vector3(b, "from")) / n;
  const beam::Line line = beam::read_line(b);
  const auto& gravity = b.gravity();
  const beam::Stiffness stiffness = beam::of_segment(line.stiffness, length);
  std::vector<ElementId> segments;
  for (int i = 0; i < n; ++i) {
    const auto a = b.own_node<Pose>(i), c = b.own_node<Pose>(i + 1);
    segments.push_back(b.add(beam::Segment{a, c, {}, {}, length, stiffness}));
    b.add(beam::Inertia{a, c, length * line.mass, {{gravity[0], gravity[1], gravity[2]}}});
    b.draw("rod", {line.radius}, {{a.variable, {}}, {c.variable, {}}});
  }
  for (int i = 0; i <= n; ++i) {
    const double share = (i == 0 || i == n ? 0.5 : 1.0) * length;
    b.add(body::Rigid{b.own_node<Pose>(i), 0.0,
                      diagonal(share * line.inertia[0], share * line.inertia[1], share * line.inertia[2])});
  }
  for (const auto& [name, node, segment] : {std::tuple{"start", 0, 0}, std::tuple{"end", n, n - 1}}) {
    const ElementId reading = b.add(body::FrameReading{b.own_node<Pose>(node)});
    const std::string prefix = std::string(name) + ".";
    for (int k = 0; k < 3; ++k) {
      b.channel<body::FrameReading>(prefix + "position", reading, k, k);
      b.channel<body::FrameReading>(prefix + "velocity", reading, 7 + k, k);
      b.channel<beam::Segment>(prefix + "strain", segments[segment], k, k);
      b.channel<beam::Segment>(prefix + "curvature", segments[segment], 3 + k, k);
      b.channel<beam::Segment>(prefix + "force", segments[segment], 6 + k, k);
      b.channel<beam::Segment>(prefix + "moment", segments[segment], 9 + k, k);
    }
    for (int k = 0; k < 4; ++k) b.channel<body::FrameReading>(prefix + "quaternion", reading, 3 + k, k);
  }
}

}  // namespace

ComponentType beam_line() {
  ComponentType type("beam.line",
                     "A straight beam that bends, twists, shears and stretches, however far it moves.");
  type.description =
      "Geometrically exact: `elements` segments, each with the same strain and curvature all along, so that "
      "rigid motions "
      "leave no strain and bending into a circle is exact; the error goes with the square of the segments' "
      "length. Its frames "
      "`start` and `end` are like those of a body: joints, forces and sensors connect to them. Forces and "
      "moments are those in "
      "the middle of the first and of the last segment, in the axes of the section: x along the beam, z "
      "towards `up`.";
  type.provides = Domain::frame;
  type.takes(vector("from", "m", 3, "where it begins, unloaded, world axes"));
  type.takes(vector("to", "m", 3, "where it ends"));
  type.takes(integer("elements", "segments").at_least(1).at_most(100000).otherwise("10"));
  type.takes(vector("up", "1", 3, "direction of the section's z axis; what is along the beam is left out")
                 .otherwise("[0, 0, 1]"));
  beam::add_section_keys(type);
  type.takes(group("initial",
                   {vector("velocity", "m/s", 3, "of `from`, world axes").otherwise("[0, 0, 0]"),
                    vector("angular_velocity", "rad/s", 3, "of all of it, as if rigid, world axes")
                        .otherwise("[0, 0, 0]")},
                   "how it starts"));
  for (const char* end : {"start", "end"}) {
    const std::string name = end;
    type.gives({name + ".position", "m", "world axes", "xyz"});
    type.gives({name + ".quaternion", "1", "orientation: section axes to world axes", "wxyz", false, false});
    type.gives({name + ".velocity", "m/s", "world axes", "xyz"});
    type.gives({name + ".strain", "1", "elongation and two of shear", "xyz", false, false});
    type.gives({name + ".curvature", "1/m", "twist and two of bending", "xyz", false, false});
    type.gives({name + ".force", "N", "tension and two shear forces", "xyz"});
    type.gives({name + ".moment", "N*m", "torsion and two bending moments", "xyz"});
  }
  type.signs =
      "Forces and moments are those that the part towards `to` exerts on the part towards `from`, in the "
      "axes of the section: "
      "tension is positive.";
  type.shape = {"rod"};
  type.example = R"yaml(
blade: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 8, rectangle: {width: 3 cm, height: 2 cm}, material: aluminium}
root: {type: joint.fixed, between: [ground, blade.start], at: [0, 0, 0]}
)yaml";
  type.frames = frames;
  type.build = build;
  return type;
}

}  // namespace escapement
