#include "components/sensor/inertial.hpp"
#include "model/component.hpp"

template struct escapement::Adaptor<escapement::sensor::Turning>;

namespace escapement {
namespace {

void build_gyro(Build& b) {
  const AttachedFrame f = b.frame("at");
  if (f.node.is_ground()) b.refuse("E-TOPOLOGY", "at", "ground does not move", "name a frame of a body");
  const auto out = b.outputs();
  b.add(sensor::Turning{f.node, out[0], out[1], out[2], f.on_node.R});
}

}  // namespace

ComponentType sensor_gyro() {
  ComponentType type("sensor.gyro", "A gyro on a frame of a body: its angular velocity, in its own axes.");
  type.description = "Bandwidth, noise and quantisation are blocks of `control` behind it.";
  type.connects(at(Domain::frame));
  type.is_block("angular velocity about x, y, z of the frame", true);
  type.width = [](const Build&, std::string_view) { return 3; };
  type.outputs[0].unit = "rad/s";
  type.signs = "By the right-hand rule about the axes of the frame.";
  type.shape = {"box"};
  type.example = R"yaml(
body: {type: body.box, size: [0.4 m, 0.3 m, 0.1 m], density: 500 kg/m^3, frames: {deck: {axis: [0, 0, 1], angle: 45 deg}}, initial: {angular_velocity: [1 rad/s, 2 rad/s, 0.5 rad/s]}}
gyro: {type: sensor.gyro, at: body.deck}
)yaml";
  type.build = build_gyro;
  return type;
}

}  // namespace escapement
