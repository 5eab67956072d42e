#include "components/translational/lever.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Transmission>;

namespace escapement {
namespace {

void build_lever(Build& b) {
  const double ratio = b.flag("same_side") ? b.number("ratio") : -b.number("ratio");
  const auto force =
      b.system.multiplier<1>(b.name("force"), {.unit = "N", .row_unit = "m", .row_extent = Extent::length});
  b.add(translational::Transmission{b.node<Position<1>>("between", 1), b.node<Position<1>>("between", 0),
                                    b.node<Position<1>>("pivot"), force, ratio, b.number("offset")});
  b.channel("force_a", force, ratio);
  b.channel("force_b", force, -1);
}

}  // namespace

ComponentType translational_lever() {
  ComponentType type("translational.lever", "A massless lever between two sliders, for small angles.");
  type.description =
      "B − pivot = −ratio · (A − pivot) + offset: the ends are on opposite sides of the pivot. With "
      "`same_side: true` they are on the same side, B − pivot = ratio · (A − pivot) + offset. The positions "
      "at the start must agree with this. The forces balance: force_a = −(± ratio) · force_b, so no power is "
      "lost.";
  type.connects(between(Domain::translational));
  type.connects(
      node_port("pivot", Domain::translational, "the slider that carries the pivot; ground if absent")
          .optional());
  type.takes(number("ratio", "1", "arm of B over arm of A").positive());
  type.takes(boolean("same_side", "both ends are on the same side of the pivot").otherwise("false"));
  type.takes(number("offset", "m", "B − pivot when A is at the pivot").otherwise("0 m"));
  type.gives({"force_a", "N", "force of the lever on A"});
  type.gives({"force_b", "N", "force of the lever on B"});
  type.signs =
      "Forces are those of the lever on the sliders, positive in the positive direction. With the ends on "
      "opposite sides the two have the same sign, with `same_side` opposite ones; the pivot takes the "
      "negative of their sum.";
  type.shape = {"rod"};
  type.example = R"yaml(
pedal: {type: translational.mass, mass: 0.5 kg, initial: {position: 0.1 m}}
piston: {type: translational.mass, mass: 2 kg, initial: {position: -0.02 m}}
rocker: {type: translational.lever, between: [pedal, piston], ratio: 0.2}
spring: {type: translational.spring, stiffness: 800 N/m, between: [ground, piston]}
)yaml";
  type.build = build_lever;
  return type;
}

}  // namespace escapement
