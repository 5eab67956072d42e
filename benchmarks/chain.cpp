// Growth with size: time per step and memory per unknown of the chain, n = 10 … 1e6 masses (argument: largest n).
#include "chain.hpp"

#include <cstdlib>

#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 1000000;
  double reference = 0;  // seconds per step and unknown at 1e3 masses
  for (int masses : {10, 100, 1000, 10000, 100000, 1000000}) {
    if (masses > largest) break;
    const double memory_before = peak_memory_bytes();
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const Chain chain(masses);
    GeneralizedAlpha stepper(chain.system, {});
    State s = chain.initial();
    stepper.start(s);
    const double setup = std::chrono::duration<double>(Clock::now() - start).count();
    const double h = 0.1 / std::sqrt(500.0 * masses);  // masses move by a small part of a link per step
    long iterations = 0, factorizations = 0, steps = 0;
    bool ok = true;
    const double per_step = seconds(
        [&] {
          const auto report = stepper.advance(s, h);
          ok = ok && report.ok();
          iterations += report.newton.iterations;
          factorizations += report.newton.factorizations;
          ++steps;
        },
        masses > 100000 ? 2 : 3, masses > 100000 ? 5.0 : 0.2);
    if (!ok) return 1;
    const int n = chain.system.size();
    const double per_unknown = per_step / n;
    if (masses == 1000) reference = per_unknown;
    const std::string name = fmt::format("chain of {} masses", masses);
    report("chain", name, reference > 0 ? per_unknown / reference : 0, "per unknown, chain of 1000 masses",
           per_unknown * 1e9, "ns per step and unknown");
    report("chain", name + ", Newton iterations per step", static_cast<double>(factorizations) / steps,
           "factorisations per step", static_cast<double>(iterations) / steps, "iterations");
    report("chain", name + ", set-up", setup / per_step, "one step", setup, "s");
    if (masses >= 10000)
      report("chain", name + ", memory", 0, "none", (peak_memory_bytes() - memory_before) / n,
             "bytes per unknown");
  }
}
