// Where KLU overtakes dense elimination: refactor + solve of the chain's matrix, KLU over dense.
#include "chain.hpp"
#include "report.hpp"
#include "sparse/linear_solver.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

int main() {
  for (int masses : {2, 4, 6, 8, 10, 12, 16, 24, 32}) {
    const Chain chain(masses);
    State s = chain.initial();
    for (int i = 0; i < masses; ++i) s.value[2 * masses + i] = 1.0 + i;
    std::vector<double> r(chain.system.size()), values(chain.system.pattern().nonzeros()), b(r.size(), 1.0);
    chain.system.tangent(s, {.position = 1e-6, .acceleration = 1, .holonomic_scale = 1e6}, {}, r, values);
    double time[2];
    int k = 0;
    for (auto& solver : {make_dense_solver(), make_klu_solver()}) {
      solver->analyze(chain.system.pattern());
      if (!solver->factor(values).ok) return 1;
      time[k++] = seconds([&] {
        solver->factor(values);
        solver->solve(b);
      });
    }
    report("solver_crossing", fmt::format("{} unknowns", chain.system.size()), time[1] / time[0], "dense",
           time[1] * 1e6, "us");
  }
}
