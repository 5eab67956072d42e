#include "components/planar/distance.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::planar::Distance>;

namespace escapement {

ComponentType planar_distance() {
  ComponentType type("planar.distance", "A massless rod: two points of the plane at a fixed distance.");
  type.description =
      "|B − A| = length. The positions at the start must agree with this; ground is the origin.";
  type.connects(between(Domain::planar));
  type.takes(number("length", "m", "distance of the two points").positive());
  type.gives({"tension", "N", "force in the rod"});
  type.signs = "Tension is positive: the rod pulls A towards B and B towards A.";
  type.shape = {"rod"};
  type.example = R"yaml(
bob: {type: planar.mass, mass: 1 kg, gravity: [0, -9.81 m/s^2], initial: {position: [0.6 m, -0.8 m]}}
rod: {type: planar.distance, length: 1 m, between: [ground, bob]}
)yaml";
  type.build = [](Build& b) {
    const auto tension = b.system.multiplier<1>(b.name("tension"),
                                                {.unit = "N", .row_unit = "m", .row_extent = Extent::length});
    b.add(planar::Distance{b.node<Position<2>>("between", 0), b.node<Position<2>>("between", 1), tension,
                           b.number("length")});
    b.channel("tension", tension);
  };
  return type;
}

}  // namespace escapement
