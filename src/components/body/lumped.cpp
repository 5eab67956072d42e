#include "components/body/lumped.hpp"

#include "components/body/rigid.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::body::Eccentric>;

namespace escapement {
namespace {

void build_lumped(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground())
    b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body or a beam");
  const double mass = b.number("mass");
  const auto& J = b.vector("inertia");
  const Vector3 gravity{{b.gravity()[0], b.gravity()[1], b.gravity()[2]}}, arm = f.on_node.x;
  const Matrix3 R = matrix(f.on_node.R);
  const Matrix3 inertia = R * diagonal(J[0], J[1], J[2]) * transposed(R) + body::of_arm(mass, arm);
  b.add(body::Rigid{f.node, mass, inertia, gravity});
  if (dot(arm, arm) > 0) b.add(body::Eccentric{f.node, mass, arm, gravity});
}

}  // namespace

ComponentType body_lumped() {
  ComponentType type("body.lumped",
                     "Mass added to a frame of a body or beam: a tip mass, a sensor, a motor.");
  type.description =
      "Its centre of mass is the origin of the frame, whose motion it shares; it has no motion of its own.";
  type.connects(at(Domain::frame));
  type.takes(number("mass", "kg", "mass").positive());
  type.takes(
      vector("inertia", "kg*m^2", 3, "about x, y and z of the frame").at_least(0).otherwise("[0, 0, 0]"));
  type.signs = "None: it adds mass.";
  type.shape = {"sphere"};
  type.example = R"yaml(
arm: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 8, tube: {outer_radius: 1 cm, inner_radius: 8 mm}, material: steel}
root: {type: joint.fixed, between: [ground, arm.start], at: [0, 0, 0]}
payload: {type: body.lumped, at: arm.end, mass: 2 kg}
)yaml";
  type.build = build_lumped;
  return type;
}

}  // namespace escapement
