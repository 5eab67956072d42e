#include <fmt/format.h>

#include "components/control/function.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// Per input: does it divide?
std::vector<char> divides(const Build& b, std::size_t inputs) {
  std::vector<char> divide(inputs, 0);
  if (!b.has("signs")) return divide;
  const std::string& signs = b.text("signs");
  if (signs.find_first_not_of("*/") != std::string::npos)
    b.refuse("E-VALUE", "signs", fmt::format("`{}` has other characters than * and /", signs),
             "one * or / per input, such as \"*/\"");
  if (signs.size() != inputs)
    b.refuse("E-WIDTH", "signs", fmt::format("has {} entries, there are {} inputs", signs.size(), inputs));
  for (std::size_t i = 0; i < inputs; ++i) divide[i] = signs[i] == '/';
  return divide;
}

}  // namespace

ComponentType control_product() {
  ComponentType type("control.product", "Multiplies signals, or divides by them.");
  type.description =
      "output = Π input, part by part; an input whose sign is / divides. A divisor of zero gives no "
      "number: the simulation stops with a message; one that passes zero between two steps gives large "
      "numbers. Single inputs multiply every part of wide ones.";
  type.is_block("the product", true);
  type.connects(signal_port("inputs", "any", "the signals [a, b, …], equally wide or single").several());
  type.takes(
      text("signs", "one * or / per input, such as \"*/\" for a quotient; all * if absent").optional());
  type.signs = "As the signs say.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: [2, 4]}
scaled: {type: control.product, inputs: [wave, level]}
ratio: {type: control.product, inputs: [scaled, level, wave], signs: "*/*"}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.signal_width("inputs"); };
  type.build = [](Build& b) {
    const auto divide = divides(b, b.signals("inputs").size());
    control::build_part_by_part(b, [divide](std::span<const double> u, std::span<double> gradient) {
      double before = 1;  // the factors so far; a gradient lacks its own factor, for that may be zero
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double factor = divide[i] ? 1 / u[i] : u[i];
        for (std::size_t j = 0; j < i; ++j) gradient[j] *= factor;
        gradient[i] = before * (divide[i] ? -factor * factor : 1.0);
        before *= factor;
      }
      return before;
    });
  };
  return type;
}

}  // namespace escapement
