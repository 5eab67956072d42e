#include "components/translational/damper.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Damper>;
template struct escapement::Adaptor<escapement::translational::DamperByLaw>;

namespace escapement {

void translational::build_damper(Build& b, const char* force) {
  const auto A = b.node<Position<1>>("between", 0), B = b.node<Position<1>>("between", 1);
  if (b.has("damping")) {
    const ElementId id = b.add(Damper{A, B, b.number("damping")});
    b.channel(force, id, 0);
    b.channel("velocity", id, 1);
  } else {
    const ElementId id = b.add(DamperByLaw{A, B, b.expression("law")});
    b.channel(force, id, 0);
    b.channel("velocity", id, 1);
  }
}

ComponentType translational_damper() {
  ComponentType type("translational.damper",
                     "A damper between two sliders: viscous, or by an expression of the velocity.");
  type.description = "force = damping · velocity, with velocity = d/dt (B − A).";
  type.connects(between(Domain::translational));
  type.takes(number("damping", "N*s/m", "force per velocity").at_least(0).one_of("the law of the damper"));
  type.takes(expression("law", "N", {{"velocity", "m/s"}}, "force as an expression of `velocity`")
                 .one_of("the law of the damper"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"velocity", "m/s", "velocity of B relative to A"});
  type.signs = "Velocity is B relative to A. The force is positive in tension: while B moves away from A.";
  type.shape = {"damper"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 2 m/s}}
oil: {type: translational.damper, damping: 3 N*s/m, between: [ground, mass]}
air: {type: translational.damper, law: "(0.4 N*s^2/m^2)*velocity*abs(velocity)", between: [ground, mass]}
)yaml";
  type.build = [](Build& b) { translational::build_damper(b, "force"); };
  return type;
}

}  // namespace escapement
