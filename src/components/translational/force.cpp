#include "components/translational/force.hpp"

#include "components/control/constant.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Force>;

namespace escapement {

void translational::build_force(Build& b, const char* force, const char* unit) {
  const auto at = b.node<Position<1>>("at"), reaction = b.node<Position<1>>("reaction");
  if (at.variable == reaction.variable)
    b.refuse("E-TOPOLOGY", "at",
             at.is_ground() ? "is ground: nothing would move" : "is also where it reacts: nothing would move",
             at.is_ground() ? "name a part that moves" : "two different parts, or leave `reaction` out");
  Signal<1> input;
  if (b.connected("input")) {
    input = b.signal("input");
  } else {
    input = b.system.signal<1>(b.name(force), {.unit = unit});
    b.add(control::Constant{input, b.number("value")});
  }
  b.channel(force, input);
  b.add(Force{at, input, reaction});
}

ComponentType translational_force() {
  ComponentType type("translational.force", "A force on a slider, from a signal or constant.");
  type.description = "With `reaction` the opposite force acts there (an actuator between two sliders).";
  type.connects(at(Domain::translational));
  type.connects(input("N", "the force as a signal").one_of("the force"));
  type.takes(number("value", "N", "a constant force").one_of("the force").as_load());
  type.connects(node_port("reaction", Domain::translational,
                          "the slider that takes the opposite force; ground if absent")
                    .optional());
  type.gives({"force", "N", "the force"});
  type.signs = "A positive force pushes `at` in the positive direction and `reaction` in the negative one.";
  type.shape = {"arrow"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg}
weight: {type: translational.force, at: mass, value: -9.81 N}
push: {type: control.sine, amplitude: 2, frequency: 0.5 Hz, unit: N}
actuator: {type: translational.force, at: mass, input: push}
)yaml";
  type.build = [](Build& b) { translational::build_force(b, "force", "N"); };
  return type;
}

}  // namespace escapement
