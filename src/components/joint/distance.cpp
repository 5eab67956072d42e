#include "components/joint/build.hpp"

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_distance(Build& b) {
  const AttachedFrame A = b.frame("between", 0), B = b.frame("between", 1);
  const double design = norm(B.design.x - A.design.x);
  const double length = b.has("length") ? b.number("length") : design;
  if (!(length > 0))
    b.refuse("E-RANGE", b.has("length") ? "length" : "between",
             "the two points coincide in the design position", "give the length, or use joint.spherical");
  const ElementId id =
      joint::tie<1>(b, {A.node, B.node, A.on_node, B.on_node}, {{{Equation::Kind::distance, 0, 0, length}}});
  b.channel("tension", id, 6);
}

}  // namespace

ComponentType joint_distance() {
  ComponentType type("joint.distance", "A massless rod with ball joints: two points stay at a distance.");
  type.description = "One equation: |p_B − p_A| = length.";
  type.connects(between(Domain::frame));
  type.takes(
      number("length", "m", "of the rod; that of the design position if absent").positive().optional());
  type.gives({"tension", "N", "force in the rod"});
  type.gives({"force", "N", "load of A on B, in the axes of A's frame", "xyz", false, false});
  type.gives({"torque", "N*m", "torque of A on B about B's point: zero", "xyz", false, false});
  type.signs =
      "The tension is positive when the rod is pulled. The force is the load of A on B, in the axes of A's "
      "frame.";
  type.shape = {"rod"};
  type.example = R"yaml(
bob: {type: body.sphere, radius: 0.05 m, density: 7850 kg/m^3, initial: {position: [0.6 m, 0, -0.8 m]}}
rod: {type: joint.distance, between: [ground, bob], length: 1 m}
)yaml";
  type.build = build_distance;
  return type;
}

}  // namespace escapement
