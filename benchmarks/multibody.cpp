// Rigid bodies at h = 1 ms: chains on hinges and the N-four-bar (argument: largest number of bodies). Time per step and
// unknown; a step over the refactorisations and solves it makes; one Newton iteration over the bare solver work.
#include <cstdlib>

#include "iteration.hpp"
#include "mechanisms.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

double reference = 0;                              // seconds per step and unknown at 100 bodies
const double memory_before = peak_memory_bytes();  // of the program alone

struct Measured {
  double per_step = 1e300, iterations = 0, factorizations = 0;
};

/// Rounds of the same steps: the time of the best, the mean of the counts. The first steps set up the history and the
/// velocity offset: they do not count. All end before the four-bars lie flat, after 0.7 s.
bool measure(GeneralizedAlpha& stepper, State& s, Measured& m) {
  constexpr double h = 1e-3;
  const int values = static_cast<int>(s.value.size());
  const int rounds = std::clamp(100000 / values, 3, 200), count = std::clamp(2000000 / values, 10, 400);
  bool ok = true;
  const auto steps = [&](int number) {
    m.iterations = m.factorizations = 0;
    for (int k = 0; k < number && ok; ++k) {
      const auto report = stepper.advance(s, h);
      ok = report.ok();
      m.iterations += static_cast<double>(report.newton.iterations) / number;
      m.factorizations += static_cast<double>(report.newton.factorizations) / number;
    }
  };
  steps(40);
  const State from = s;
  const auto history = stepper.history;
  for (int round = 0; round < rounds; ++round) {
    s = from;
    stepper.history = history;
    m.per_step = std::min(m.per_step, seconds<ProcessorClock>([&] { steps(count); }, 1, 0) / count);
  }
  return ok;
}

template <class Mechanism>
bool one(const std::string& name, int size, bool is_reference) {
  const auto start = ProcessorClock::now();
  const Mechanism mechanism(size);
  const System& system = mechanism.system;
  GeneralizedAlpha stepper(system, {});
  State s = mechanism.initial();
  stepper.start(s);
  const double setup = std::chrono::duration<double>(ProcessorClock::now() - start).count();
  const int n = system.size();
  Measured m;
  if (!measure(stepper, s, m)) {
    fmt::print(stderr, "{}: a step failed at t = {} s\n", name, s.t);
    return false;
  }
  const double per_unknown = m.per_step / n;
  if (is_reference) reference = per_unknown;
  report("multibody", name, reference > 0 ? per_unknown / reference : 0, "per unknown, 100 bodies",
         m.per_step * 1e6, "us per step");
  report("multibody", name + ", per unknown", 0, "none", per_unknown * 1e9, "ns per step and unknown");
  report("multibody", name + ", Newton iterations per step", m.factorizations, "factorisations per step",
         m.iterations, "iterations");
  stepper.newton().factor();
  std::vector<double> b(n, 1.0);
  const int often = 1 + 10000 / n;
  const auto batch = [&](auto f) {
    return seconds<ProcessorClock>([&] {
             for (int k = 0; k < often; ++k) f();
           }) /
           often;
  };
  const double factor = batch([&] { stepper.newton().factor(); });
  const double solve = batch([&] { stepper.newton().solver().solve(b); });
  report("multibody", fmt::format("{}, step ({} unknowns)", name, n),
         m.per_step / (factor * m.factorizations + solve * m.iterations),
         "its own factor and solve calls alone", m.per_step * 1e6, "us per step");
  iteration_cost("multibody", name + ", Newton iteration", stepper, system, s);
  report("multibody", name + ", set-up", setup / m.per_step, "one step", setup, "s");
  if (std::is_same_v<Mechanism, HingeChain> && size >= 1000)  // sizes grow: the peak is this one's
    report("multibody", name + ", memory", 0, "none", (peak_memory_bytes() - memory_before) / size,
           "bytes per body");
  return true;
}

/// IFToMM A02: ten seconds, several times past the line where the bars are all on one line; the energy may drift by 0.1 J.
bool four_bars_ten_seconds() {
  const FourBars mechanism(40);
  GeneralizedAlpha stepper(mechanism.system, {});
  State s = mechanism.initial();
  stepper.start(s);
  const double before = mechanism.energy(s);
  double worst = 0;
  bool ok = true;
  const double time = seconds<ProcessorClock>(
      [&] {
        while (ok && s.t < 10 - 1e-9) {
          ok = stepper.advance(s, 2e-3).ok();
          worst = std::max(worst, std::abs(mechanism.energy(s) - before));
        }
      },
      1, 0);
  if (!ok) {
    fmt::print(stderr, "40 four-bars: a step failed at t = {} s\n", s.t);
    return false;
  }
  report("multibody", "40 four-bars, 10 s at h = 2 ms", time / 10, "real time", time, "s");
  report("multibody", "40 four-bars, 10 s at h = 2 ms, energy", worst / 0.1, "0.1 J", worst, "J");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 40000;
  bool ok = true;
  for (int bodies : {100, 1, 10, 400, 4000, 40000})  // 100 first: the others are compared with it
    if (bodies <= largest) ok = one<HingeChain>(chain_name(bodies), bodies, bodies == 100) && ok;
  for (int loops : {50, 1, 10, 100, 1000, 10000})
    if (2 * loops + 1 <= largest) ok = one<FourBars>(four_bars_name(loops), loops, loops == 50) && ok;
  ok = four_bars_ten_seconds() && ok;
  return ok ? 0 : 1;
}
