#include "components/control/constant.hpp"
#include "components/electric/build.hpp"

namespace escapement {

ComponentType electric_potentiometer() {
  ComponentType type("electric.potentiometer", "A resistor with a wiper that a number or a signal moves.");
  type.description =
      "The wiper divides the resistance: `position` of it lies between the wiper and B, the rest between A "
      "and the wiper. "
      "Positions beyond 0 … 1 count as the end; a millionth of the resistance is left there.";
  type.connects(between(Domain::electrical));
  type.connects(node_port("wiper", Domain::electrical, "the wiper"));
  type.connects(input("any", "position of the wiper as a signal").one_of("the position"));
  type.takes(number("position", "1", "position of the wiper, 0 at B, 1 at A")
                 .at_least(0)
                 .at_most(1)
                 .one_of("the position"));
  type.takes(number("resistance", "ohm", "resistance from A to B").positive());
  type.gives({"voltage", "V", "voltage A − B"});
  type.gives({"current", "A", "current into A"});
  type.gives({"wiper_current", "A", "current out of the wiper"});
  type.signs = "At position 1 the wiper is at A, at 0 it is at B.";
  type.nodes = "electrical: [supply, tap]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 5 V, between: [supply, ground]}
lever: {type: rotational.inertia, inertia: 1 kg*m^2, initial: {angle: 0.2 rad, velocity: 0.5 rad/s}}
sensor: {type: electric.potentiometer, resistance: 10 kohm, input: lever.angle, between: [supply, ground], wiper: tap}
load: {type: electric.resistor, resistance: 1 Mohm, between: [tap, ground]}
)yaml";
  type.build = [](Build& b) {
    const auto [a, c] = electric::ends(b);
    const auto wiper = b.node<electric::Terminal>("wiper");
    Signal<1> position;
    if (b.connected("input")) {
      position = b.signal("input");
    } else {
      position = b.system.signal<1>(b.name("position"));
      b.add(control::Constant{position, b.number("position")});
    }
    const ElementId id = b.add(electric::Potentiometer{a, c, wiper, position, b.number("resistance")});
    b.channel("current", id, 0);
    b.channel("wiper_current", id, 1);
    b.branch(Branch::Kind::conductor, a, wiper, true);
    b.branch(Branch::Kind::conductor, wiper, c, true);
  };
  return type;
}

}  // namespace escapement
