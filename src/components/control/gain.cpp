#include <fmt/format.h>

#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

bool single(const MatrixValue& gain) { return gain.rows == 1 && gain.columns == 1; }

void build_gain(Build& b) {
  const MatrixValue& K = b.matrix("gain");
  const auto u = b.wide_signal("input"), y = b.outputs();
  const int m = static_cast<int>(u.size());
  if (!single(K) && K.columns != m)
    b.refuse("E-WIDTH", "input", fmt::format("has {} parts, the gain has {} columns", m, K.columns));
  for (const auto& output : y) b.add(control::Defined{output});
  for (int i = 0; i < static_cast<int>(y.size()); ++i)
    for (int j = 0; j < m; ++j) {
      const double coefficient = !single(K) ? K(i, j) : i == j ? K(0, 0) : 0.0;
      if (coefficient != 0) b.add(control::SignalFromSignal{y[i], u[j], coefficient});
    }
}

}  // namespace

ComponentType control_gain() {
  ComponentType type("control.gain", "A constant gain: output = gain · input.");
  type.description =
      "A single number multiplies every part of the input; a p×m matrix makes p outputs of m inputs.";
  type.is_block("gain · input", true);
  type.connects(input("any", "the signal to multiply").any_width());
  type.takes(matrix("gain", "any", "a number, or a p×m matrix"));
  type.signs = "As in the equation; gains take any unit and count in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
double: {type: control.gain, gain: 2, input: [wave, level]}
mix: {type: control.gain, gain: [[1, -1], [0.5, 0.5], [0, 3]], input: double}
)yaml";
  type.width = [](const Build& b, std::string_view) {
    return single(b.matrix("gain")) ? b.signal_width("input") : b.matrix("gain").rows;
  };
  type.build = build_gain;
  return type;
}

}  // namespace escapement
