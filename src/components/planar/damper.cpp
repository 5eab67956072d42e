#include "components/planar/damper.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::planar::Damper>;

namespace escapement {

ComponentType planar_damper() {
  ComponentType type("planar.damper", "A viscous damper along the line between two points of the plane.");
  type.description =
      "force = damping · velocity, with velocity = d/dt |B − A|. The two points must not coincide; ground is "
      "the origin.";
  type.connects(between(Domain::planar));
  type.takes(number("damping", "N*s/m", "force per velocity").at_least(0));
  type.gives({"force", "N", "force, positive in tension"});
  type.gives({"velocity", "m/s", "rate of the distance of A and B"});
  type.signs = "The force is positive in tension: while the points move apart it pulls them together.";
  type.shape = {"damper"};
  type.example = R"yaml(
ball: {type: planar.mass, mass: 1 kg, initial: {position: [1 m, 0], velocity: [1 m/s, 2 m/s]}}
strut: {type: planar.damper, damping: 3 N*s/m, between: [ground, ball]}
rubber: {type: planar.spring, stiffness: 50 N/m, rest_length: 0.9 m, between: [ground, ball]}
)yaml";
  type.build = [](Build& b) {
    const ElementId id = b.add(planar::Damper{b.node<Position<2>>("between", 0),
                                              b.node<Position<2>>("between", 1), b.number("damping")});
    b.channel("force", id, 0);
    b.channel("velocity", id, 1);
  };
  return type;
}

}  // namespace escapement
