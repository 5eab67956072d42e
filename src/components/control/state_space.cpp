#include "components/control/state_space.hpp"

#include <fmt/format.h>

#include "components/control/realization.hpp"

template struct escapement::Adaptor<escapement::control::StateSpace<1, 1, 1>>;

namespace escapement {
namespace {

void build_state_space(Build& b) {
  using namespace control;
  const Realization r = given_matrices(b, "A is n×n, B n×m, C p×n, D p×m");
  const int n = r.order(), m = r.B.columns;
  const auto u = b.wide_signal("input"), y = b.outputs();
  if (static_cast<int>(u.size()) != m)
    b.refuse("E-WIDTH", "input", fmt::format("has {} parts, B has {} columns", u.size(), m));

  std::vector<StateVariable<1>> x;
  add_linear(b, r, u, y, start_of(b, n), x, n);
  for (int i = 0; i < n; ++i) b.channel("state", x[i], 1, 0, i);
}

}  // namespace

ComponentType control_state_space() {
  ComponentType type("control.state_space", "Linear state space of any size: ẋ = A x + B u, y = C x + D u.");
  type.is_block("y", true);
  type.connects(input("any", "u").any_width());
  type.takes(matrix("A", "any", "n×n"));
  type.takes(matrix("B", "any", "n×m"));
  type.takes(matrix("C", "any", "p×n"));
  type.takes(matrix("D", "any", "p×m; zero if absent").optional());
  type.takes(group("initial", {vector("state", "any", 0, "x at the start; zero if absent").optional()},
                   "values at the start"));
  type.gives({"state", "", "x", {}, true, false});
  type.signs = "As in the equations; gains take any unit and count in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
step: {type: control.step, time: 0.1 s}
filter: {type: control.state_space, A: [[0, 1], [-100, -4]], B: [[0], [100]], C: [[1, 0], [0, 1]], D: [[0], [0]], input: step, initial: {state: [0.2, 0]}}
)yaml";
  type.width = [](const Build& b, std::string_view output) {
    return output == "state" ? b.matrix("A").rows : b.matrix("C").rows;
  };
  type.build = build_state_space;
  return type;
}

}  // namespace escapement
