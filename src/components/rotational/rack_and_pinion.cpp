#include "components/translational/lever.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_rack_and_pinion(Build& b) {
  const double radius = b.number("radius");
  if (radius == 0)
    b.refuse("E-RANGE", "radius", "is 0: the rack could not move", "negative: the rack runs backwards");
  const auto force =
      b.system.multiplier<1>(b.name("force"), {.unit = "N", .row_unit = "m", .row_extent = Extent::length});
  b.add(translational::Transmission{
      b.node<Position<1>>("rack"), b.node<Position<1>>("pinion"), {}, force, radius, b.number("offset")});
  b.channel("force", force, -1);
  b.channel("torque", force, radius);
}

}  // namespace

ComponentType rotational_rack_and_pinion() {
  ComponentType type(
      "rotational.rack_and_pinion",
      "A pinion that drives a rack (or a wheel that rolls, a drum with a rope, a ball screw).");
  type.description =
      "rack = radius · pinion + offset. Position and angle at the start must agree with this. torque = "
      "−radius · force. Of a screw the radius is the lead per turn over 2π.";
  type.connects(node_port("pinion", Domain::rotational, "the shaft of the pinion"));
  type.connects(node_port("rack", Domain::translational, "the slider that is the rack"));
  type.takes(number("radius", "m", "travel of the rack per radian; negative: the rack runs backwards"));
  type.takes(
      number("offset", "m", "position of the rack when the angle of the pinion is zero").otherwise("0 m"));
  type.gives({"force", "N", "force of the pinion on the rack"});
  type.gives({"torque", "N*m", "torque of the rack on the pinion"});
  type.signs =
      "Force and torque are positive in the positive direction of rack and pinion. A pinion that drives a "
      "rack of positive radius forwards has a positive force and a negative torque.";
  type.shape = {"gear"};
  type.example = R"yaml(
wheel: {type: rotational.inertia, inertia: 0.01 kg*m^2}
table: {type: translational.mass, mass: 8 kg}
drive: {type: rotational.rack_and_pinion, pinion: wheel, rack: table, radius: 25 mm}
motor: {type: rotational.torque, at: wheel, value: 0.4 N*m}
guide: {type: translational.damper, damping: 30 N*s/m, between: [ground, table]}
)yaml";
  type.build = build_rack_and_pinion;
  return type;
}

}  // namespace escapement
