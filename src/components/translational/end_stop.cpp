#include "components/translational/end_stop.hpp"

#include "model/component.hpp"

template class escapement::Group<escapement::translational::Gap>;
template class escapement::Group<escapement::OutputTap<escapement::translational::Gap>>;

namespace escapement {

void translational::build_end_stop(Build& b, const char* force) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double lower = b.has("lower") ? b.number("lower") : -infinity;
  const double upper = b.has("upper") ? b.number("upper") : infinity;
  if (lower == -infinity && upper == infinity)
    b.refuse("E-MISSING", "", "neither `lower` nor `upper` is given", "give one of them, or both");
  if (!(lower < upper)) b.refuse("E-RANGE", "lower", "is not below `upper`");
  const ElementId id = b.add(Gap{b.node<Position<1>>("between", 0), b.node<Position<1>>("between", 1), lower,
                                 upper, b.number("stiffness"), b.number("damping")});
  b.channel<Gap>(force, id, 0);
  b.channel<Gap>("penetration", id, 1);
}

ComponentType translational_end_stop() {
  ComponentType type("translational.end_stop",
                     "Elastic end stops: free within limits, a damped contact beyond them.");
  type.description =
      "No force while lower < B − A < upper. Beyond a limit, with penetration s > 0,\n\n"
      "    force = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the force begins at zero and never pulls (as Modelica's ElastoGap).";
  type.connects(between(Domain::translational));
  type.takes(number("lower", "m", "smallest free B − A; no limit if absent").optional());
  type.takes(number("upper", "m", "largest free B − A; no limit if absent").optional());
  type.takes(number("stiffness", "N/m", "of the contact").positive());
  type.takes(number("damping", "N*s/m", "of the contact").at_least(0).otherwise("0 N*s/m"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"penetration", "m", "how far B − A is beyond a limit; 0 while free"});
  type.signs =
      "At the upper limit the force is tension, positive: it pulls B back towards A. At the lower limit it "
      "is compression, negative: it pushes B away from A.";
  type.shape = {"box"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 2 m/s}}
stops: {type: translational.end_stop, lower: -0.2 m, upper: 0.3 m, stiffness: 1000 N/m, damping: 4 N*s/m, between: [ground, mass]}
)yaml";
  type.build = [](Build& b) { translational::build_end_stop(b, "force"); };
  return type;
}

}  // namespace escapement
