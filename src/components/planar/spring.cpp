#include "components/planar/spring.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::planar::Spring>;

namespace escapement {

ComponentType planar_spring() {
  ComponentType type("planar.spring", "A linear spring between two points of the plane.");
  type.description =
      "force = stiffness · elongation along the line from A to B, with elongation = |B − A| − rest_length. "
      "The two points must not coincide; ground is the origin.";
  type.connects(between(Domain::planar));
  type.takes(number("stiffness", "N/m", "force per elongation").at_least(0));
  type.takes(number("rest_length", "m", "length at which it is relaxed").at_least(0).otherwise("0 m"));
  type.gives(OutputType{"force", "N", "force, positive in tension"}.as_preload());
  type.gives(OutputType{"elongation", "m", "|B − A| − rest_length"}.as_preload());
  type.signs = "Tension is positive: it pulls A towards B and B towards A.";
  type.shape = {"spring"};
  type.example = R"yaml(
ball: {type: planar.mass, mass: 1 kg, initial: {position: [1 m, 0], velocity: [0, 2 m/s]}}
rubber: {type: planar.spring, stiffness: 50 N/m, rest_length: 0.5 m, between: [ground, ball]}
)yaml";
  type.build = [](Build& b) {
    const ElementId id =
        b.add(planar::Spring{b.node<Position<2>>("between", 0), b.node<Position<2>>("between", 1),
                             b.number("stiffness"), b.number("rest_length")});
    b.channel("force", id, 0);
    b.channel("elongation", id, 1);
  };
  return type;
}

}  // namespace escapement
