#include "components/control/state_space.hpp"

#include <fmt/format.h>

#include "components/control/linear.hpp"
#include "model/component.hpp"

template class escapement::Group<escapement::control::StateSpace<1, 1, 1>>;

namespace escapement {
namespace {

void build(Build& b) {
  using namespace control;
  const MatrixValue &A = b.matrix("A"), &B = b.matrix("B"), &C = b.matrix("C");
  const int n = A.rows, m = B.columns, p = C.rows;
  const auto check = [&](const char* key, const MatrixValue& M, int rows, int columns) {
    if (M.rows != rows || M.columns != columns)
      b.refuse("E-WIDTH", key, fmt::format("is {}×{}, needs {}×{}", M.rows, M.columns, rows, columns),
               "A is n×n, B n×m, C p×n, D p×m");
  };
  MatrixValue D{p, m, std::vector<double>(static_cast<std::size_t>(p) * m, 0.0)};
  if (b.given("D")) D = b.matrix("D");
  check("A", A, n, n);
  check("B", B, n, m);
  check("C", C, p, n);
  check("D", D, p, m);
  const auto u = b.wide_signal("input"), y = b.outputs();
  if (static_cast<int>(u.size()) != m)
    b.refuse("E-WIDTH", "input", fmt::format("has {} parts, B has {} columns", u.size(), m));

  std::vector<double> start(n, 0.0);
  if (b.has("initial.state")) start = b.vector("initial.state");
  if (static_cast<int>(start.size()) != n)
    b.refuse("E-WIDTH", "initial.state", fmt::format("has {} numbers, A has {} rows", start.size(), n));
  std::vector<StateVariable<1>> x;
  for (int i = 0; i < n; ++i) {
    x.push_back(b.system.state<1>(n == 1 ? b.name("state") : fmt::format("{}.{}", b.name("state"), i + 1)));
    b.start(x[i], {start[i]});
    b.channel("state", x[i], 1, 0, i);
    b.add(Integrated{x[i]});
  }
  const auto terms = [&](const auto& rows, const auto& sources, const MatrixValue& M) {
    using Row = std::remove_cvref_t<decltype(rows[0])>;
    using Source = std::remove_cvref_t<decltype(sources[0])>;
    for (int i = 0; i < M.rows; ++i)
      for (int j = 0; j < M.columns; ++j)
        if (M(i, j) != 0) b.add(LinearTerm<Row, Source>{rows[i], sources[j], M(i, j)});
  };
  terms(x, x, A);
  terms(x, u, B);
  for (int i = 0; i < p; ++i) b.add(Defined{y[i]});
  terms(y, x, C);
  terms(y, u, D);
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
  type.build = build;
  return type;
}

}  // namespace escapement
