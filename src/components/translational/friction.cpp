#include "components/translational/friction.hpp"

#include <fmt/format.h>

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Friction>;
template struct escapement::Adaptor<escapement::translational::StickSlip>;

namespace escapement {

void translational::build_friction(Build& b, const char* force) {
  const double coulomb = b.number("coulomb"), breakaway = b.has("static") ? b.number("static") : coulomb;
  if (breakaway < coulomb)
    b.refuse("E-RANGE", "static", fmt::format("{:g} is less than coulomb, {:g}", breakaway, coulomb),
             "static friction is at least that of sliding");
  if (breakaway > coulomb && !b.has("stribeck_velocity"))
    b.refuse("E-MISSING", "static", "needs `stribeck_velocity`, over which friction falls to `coulomb`");
  const double stribeck = b.has("stribeck_velocity") ? b.number("stribeck_velocity") : 1.0;
  const Position<1> from = b.node<Position<1>>("between", 0), to = b.node<Position<1>>("between", 1);
  if (!b.has("transition_velocity")) {
    const bool turns = std::string_view(force) == "torque";
    const auto hold =
        b.system.slip_multiplier<1>(b.name("hold"), {.unit = turns ? "N*m" : "N", .equation = "sticking"});
    const auto signal =
        b.system.signal<1>(b.name(force), {.unit = turns ? "N*m" : "N", .equation = "friction"});
    b.add(StickSlip{from, to, hold, signal, coulomb, breakaway, stribeck, b.number("viscous")});
    b.channel(force, signal);
    const ElementId reading = b.add(RelativeVelocity{from, to});
    b.channel("velocity", reading, 0);
    return;
  }
  const ElementId id = b.add(
      Friction{from, to, coulomb, breakaway, stribeck, b.number("transition_velocity"), b.number("viscous")});
  b.channel(force, id, 0);
  b.channel("velocity", id, 1);
}

ComponentType translational_friction() {
  ComponentType type("translational.friction",
                     "Friction between two sliders: Coulomb, Stribeck and viscous.");
  type.description =
      "With velocity v = d/dt (B − A), sliding,\n\n"
      "    force = ± (coulomb + (static − coulomb) exp(−(v / stribeck_velocity)²)) + viscous · v\n\n"
      "against the motion. Where the velocity reaches zero the two stick: v = 0 holds exactly, the force is "
      "whatever that takes, and they slide again once it would exceed `static`. Both are events, at which "
      "steps "
      "end.\n\n"
      "With `transition_velocity` the force is smooth instead, with tanh(v / transition_velocity) for the "
      "sign: what "
      "sticks in truth then creeps, below that velocity. A smaller one is nearer to the jump and needs "
      "smaller steps; the peak is `static` only if stribeck_velocity is several times transition_velocity.";
  type.connects(between(Domain::translational));
  type.takes(number("coulomb", "N", "friction while sliding").at_least(0));
  type.takes(number("static", "N", "friction at break-away, at least `coulomb`; equal to it if absent")
                 .at_least(0)
                 .optional());
  type.takes(number("stribeck_velocity", "m/s",
                    "over which friction falls from static to coulomb; needed with `static`")
                 .positive()
                 .optional());
  type.takes(number("transition_velocity", "m/s",
                    "of smooth friction: within which it changes sign; sticking in truth unless given")
                 .positive()
                 .optional());
  type.takes(number("viscous", "N*s/m", "additional force per velocity").at_least(0).otherwise("0 N*s/m"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"velocity", "m/s", "velocity of B relative to A"});
  type.signs = "Velocity is B relative to A. The force is positive in tension: while B moves away from A.";
  type.shape = {"damper"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
spring: {type: translational.spring, stiffness: 40 N/m, between: [ground, mass]}
guide: {type: translational.friction, coulomb: 1 N, static: 1.4 N, stribeck_velocity: 50 mm/s, viscous: 0.2 N*s/m, between: [ground, mass]}
slide: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
creep: {type: translational.friction, coulomb: 1 N, transition_velocity: 5 mm/s, between: [ground, slide]}
)yaml";
  type.build = [](Build& b) { translational::build_friction(b, "force"); };
  return type;
}

}  // namespace escapement
