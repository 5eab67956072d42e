#include "components/translational/friction.hpp"

#include <fmt/format.h>

#include "model/component.hpp"

template class escapement::Group<escapement::translational::Friction>;
template class escapement::Group<escapement::OutputTap<escapement::translational::Friction>>;

namespace escapement {

void translational::build_friction(Build& b, const char* force) {
  const double coulomb = b.number("coulomb"), breakaway = b.has("static") ? b.number("static") : coulomb;
  if (breakaway < coulomb)
    b.refuse("E-RANGE", "static", fmt::format("{:g} is less than coulomb, {:g}", breakaway, coulomb),
             "static friction is at least that of sliding");
  if (breakaway > coulomb && !b.has("stribeck_velocity"))
    b.refuse("E-MISSING", "static", "needs `stribeck_velocity`, over which friction falls to `coulomb`");
  const double stribeck = b.has("stribeck_velocity") ? b.number("stribeck_velocity") : 1.0;
  const ElementId id =
      b.add(Friction{b.node<Position<1>>("between", 0), b.node<Position<1>>("between", 1), coulomb, breakaway,
                     stribeck, b.number("transition_velocity"), b.number("viscous")});
  b.channel<Friction>(force, id, 0);
  b.channel<Friction>("velocity", id, 1);
}

ComponentType translational_friction() {
  ComponentType type("translational.friction",
                     "Friction between two sliders: Coulomb, Stribeck and viscous.");
  type.description =
      "With velocity v = d/dt (B − A)\n\n"
      "    force = (coulomb + (static − coulomb) exp(−(v / stribeck_velocity)²)) tanh(v / "
      "transition_velocity) + viscous · v\n\n"
      "The steep tanh stands for the jump at rest: what sticks in truth creeps here, at a velocity below "
      "transition_velocity. A smaller one is nearer to the jump and needs smaller steps; the peak is "
      "`static` only if stribeck_velocity is several times transition_velocity.";
  type.connects(between(Domain::translational));
  type.takes(number("coulomb", "N", "friction while sliding").at_least(0));
  type.takes(number("static", "N", "friction at break-away, at least `coulomb`; equal to it if absent")
                 .at_least(0)
                 .optional());
  type.takes(number("stribeck_velocity", "m/s",
                    "over which friction falls from static to coulomb; needed with `static`")
                 .positive()
                 .optional());
  type.takes(number("transition_velocity", "m/s", "within which friction changes sign")
                 .positive()
                 .otherwise("1e-3 m/s"));
  type.takes(number("viscous", "N*s/m", "additional force per velocity").at_least(0).otherwise("0 N*s/m"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"velocity", "m/s", "velocity of B relative to A"});
  type.signs = "Velocity is B relative to A. The force is positive in tension: while B moves away from A.";
  type.shape = {"damper"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
spring: {type: translational.spring, stiffness: 40 N/m, between: [ground, mass]}
guide: {type: translational.friction, coulomb: 1 N, static: 1.4 N, stribeck_velocity: 50 mm/s, transition_velocity: 5 mm/s, viscous: 0.2 N*s/m, between: [ground, mass]}
)yaml";
  type.build = [](Build& b) { translational::build_friction(b, "force"); };
  return type;
}

}  // namespace escapement
