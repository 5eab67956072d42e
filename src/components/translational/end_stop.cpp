#include "components/translational/end_stop.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Gap>;
template struct escapement::Adaptor<escapement::translational::RigidStop>;
template struct escapement::Adaptor<escapement::translational::Depth>;

namespace escapement {

void translational::build_end_stop(Build& b, const char* force) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double lower = b.has("lower") ? b.number("lower") : -infinity;
  const double upper = b.has("upper") ? b.number("upper") : infinity;
  if (lower == -infinity && upper == infinity)
    b.refuse("E-MISSING", "", "neither `lower` nor `upper` is given", "give one of them, or both");
  if (!(lower < upper)) b.refuse("E-RANGE", "lower", "is not below `upper`");
  const Position<1> from = b.node<Position<1>>("between", 0), to = b.node<Position<1>>("between", 1);
  if (b.has("restitution")) {
    if (b.given("damping"))
      b.refuse("E-CHOICE", "damping", "a rigid stop has a `restitution` instead", "remove one of them");
    const bool turns = std::string_view(force) == "torque";
    const auto push =
        b.system.multiplier<1>(b.name("push"), {.unit = turns ? "N*m" : "N",
                                                .equation = "contact",
                                                .row_unit = turns ? "rad" : "m",
                                                .row_extent = turns ? Extent::angle : Extent::length});
    const auto signal =
        b.system.signal<1>(b.name(force), {.unit = turns ? "N*m" : "N", .equation = "contact force"});
    b.add(
        RigidStop{from, to, push, signal, lower, upper, b.number("restitution"), b.number("rest_velocity")});
    b.channel(force, signal);
    b.channel("penetration", b.add(Depth{from, to, lower, upper}), 0);
    return;
  }
  if (b.given("rest_velocity"))
    b.refuse("E-MISSING", "rest_velocity", "it belongs to a rigid stop, with a `restitution`");
  const ElementId id = b.add(Gap{from, to, lower, upper, b.number("stiffness"), b.number("damping")});
  b.channel(force, id, 0);
  b.channel("penetration", id, 1);
}

ComponentType translational_end_stop() {
  ComponentType type("translational.end_stop",
                     "Elastic end stops: free within limits, a damped contact beyond them.");
  type.description =
      "No force while lower < B − A < upper. Beyond a limit, with penetration s > 0,\n\n"
      "    force = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the force begins at zero and never pulls (as Modelica's ElastoGap). Steps end where the "
      "contact begins and ends.\n\n"
      "With `restitution` instead of a stiffness the stop is rigid: velocities jump at an impact, by an "
      "impulse that acts "
      "through all constraints, and the rebound has `restitution` times the speed. Bounces that become "
      "slower "
      "than `rest_velocity` end in contact, which holds exactly until the force would pull.";
  type.connects(between(Domain::translational));
  type.takes(number("lower", "m", "smallest free B − A; no limit if absent").optional());
  type.takes(number("upper", "m", "largest free B − A; no limit if absent").optional());
  type.takes(number("stiffness", "N/m", "of an elastic contact").positive().one_of("the kind of contact"));
  type.takes(number("damping", "N*s/m", "of the contact").at_least(0).otherwise("0 N*s/m"));
  type.takes(number("restitution", "1", "of a rigid contact: speed after an impact over the speed before")
                 .at_least(0)
                 .at_most(1)
                 .one_of("the kind of contact"));
  type.takes(number("rest_velocity", "m/s", "of a rigid contact: a slower rebound stays in contact")
                 .at_least(0)
                 .otherwise("1e-3 m/s"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"penetration", "m", "how far B − A is beyond a limit; 0 while free"});
  type.signs =
      "At the upper limit the force is tension, positive: it pulls B back towards A. At the lower limit it "
      "is compression, negative: it pushes B away from A.";
  type.shape = {"box"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 2 m/s}}
stops: {type: translational.end_stop, lower: -0.2 m, upper: 0.3 m, stiffness: 1000 N/m, damping: 4 N*s/m, between: [ground, mass]}
ball: {type: translational.mass, mass: 1 kg, initial: {velocity: -1 m/s}}
floor: {type: translational.end_stop, lower: -0.1 m, restitution: 0.7, between: [ground, ball]}
)yaml";
  type.build = [](Build& b) { translational::build_end_stop(b, "force"); };
  return type;
}

}  // namespace escapement
