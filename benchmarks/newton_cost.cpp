// The cost of one Newton iteration (assembly of residual and tangent, refactorisation, solve, update) over the bare KLU
// refactorisation and solve of the same matrix, on the chain of n masses. Aim: at most 1.5 for n >= 1e4 unknowns.
#include "chain.hpp"
#include "iteration.hpp"

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

    iteration_cost("newton_cost", fmt::format("chain, {} unknowns", system.size()), stepper, system, s);
  }
}
