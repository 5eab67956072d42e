#include <fmt/format.h>

#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// One weight per input, from `weights`, from `signs`, or all one.
std::vector<double> weights(const Build& b, std::size_t inputs) {
  if (b.given("signs") && b.given("weights"))
    b.refuse("E-CHOICE", "signs", "signs and weights are both given", "give one of signs, weights");
  std::vector<double> weights(inputs, 1.0);
  const char* key = b.given("signs") ? "signs" : "weights";
  if (b.given("weights")) weights = b.vector("weights");
  if (b.given("signs")) {
    weights.clear();
    for (const char sign : b.text("signs")) {
      if (sign != '+' && sign != '-')
        b.refuse("E-VALUE", "signs", fmt::format("`{}` has other characters than + and -", b.text("signs")),
                 "one + or - per input, such as \"+-\"");
      weights.push_back(sign == '+' ? 1.0 : -1.0);
    }
  }
  if (weights.size() != inputs)
    b.refuse("E-WIDTH", key, fmt::format("has {} entries, there are {} inputs", weights.size(), inputs));
  return weights;
}

void build_sum(Build& b) {
  const auto inputs = b.signals("inputs");
  const auto output = b.outputs();
  const std::vector<double> factors = weights(b, inputs.size());
  for (const auto& y : output) b.add(control::Defined{y});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].size() != output.size())
      b.refuse(
          "E-WIDTH", "inputs",
          fmt::format("input {} has {} parts, the widest has {}", k + 1, inputs[k].size(), output.size()),
          "all inputs of a sum are equally wide");
    for (std::size_t i = 0; i < output.size(); ++i)
      if (factors[k] != 0) b.add(control::SignalFromSignal{output[i], inputs[k][i], factors[k]});
  }
}

}  // namespace

ComponentType control_sum() {
  ComponentType type("control.sum", "Adds signals, with signs or weights.");
  type.description = "output = Σ weight · input, part by part.";
  type.is_block("the sum", true);
  type.connects(signal_port("inputs", "any", "the signals [a, b, …], all equally wide").several());
  type.takes(
      text("signs", "one + or - per input, such as \"+-\" for a difference; all + if absent").optional());
  type.takes(vector("weights", "any", 0, "instead of signs: one factor per input").optional());
  type.signs = "As the signs or weights say.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
difference: {type: control.sum, inputs: [level, wave], signs: "+-"}
mean: {type: control.sum, inputs: [level, wave, difference], weights: [0.5, 0.25, 0.25]}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.signal_width("inputs"); };
  type.build = build_sum;
  return type;
}

}  // namespace escapement
