#include "components/translational/lever.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_gear(Build& b) {
  const double ratio = b.number("ratio");
  if (ratio == 0)
    b.refuse("E-RANGE", "ratio", "is 0: A could not turn",
             "negative: the shafts turn in opposite directions");
  const auto torque = b.system.multiplier<1>(b.name("torque"),
                                             {.unit = "N*m", .row_unit = "rad", .row_extent = Extent::angle});
  b.add(translational::Transmission{b.node<Position<1>>("between", 0), b.node<Position<1>>("between", 1),
                                    b.node<Position<1>>("support"), torque, ratio, b.number("offset")});
  b.channel("torque_a", torque, -1);
  b.channel("torque_b", torque, ratio);
}

}  // namespace

ComponentType rotational_gear() {
  ComponentType type("rotational.gear", "An ideal gear between two shafts: no inertia, no play, no losses.");
  type.description =
      "A − support = ratio · (B − support) + offset. The angles at the start must agree with this. torque_b "
      "= −ratio · torque_a; the support takes the negative of their sum.";
  type.connects(between(Domain::rotational));
  type.connects(node_port("support", Domain::rotational, "the housing (or planet carrier); ground if absent")
                    .optional());
  type.takes(number("ratio", "1", "turns of A per turn of B; negative: opposite directions"));
  type.takes(number("offset", "rad", "angle of A when that of B is zero").otherwise("0 rad"));
  type.gives({"torque_a", "N*m", "torque of the gear on A"});
  type.gives({"torque_b", "N*m", "torque of the gear on B"});
  type.signs =
      "Torques are those of the gear on the shafts, positive in the positive direction. While A drives B "
      "with a positive ratio, torque_b is positive and torque_a negative.";
  type.shape = {"gear"};
  type.example = R"yaml(
motor: {type: rotational.inertia, inertia: 1e-3 kg*m^2}
drum: {type: rotational.inertia, inertia: 2 kg*m^2}
gearbox: {type: rotational.gear, between: [motor, drum], ratio: 40}
drive: {type: rotational.torque, at: motor, value: 1 N*m}
load: {type: rotational.damper, damping: 5 N*m*s/rad, between: [ground, drum]}
)yaml";
  type.build = build_gear;
  return type;
}

}  // namespace escapement
