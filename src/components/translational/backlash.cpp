#include "components/translational/backlash.hpp"

#include "model/component.hpp"

namespace escapement {

void translational::build_backlash(Build& b, const char* force, const char* elongation, const char* rest) {
  const double middle = b.number(rest), half = b.number("gap") / 2;
  const ElementId id = b.add(Gap{b.node<Position<1>>("between", 0), b.node<Position<1>>("between", 1),
                                 middle - half, middle + half, b.number("stiffness"), b.number("damping")});
  b.channel(force, id, 0);
  b.channel(elongation, id, 2);
}

ComponentType translational_backlash() {
  ComponentType type("translational.backlash",
                     "A coupling with play: a spring and damper that act outside a gap.");
  type.description =
      "With elongation = B − A − rest_length there is no force while |elongation| < gap / 2. Outside, with s "
      "= |elongation| − gap / 2,\n\n"
      "    force = ± (stiffness · s + damping · d/dt s),   with |damping · d/dt s| ≤ stiffness · s\n\n"
      "so that the force begins at zero and never pulls across the gap (as Modelica's ElastoBacklash). With "
      "`gap: 0` it is a plain spring and damper.";
  type.connects(between(Domain::translational));
  type.takes(number("gap", "m", "total width of the play").at_least(0));
  type.takes(number("stiffness", "N/m", "outside the gap").positive());
  type.takes(number("damping", "N*s/m", "outside the gap").at_least(0).otherwise("0 N*s/m"));
  type.takes(number("rest_length", "m", "distance B − A in the middle of the gap").otherwise("0 m"));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"elongation", "m", "B − A − rest_length"});
  type.signs = "Elongation is B relative to A; the force is positive in tension, as of a spring.";
  type.shape = {"spring"};
  type.example = R"yaml(
slide: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
tool: {type: translational.mass, mass: 2 kg, initial: {position: 0.5 m}}
nut: {type: translational.backlash, gap: 0.2 m, stiffness: 500 N/m, damping: 3 N*s/m, rest_length: 0.5 m, between: [slide, tool]}
)yaml";
  type.build = [](Build& b) { translational::build_backlash(b, "force", "elongation", "rest_length"); };
  return type;
}

}  // namespace escapement
