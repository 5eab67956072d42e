#include <algorithm>
#include <cmath>

#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_quantiser() {
  ComponentType type("sampled.quantiser", "A converter: samples a signal, rounds and limits it.");
  type.description =
      "output = the multiple of `interval` nearest to the input at the sample, within [minimum, maximum]: an "
      "analogue-to-digital converter of b bits over a range r has interval = r/2ᵇ.";
  sampled::is_sampled(type, "the rounded signal");
  type.connects(input("any", "the signal to convert").any_width());
  type.takes(number("interval", "any", "of two neighbouring values").of_output().positive());
  type.takes(number("minimum", "any", "lowest value; none if absent").of_output().optional());
  type.takes(number("maximum", "any", "highest value; none if absent").of_output().optional());
  type.signs = "The output has the sign of the input, or is zero.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
adc: {type: sampled.quantiser, period: 10 ms, interval: 0.25, minimum: -2, maximum: 2, input: wave}
)yaml";
  type.build = [](Build& b) {
    const double interval = b.number("interval"), low = b.has("minimum") ? b.number("minimum") : -INFINITY,
                 high = b.has("maximum") ? b.number("maximum") : INFINITY;
    if (!(low < high)) b.refuse("E-RANGE", "minimum", "is not below `maximum`");
    sampled::add_part_by_part(b, {},
                              [=](double, std::span<const double> u, std::span<double> y, std::span<double>) {
                                y[0] = std::clamp(interval * std::round(u[0] / interval), low, high);
                              });
  };
  return type;
}

}  // namespace escapement
