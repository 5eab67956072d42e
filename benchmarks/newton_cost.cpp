// The cost of one Newton iteration (assembly of residual and tangent, refactorisation, solve, update) over the bare KLU
// refactorisation and solve of the same matrix, on the chain of n masses. Aim: at most 1.5 for n >= 1e4 unknowns.
#include <klu.h>

#include "chain.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

int main() {
  for (int masses : {100, 1000, 3334, 10000, 33334, 100000}) {
    const Chain chain(masses);
    const System& system = chain.system;
    GeneralizedAlpha stepper(system, {});
    State s = chain.initial();
    stepper.start(s);
    for (int k = 0; k < 3; ++k)
      if (!stepper.advance(s, 1e-3).ok()) return 1;

    Shift c;
    c.position = stepper.coefficients().c0;
    c.velocity = stepper.coefficients().c1;
    c.acceleration = 1;
    c.holonomic_scale = 1 / c.position;
    const Pattern& pattern = system.pattern();
    std::vector<double> r(system.size()), values(pattern.nonzeros()), x(system.size());
    system.tangent(s, c, {}, r, values);

    // Bare KLU on the same matrix.
    klu_common common;
    klu_defaults(&common);
    auto* begin = const_cast<int*>(pattern.column_begin.data());
    auto* row = const_cast<int*>(pattern.row.data());
    klu_symbolic* symbolic = klu_analyze(pattern.n, begin, row, &common);
    klu_numeric* numeric = klu_factor(begin, row, values.data(), symbolic, &common);
    std::vector<double> b(r);
    const double refactor =
        seconds([&] { klu_refactor(begin, row, values.data(), symbolic, numeric, &common); });
    const double solve = seconds([&] { klu_solve(symbolic, numeric, pattern.n, 1, b.data(), &common); });
    const double bare = refactor + solve;
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);

    // Ours: what the stepper does in one full iteration.
    Newton& newton = stepper.newton();
    std::copy(values.begin(), values.end(), newton.matrix().begin());
    newton.factor();
    const double assembly = seconds([&] { system.tangent(s, c, {}, r, newton.matrix()); });
    const double residual = seconds([&] { system.residual(s, c, r); });
    const double factor = seconds([&] { newton.factor(); });
    const double whole = seconds([&] {
      system.tangent(s, c, {}, r, newton.matrix());
      newton.factor();
      for (int i = 0; i < system.size(); ++i) x[i] = -r[i];
      newton.solver().solve(x);
    });
    const std::string name = fmt::format("chain, {} unknowns", system.size());
    report("newton_cost", name, whole / bare, "bare KLU refactor+solve", whole * 1e6, "us");
    report("newton_cost", name + ", assembly", assembly / bare, "bare KLU refactor+solve", assembly * 1e6,
           "us");
    report("newton_cost", name + ", residual only", residual / bare, "bare KLU refactor+solve",
           residual * 1e6, "us");
    report("newton_cost", name + ", factor", factor / refactor, "bare KLU refactor", factor * 1e6, "us");
    report("newton_cost", name + ", solve", (whole - assembly - factor) / solve, "bare KLU solve",
           (whole - assembly - factor) * 1e6, "us");
  }
}
