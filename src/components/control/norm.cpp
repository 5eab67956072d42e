#include <cmath>

#include "components/control/function.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_norm() {
  ComponentType type("control.norm", "The Euclidean length of a wide signal.");
  type.description =
      "output = √(Σ input²) over all parts. At the origin it has no slope (taken as zero). With `smooth: w` "
      "it "
      "is Σ input² / w + w / 4 where the length is less than w / 2 and exact outside: the slope is "
      "continuous, "
      "the value at the origin is w / 4.";
  type.is_block("the length");
  type.connects(input("any", "the signal; [a, b] joins several").any_width());
  type.takes(
      number("smooth", "any", "width of the rounded tip; 0: sharp").of_output().at_least(0).otherwise("0"));
  type.signs = "The output is never negative.";
  type.shape = {"block"};
  type.example = R"yaml(
ball: {type: planar.mass, mass: 1 kg, gravity: [0, -9.81 m/s^2], initial: {velocity: [3 m/s, 4 m/s]}}
speed: {type: control.norm, input: ball.velocity, smooth: 1e-3 m/s, unit: m/s}
)yaml";
  type.build = [](Build& b) {
    const auto rule = [w = b.number("smooth")](std::span<const double> u, std::span<double> gradient) {
      double length = 0;
      for (const double x : u) length = std::hypot(length, x);
      const bool tip = length < 0.5 * w;
      for (std::size_t i = 0; i < u.size(); ++i)
        gradient[i] = tip ? 2 * u[i] / w : length > 0 ? u[i] / length : 0.0;
      return tip ? length * length / w + 0.25 * w : length;
    };
    control::add_function(b, b.wide_signal("input"), b.output(), rule);
  };
  return type;
}

}  // namespace escapement
