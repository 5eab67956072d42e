#include "components/joint/rolling.hpp"
#include "components/joint/rolling_build.hpp"

template struct escapement::Adaptor<escapement::joint::Rolling<1>>;
template struct escapement::Adaptor<escapement::joint::Rolling<2>>;

namespace escapement {

template <int held>
void joint::build_rolling(Build& b, const Vector3& axle, double radius, double section) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not roll", "name a frame of a body");
  const std::vector<double>&p = b.vector("plane"), &n = b.vector("normal");
  joint::Plane plane;
  plane.point = {{p[0], p[1], p[2]}};
  const Vector3 normal{{n[0], n[1], n[2]}};
  if (!(norm(normal) > 0)) b.refuse("E-RANGE", "normal", "has length 0", "normal: [0, 0, 1]");
  plane.normal = (1 / norm(normal)) * normal;
  const Vector3 guess = std::abs(plane.normal[0]) < 0.9 ? Vector3{{1, 0, 0}} : Vector3{{0, 1, 0}};
  const Vector3 along = guess - dot(guess, plane.normal) * plane.normal;
  plane.along = (1 / norm(along)) * along;
  plane.across = cross(plane.normal, plane.along);
  const auto load = b.system.multiplier<1>(
      b.name("normal"),
      {.unit = "N", .row_unit = "m", .parts = {"contact with the plane"}, .row_extent = Extent::length});
  std::vector<std::string> parts{"no slip along", "no slip across"};
  if (held == 1) parts = {"no slip along the wheel"};
  const auto grip = b.system.slip_multiplier<held>(
      b.name("grip"), {.unit = "N", .row_unit = "m/s", .parts = std::move(parts)});
  const Vector3 side = std::abs(axle[0]) < 0.9 ? Vector3{{1, 0, 0}} : Vector3{{0, 1, 0}};
  const Vector3 x = radius > 0 ? cross(axle, side) : Vector3{};
  if (radius > 0)
    b.draw("wheel", {radius, section},
           {{f.node.variable,
             f.on_node *
                 Frame<double>{from_axes((1 / norm(x)) * x, cross(axle, (1 / norm(x)) * x), axle), {}}}});
  using Element = joint::Rolling<held>;
  const ElementId id =
      b.add(Element{f.node, load, grip, f.on_node.x, f.on_node.R * axle, radius, section, plane});
  for (int i = 0; i < 3; ++i) b.channel("contact", id, i, i);
  b.channel("normal_force", id, 3);
  for (int i = 0; i < 2; ++i) b.channel("grip_force", id, 4 + i, i);
}
template void joint::build_rolling<2>(Build&, const Vector3&, double, double);

void joint::describe_rolling(ComponentType& type) {
  type.connects(at(Domain::frame));
  type.takes(vector("plane", "m", 3, "a point of the plane, world axes").otherwise("[0, 0, 0]"));
  type.takes(vector("normal", "1", 3, "normal of the plane, on the side of the body").otherwise("[0, 0, 1]"));
  type.gives({"contact", "m", "point of contact, world axes", "xyz"});
  type.gives({"normal_force", "N", "force of the plane on the body, along the normal"});
  type.gives({"grip_force", "N",
              "force of the plane on the body, in the plane: along its first axis (as near to the world's x "
              "as it can "
              "be), and across",
              "xy"});
  type.signs =
      "Forces are those of the plane on the body. A negative normal force means that the plane pulls: the "
      "joint never "
      "lifts off.";
}

namespace {

void build_rolling_wheel(Build& b) {
  const std::vector<double>& a = b.vector("axle");
  const Vector3 axle{{a[0], a[1], a[2]}};
  if (!(norm(axle) > 0)) b.refuse("E-RANGE", "axle", "has length 0", "axle: [0, 1, 0]");
  const auto build = b.text("sideways") == "free" ? joint::build_rolling<1> : joint::build_rolling<2>;
  build(b, (1 / norm(axle)) * axle, b.number("radius"), b.number("section"));
}

}  // namespace

ComponentType joint_rolling_wheel() {
  ComponentType type("joint.rolling_wheel", "A wheel or disk rolls on a plane without slipping.");
  type.description =
      "The lowest point of the rim touches the plane (holonomic), and the body's own point there does not "
      "move along "
      "the plane (two nonholonomic equations). The rim is a circle about the axle through the origin of the "
      "frame, "
      "sharp, or with a tyre of round section. A wheel that lies flat has no lowest point: the run ends with "
      "a message. Of two wheels on one rigid axle one alone is to hold it sideways: give the other "
      "`sideways: free`.";
  type.takes(number("radius", "m", "of the rim, to the middle of the tyre's section").positive());
  type.takes(number("section", "m", "radius of the tyre's round section; 0 is a sharp rim")
                 .at_least(0)
                 .otherwise("0"));
  type.takes(
      vector("axle", "1", 3, "direction of the axle, in the axes of the frame").otherwise("[0, 1, 0]"));
  type.takes(choice("sideways", {"held", "free"},
                    "free: it grips along its heading only, as the second wheel of a rigid axle")
                 .otherwise("held"));
  joint::describe_rolling(type);
  type.shape = {"cylinder"};
  type.example = R"yaml(
disk: {type: body.cylinder, radius: 0.3 m, length: 0.02 m, density: 2700 kg/m^3, initial: {position: [0, 0, 0.3 m], axis: [1, 0, 0], angle: 90 deg, velocity: [0.9 m/s, 0, 0], angular_velocity: [0, 0, -3 rad/s]}}
floor: {type: joint.rolling_wheel, at: disk, axle: [0, 0, 1], radius: 0.3 m}
)yaml";
  type.build = build_rolling_wheel;
  return type;
}

}  // namespace escapement
