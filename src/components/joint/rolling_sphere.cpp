#include "components/joint/rolling_build.hpp"

namespace escapement {

ComponentType joint_rolling_sphere() {
  ComponentType type("joint.rolling_sphere", "A sphere rolls on a plane without slipping.");
  type.description =
      "The sphere about the origin of the frame touches the plane (holonomic), and the body's own point "
      "there does not "
      "move along the plane (two nonholonomic equations). It may pivot freely.";
  type.takes(number("radius", "m", "of the sphere").positive());
  joint::describe_rolling(type);
  type.shape = {"none"};
  type.example = R"yaml(
ball: {type: body.sphere, radius: 0.1 m, density: 1200 kg/m^3, initial: {position: [0, 0, 0.1 m], velocity: [0.5 m/s, 0, 0], angular_velocity: [0, 5 rad/s, 2 rad/s]}}
table: {type: joint.rolling_sphere, at: ball, radius: 0.1 m}
)yaml";
  type.build = [](Build& b) { joint::build_rolling<2>(b, {}, 0, b.number("radius")); };
  return type;
}

}  // namespace escapement
