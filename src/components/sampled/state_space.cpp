#include "components/control/realization.hpp"
#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_state_space() {
  ComponentType type("sampled.state_space", "A linear discrete-time system: x₊ = A x + B u, y = C x + D u.");
  type.description =
      "At each sample the output is y = C x + D u with the input of that sample, and x becomes A x + B u.";
  sampled::is_sampled(type, "y");
  type.connects(input("any", "u; several signals [a, b, …] are one after the other").any_width());
  type.takes(matrix("A", "any", "of the states"));
  type.takes(matrix("B", "any", "from inputs to states"));
  type.takes(matrix("C", "any", "from states to outputs"));
  type.takes(matrix("D", "any", "from inputs to outputs, at the same sample"));
  type.takes(vector("state", "any", 0, "x at the first sample; zero unless given").optional());
  type.signs = "As the matrices have them.";
  type.example = R"yaml(
step: {type: control.step, time: 0.2 s}
filter: {type: sampled.state_space, period: 50 ms, A: [[0.8]], B: [[0.2]], C: [[1]], D: [[0]], input: step}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.matrix("C").rows; };
  type.build = [](Build& b) {
    const auto u = b.wide_signal("input");
    const MatrixValue &A = b.matrix("A"), &B = b.matrix("B"), &C = b.matrix("C"), &D = b.matrix("D");
    const int n = A.rows, inputs = static_cast<int>(u.size()), outputs = C.rows;
    control::check_size(b, "A", A, n, n, "A is square");
    control::check_size(b, "B", B, n, inputs, "a row per state, a column per input");
    control::check_size(b, "C", C, outputs, n, "a row per output, a column per state");
    control::check_size(b, "D", D, outputs, inputs, "a row per output, a column per input");
    std::vector<double> start(n, 0.0);
    if (b.has("state")) start = b.vector("state");
    if (static_cast<int>(start.size()) != n)
      b.refuse("E-WIDTH", "state", "it has not as many numbers as A has rows");
    sampled::add_program(
        b, u, std::move(start),
        sampled::linear_program({n, inputs, outputs, A.entries, B.entries, C.entries, D.entries}));
  };
  return type;
}

}  // namespace escapement
