#include "components/joint/build.hpp"

template struct escapement::Adaptor<escapement::joint::Joint<6>>;

namespace escapement {
namespace {

using joint::Equation;
using enum Equation::Kind;

void build_fixed(Build& b) {
  const joint::Markers m = joint::markers(b);
  joint::tie<6>(b, m,
                {{{coincide, 0}, {coincide, 1}, {coincide, 2}, {aligned, 0}, {aligned, 1}, {aligned, 2}}});
}

}  // namespace

ComponentType joint_fixed() {
  ComponentType type = joint::joint_type("joint.fixed", "B is fastened to A.", false);
  type.description =
      "Six equations: the two frames stay together; with `at` the bodies stay as they are in the design "
      "position, and the load is that at this point.";
  type.signs =
      "Force and torque are the load of A on B, in the axes of A's frame (of the world with `at`, in the "
      "design position): a B that ground holds up has a positive force.z.";
  type.shape = {"box"};
  type.example = R"yaml(
beam: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 700 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
weld: {type: joint.fixed, between: [ground, beam], at: [0, 0, 0]}
)yaml";
  type.build = build_fixed;
  return type;
}

}  // namespace escapement
