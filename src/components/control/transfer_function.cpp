#include <fmt/format.h>

#include "components/control/realization.hpp"

namespace escapement {
namespace {

control::Realization transfer_function_realization(const Build& b) {
  const std::vector<double>& denominator = b.vector("denominator");
  std::vector<double> numerator = b.vector("numerator");
  while (numerator.size() > 1 && numerator[0] == 0) numerator.erase(numerator.begin());
  if (denominator[0] == 0)
    b.refuse("E-VALUE", "denominator", "its first coefficient is zero", "begin with the highest power");
  if (numerator.size() > denominator.size())
    b.refuse(
        "E-VALUE", "numerator",
        fmt::format("has degree {}, the denominator {}: the output would contain derivatives of the input",
                    numerator.size() - 1, denominator.size() - 1),
        "add fast poles to the denominator, as a filter does");
  if (denominator.size() < 2)
    b.refuse("E-VALUE", "denominator", "has degree 0: there is no dynamics", "control.gain");
  return control::companion(numerator, denominator);
}

}  // namespace

ComponentType control_transfer_function() {
  ComponentType type = control::linear_type("control.transfer_function",
                                            "A transfer function: numerator(s) / denominator(s) · input.",
                                            transfer_function_realization);
  type.description =
      "Coefficients of the Laplace variable s, highest power first: `denominator: [2, 3, 1]` is 2 s² + 3 s + "
      "1. The degree of the numerator is at most that of the denominator. The states are x, ẋ/ω, ẍ/ω² … of "
      "the quantity x with denominator(s) x = denominator₀ ωⁿ · input, ω the geometric mean of the poles. "
      "With many or far apart poles `control.zero_pole_gain` loses fewer digits.";
  type.takes(vector("numerator", "any", 0, "coefficients, highest power first"));
  type.takes(vector("denominator", "any", 0, "coefficients, highest power first"));
  type.signs = "As in the equation; coefficients take any unit and count in SI.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
plant: {type: control.transfer_function, numerator: [1, 20], denominator: [0.5, 4, 20], input: [wave, level], initial: {input: [0, 1]}}
)yaml";
  return type;
}

}  // namespace escapement
