#include <numbers>

#include "components/control/realization.hpp"

namespace escapement {

ComponentType control_second_order() {
  ComponentType type("control.second_order", "A second-order lag, damped or oscillating.");
  type.description =
      "With ω = 2π · frequency and ζ the damping ratio\n\n"
      "    ÿ + 2 ζ ω ẏ + ω² y = gain ω² · input\n\n"
      "that is gain ω² / (s² + 2 ζ ω s + ω²).";
  type.is_block("y", true);
  type.connects(input("any", "the signal to follow").any_width());
  type.takes(number("gain", "any", "output per input at rest").otherwise("1"));
  type.takes(number("frequency", "Hz", "natural frequency without damping").positive());
  type.takes(number("damping_ratio", "1", "ζ: 1 is critical, below it overshoots").at_least(0));
  type.takes(group(
      "initial",
      {vector("output", "any", 0, "y at the start, one number or one per part; zero if absent").optional(),
       vector("rate", "any", 0, "ẏ at the start, per second; zero if absent").optional()},
      "values at the start"));
  type.gives({"rate", "", "ẏ, per second", {}, true, false});
  type.signs = "With a positive gain the output follows the input.";
  type.shape = {"block"};
  type.example = R"yaml(
step: {type: control.step, time: 0.1 s}
lag: {type: control.second_order, frequency: 5 Hz, damping_ratio: 0.3, input: step, initial: {output: 0.5, rate: -2}}
)yaml";
  type.build = [](Build& b) {
    const double w = 2 * std::numbers::pi * b.number("frequency");
    const control::Realization r{// of y and ẏ/ω
                                 {2, 2, {0, w, -w, -2 * b.number("damping_ratio") * w}},
                                 {2, 1, {0, b.number("gain") * w}},
                                 {1, 2, {1, 0}},
                                 {1, 1, {0}}};
    const auto u = b.wide_signal("input"), y = b.outputs();
    const auto output = control::per_part(b, "initial.output", u.size());
    const auto rate = control::per_part(b, "initial.rate", u.size());
    std::vector<StateVariable<1>> x;
    for (std::size_t i = 0; i < u.size(); ++i) {
      control::add_linear(b, r, {&u[i], 1}, {&y[i], 1}, std::vector{output[i], rate[i] / w}, x, 2 * u.size());
      b.channel("rate", x.back(), w, 0, static_cast<int>(i));
    }
  };
  return type;
}

}  // namespace escapement
