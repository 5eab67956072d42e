// One Newton iteration (assembly of residual and tangent, refactorisation, solve) over the bare KLU refactorisation and
// solve of the same matrix: both sides take turns, and the best of each counts.
#pragma once
#include <klu.h>

#include "core/elimination_order.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

namespace escapement::benchmarks {

inline void iteration_cost(const std::string& bench, const std::string& name, GeneralizedAlpha& stepper,
                           const System& system, const State& s) {
  Shift c;
  c.position = stepper.coefficients().c0;
  c.velocity = stepper.coefficients().c1;
  c.acceleration = 1;
  c.store = 1;
  c.flow = stepper.coefficients().kappa;
  c.holonomic_scale = c.position > 0 ? 1 / c.position : 1.0;
  const Pattern& pattern = system.pattern();
  std::vector<double> r(system.size()), values(pattern.nonzeros()), x(system.size());
  system.tangent(s, c, {}, r, values);

  // Bare KLU on the same matrix, in the same order of elimination.
  klu_common common;
  klu_defaults(&common);
  auto* begin = const_cast<int*>(pattern.column_begin.data());
  auto* row = const_cast<int*>(pattern.row.data());
  std::vector<int> order = elimination_order(system);
  if (!order.empty()) common.tol = 1e-5;
  klu_symbolic* symbolic =
      order.empty() ? klu_analyze(pattern.n, begin, row, &common)
                    : klu_analyze_given(pattern.n, begin, row, order.data(), order.data(), &common);
  klu_numeric* numeric = klu_factor(begin, row, values.data(), symbolic, &common);
  std::vector<double> b(r);

  // Ours: what the stepper does in one full iteration. Both sides take turns, and the best of each counts.
  Newton& newton = stepper.newton();
  std::copy(values.begin(), values.end(), newton.matrix().begin());
  newton.factor();
  double refactor = 1e300, solve = 1e300, assembly = 1e300, residual = 1e300, factor = 1e300, whole = 1e300;
  const int often = 1 + 10000 / system.size();
  const auto best = [&](double& of, auto f) {
    const auto batch = [&] {
      for (int k = 0; k < often; ++k) f();
    };
    of = std::min(of, seconds<ProcessorClock>(batch, 1, 0.01) / often);
  };
  for (int turn = 0; turn < 12; ++turn) {
    best(refactor, [&] { klu_refactor(begin, row, values.data(), symbolic, numeric, &common); });
    best(whole, [&] {
      system.tangent(s, c, {}, r, newton.matrix());
      newton.factor();
      for (int i = 0; i < system.size(); ++i) x[i] = -r[i];
      newton.solver().solve(x);
    });
    best(solve, [&] { klu_solve(symbolic, numeric, pattern.n, 1, b.data(), &common); });
    best(assembly, [&] { system.tangent(s, c, {}, r, newton.matrix()); });
    best(residual, [&] { system.residual(s, c, r); });
    best(factor, [&] { newton.factor(); });
  }
  const double bare = refactor + solve;
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  report(bench, name, whole / bare, "bare KLU refactor+solve", whole * 1e6, "us");
  report(bench, name + ", assembly", assembly / bare, "bare KLU refactor+solve", assembly * 1e6, "us");
  report(bench, name + ", residual only", residual / bare, "bare KLU refactor+solve", residual * 1e6, "us");
  report(bench, name + ", factor", factor / refactor, "bare KLU refactor", factor * 1e6, "us");
  report(bench, name + ", solve", (whole - assembly - factor) / solve, "bare KLU solve",
         (whole - assembly - factor) * 1e6, "us");
}

}  // namespace escapement::benchmarks
