#include <numbers>

#include "components/control/realization.hpp"

namespace escapement {

ComponentType control_notch() {
  ComponentType type = control::linear_type(
      "control.notch", "A notch filter: takes one frequency out of a signal.", [](const Build& b) {
        const double w = 2 * std::numbers::pi * b.number("frequency"),
                     width = 2 * std::numbers::pi * b.number("width");
        return control::companion(std::vector{1.0, (1 - b.number("depth")) * width, w * w},
                                  std::vector{1.0, width, w * w});
      });
  type.description =
      "With ω = 2π · frequency and w = 2π · width\n\n"
      "    (s² + (1 − depth) w s + ω²) / (s² + w s + ω²) · input\n\n"
      "so 1 − depth is left at the frequency and everything far from it. With depth 1 less than half the "
      "power passes over a band of `width` (−3 dB); in damping ratios width = 2 ζ frequency.";
  type.takes(number("frequency", "Hz", "what is taken out").positive());
  type.takes(number("width", "Hz", "of the notch").positive());
  type.takes(number("depth", "1", "share taken away at the frequency; 1 takes all")
                 .positive()
                 .at_most(1)
                 .otherwise("1"));
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 5 Hz}
clean: {type: control.notch, frequency: 5 Hz, width: 2 Hz, depth: 0.9, input: wave}
)yaml";
  return type;
}

}  // namespace escapement
