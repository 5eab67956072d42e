#include <fmt/format.h>

#include "components/control/realization.hpp"

namespace escapement {
namespace {

void build_observer(Build& b) {
  using namespace control;
  const char* const sizes = "A is n×n, B n×m, C p×n, D p×m, L n×p";
  const auto [A, B, C, D] = given_matrices(b, sizes);
  const MatrixValue& L = b.matrix("L");
  const int n = A.rows, m = B.columns, p = C.rows;
  check_size(b, "L", L, n, p, sizes);
  auto inputs = b.wide_signal("input");
  const auto y = b.wide_signal("measurement");
  if (static_cast<int>(inputs.size()) != m)
    b.refuse("E-WIDTH", "input", fmt::format("has {} parts, B has {} columns", inputs.size(), m));
  if (static_cast<int>(y.size()) != p)
    b.refuse("E-WIDTH", "measurement", fmt::format("has {} parts, C has {} rows", y.size(), p));
  inputs.insert(inputs.end(), y.begin(), y.end());

  // d/dt x̂ = (A − L C) x̂ + [B − L D, L] [u; y]
  Realization r{A, zero_matrix(n, m + p), zero_matrix(n, n), zero_matrix(n, m + p)};
  put(r.A, 0, 0, product(L, C), -1);
  put(r.B, 0, 0, B);
  put(r.B, 0, 0, product(L, D), -1);
  put(r.B, 0, m, L);
  for (int i = 0; i < n; ++i) entry(r.C, i, i) = 1;
  std::vector<StateVariable<1>> x;
  add_linear(b, r, inputs, b.outputs(), start_of(b, n), x, n);
}

}  // namespace

ComponentType control_observer() {
  ComponentType type("control.observer", "Estimates the state of a linear plant from what is measured.");
  type.description =
      "With u the input of the plant, y its measured output and L the gains given\n\n"
      "    d/dt x̂ = A x̂ + B u + L (y − C x̂ − D u)\n\n"
      "The output is the estimate x̂ (Luenberger's observer; with gains from a Riccati equation the steady "
      "Kalman filter).";
  type.is_block("the estimate x̂", true);
  type.connects(input("any", "u").any_width());
  type.connects(signal_port("measurement", "any", "y").any_width());
  type.takes(matrix("A", "any", "n×n"));
  type.takes(matrix("B", "any", "n×m"));
  type.takes(matrix("C", "any", "p×n"));
  type.takes(matrix("D", "any", "p×m; zero if absent").optional());
  type.takes(matrix("L", "any", "n×p, gains"));
  type.takes(group("initial", {vector("state", "any", 0, "x̂ at the start; zero if absent").optional()},
                   "values at the start"));
  type.signs = "As in the equation; entries take any unit and count in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
force: {type: control.sine, amplitude: 3 N, frequency: 1 Hz, unit: N}
cart: {type: translational.mass, mass: 2 kg, initial: {position: 0.1 m}}
push: {type: translational.force, at: cart, input: force}
estimate: {type: control.observer, A: [[0, 1], [0, 0]], B: [[0], [0.5]], C: [[1, 0]], L: [[20], [100]], input: force, measurement: cart.position}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.matrix("A").rows; };
  type.build = build_observer;
  return type;
}

}  // namespace escapement
