#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_hold() {
  ComponentType type("sampled.hold", "Zero-order hold: samples a signal and holds it until the next sample.");
  type.description =
      "At t = offset, offset + period, offset + 2 period … the output takes the value of the input, and "
      "keeps "
      "it. Steps of the integrator end exactly there. What moves is read as it is just before the outputs of "
      "that sample change; signals that depend on other sampled blocks, directly or through gains and sums, "
      "are those of the same sample.";
  sampled::is_sampled(type, "the sampled signal");
  type.connects(input("any", "the signal to sample").any_width());
  type.signs = "The output has the sign of the input.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 2, frequency: 1 Hz}
held: {type: sampled.hold, period: 50 ms, input: wave}
late: {type: sampled.hold, period: 0.1 s, offset: 20 ms, delay: 5 ms, input: wave}
)yaml";
  type.build = [](Build& b) {
    sampled::add_part_by_part(
        b, {},
        [](double, std::span<const double> u, std::span<double> y, std::span<double>) { y[0] = u[0]; });
  };
  return type;
}

}  // namespace escapement
