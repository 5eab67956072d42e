#include <fmt/format.h>

#include "components/control/realization.hpp"

namespace escapement {
namespace {

void build_state_feedback(Build& b) {
  using namespace control;
  const MatrixValue& K = b.matrix("K");
  const auto x = b.wide_signal("state");
  if (static_cast<int>(x.size()) != K.columns)
    b.refuse("E-WIDTH", "state", fmt::format("has {} parts, K has {} columns", x.size(), K.columns));
  auto inputs = x;
  MatrixValue N = zero_matrix(K.rows, 0);
  if (b.connected("reference")) {
    const auto r = b.wide_signal("reference");
    const int parts = static_cast<int>(r.size());
    inputs.insert(inputs.end(), r.begin(), r.end());
    if (b.has("N")) {
      N = b.matrix("N");
      check_size(b, "N", N, K.rows, parts, "one row per output, one column per part of the reference");
    } else if (parts != K.rows) {
      b.refuse("E-WIDTH", "reference", fmt::format("has {} parts, K has {} rows", parts, K.rows),
               "N, which makes outputs of references");
    } else {
      N = zero_matrix(parts, parts);
      for (int i = 0; i < parts; ++i) entry(N, i, i) = 1;
    }
  } else if (b.given("N")) {
    b.refuse("E-VALUE", "N", "belongs to a `reference`", "connect reference, or remove it");
  }
  Realization r{zero_matrix(0, 0), zero_matrix(0, K.columns + N.columns), zero_matrix(K.rows, 0),
                zero_matrix(K.rows, K.columns + N.columns)};
  put(r.D, 0, 0, K, -1);
  put(r.D, 0, K.columns, N);
  std::vector<StateVariable<1>> none;
  add_linear(b, r, inputs, b.outputs(), {}, none, 0);
}

}  // namespace

ComponentType control_state_feedback() {
  ComponentType type("control.state_feedback", "Feedback of all states: output = N · reference − K · state.");
  type.description =
      "K as LQR or pole placement give it; N scales the reference so that the plant follows it (the identity "
      "if absent).";
  type.is_block("the command to the plant", true);
  type.connects(signal_port("state", "any", "x, measured or estimated").any_width());
  type.connects(signal_port("reference", "any", "r").any_width().optional());
  type.takes(matrix("K", "any", "m×n, gains"));
  type.takes(matrix("N", "any", "m×p, gains of the reference").optional());
  type.signs = "As in the equation: with positive gains the output falls with the state.";
  type.shape = {"block"};
  type.example = R"yaml(
target: {type: control.step, time: 0.1 s, after: 0.2}
cart: {type: translational.mass, mass: 2 kg}
command: {type: control.state_feedback, K: [[50, 20]], N: [[50]], state: [cart.position, cart.velocity], reference: target, unit: N}
actuator: {type: translational.force, at: cart, input: command}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.matrix("K").rows; };
  type.build = build_state_feedback;
  return type;
}

}  // namespace escapement
