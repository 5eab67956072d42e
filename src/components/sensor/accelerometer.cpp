#include "components/body/rigid.hpp"
#include "components/sensor/inertial.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::sensor::SpecificForce>;

namespace escapement {
namespace {

void build_accelerometer(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  const auto& g = b.gravity();
  const auto acceleration = b.system.signal<3>(b.name("acceleration"), {.unit = "m/s^2"});
  b.add(body::FrameAcceleration{f.node, acceleration, f.on_node.x});
  const auto out = b.outputs();
  b.add(
      sensor::SpecificForce{f.node, acceleration, out[0], out[1], out[2], f.on_node.R, {{g[0], g[1], g[2]}}});
}

}  // namespace

ComponentType sensor_accelerometer() {
  ComponentType type("sensor.accelerometer",
                     "An accelerometer on a frame of a body: what a real one measures.");
  type.description =
      "output = Rᵀ (a − gravity) in the axes of the frame, with the acceleration a of its origin: at rest it "
      "shows +g "
      "along the axis that points up, in free fall zero. Bandwidth, noise and quantisation are blocks of "
      "`control` "
      "behind it.";
  type.connects(at(Domain::frame));
  type.is_block("specific force along x, y, z of the frame", true);
  type.width = [](const Build&, std::string_view) { return 3; };
  type.outputs[0].unit = "m/s^2";
  type.signs = "At rest the output is +9.81 m/s^2 along an axis of the frame that points up.";
  type.shape = {"box"};
  type.example = R"yaml(
arm: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 700 kg/m^3, frames: {tip: {position: [0.5 m, 0, 0]}}, initial: {position: [0.5 m, 0, 0]}}
hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
sensor: {type: sensor.accelerometer, at: arm.tip}
filter: {type: control.first_order, time_constant: 0.01 s, input: sensor}
)yaml";
  type.build = build_accelerometer;
  return type;
}

}  // namespace escapement
