// Circuits against ngspice: the same netlist read by both, time over measured error, and the ratio of times at equal error. A ladder of
// 200 and of 2000 cells, a ring oscillator. And one Newton iteration over the bare KLU refactorisation and solve of the same matrix.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "iteration.hpp"

using namespace escapement;
using namespace escapement::benchmarks;
namespace fs = std::filesystem;

namespace {

/// A line of coils and capacitors, 50 ohm, 5 ns per cell.
std::string ladder(int cells) {
  std::string text = "ladder\nV1 in 0 SIN(0 1 500k)\nRs in n0 50\n";
  for (int i = 1; i <= cells; ++i) text += fmt::format("L{0} n{1} n{0} 250n\nC{0} n{0} 0 100p\n", i, i - 1);
  return text + fmt::format("Rl n{} 0 50\n", cells);
}

/// Five inverters in a ring, as in validation/spice.
std::string ring() {
  std::string text = "ring oscillator\nVdd dd 0 5\n";
  for (int i = 1; i <= 5; ++i)
    text += fmt::format(
        "MN{0} n{0} n{1} 0 0 nm W=10u L=1u\nMP{0} n{0} n{1} dd dd pm W=20u L=1u\nC{0} n{0} 0 0.5p\n", i,
        i == 1 ? 5 : i - 1);
  return text +
         ".ic v(n1)=0 v(n2)=5 v(n3)=0 v(n4)=5 v(n5)=2\n"
         ".model nm NMOS(VTO=0.8 KP=100u LAMBDA=0.03 GAMMA=0.5 PHI=0.7 CGSO=0.3n CGDO=0.3n CBD=20f CBS=20f "
         "PB=0.8 MJ=0.5)\n"
         ".model pm PMOS(VTO=-0.9 KP=40u LAMBDA=0.05 GAMMA=0.5 PHI=0.7 CGSO=0.3n CGDO=0.3n CBD=40f CBS=40f "
         "PB=0.8 MJ=0.5)\n";
}

struct Problem {
  std::string name, netlist, node;
  double until;
  std::vector<double> steps;       // ours
  std::vector<double> tolerances;  // ngspice's reltol
  double reference;                // step of the reference
};

struct Curve {
  std::vector<double> t, v;
  double at(double time) const {
    const auto k = std::clamp<std::ptrdiff_t>(std::lower_bound(t.begin(), t.end(), time) - t.begin(), 1,
                                              std::ssize(t) - 1);
    const double s = (time - t[k - 1]) / (t[k] - t[k - 1]);
    return v[k - 1] + s * (v[k] - v[k - 1]);
  }
};

double error(const Curve& c, const Curve& reference) {
  double worst = 0, size = 0;
  for (std::size_t k = 0; k < c.t.size(); ++k) {
    worst = std::max(worst, std::abs(c.v[k] - reference.at(c.t[k])));
    size = std::max(size, std::abs(c.v[k]));
  }
  return worst / size;
}

struct Timed {
  double error, seconds;
  long steps;
};

struct Watch final : RunObserver {
  const Assembly* assembly;
  const Channel* channel;
  Curve curve;
  void row(const State& s) override {
    curve.t.push_back(s.t);
    curve.v.push_back(assembly->read(*channel, s));
  }
  bool step(const StepDone&) override { return true; }
};

Model model_of(const Problem& p, const Registry& registry, const fs::path& folder) {
  std::ofstream(folder / "circuit.cir") << p.netlist << ".end\n";
  std::ofstream(folder / "model.yaml") << fmt::format(
      "escapement: 1\ncomponents:\n  c: {{use: circuit.cir}}\nsimulate: {{until: {:.17g} s, step: {:.17g} "
      "s}}\n",
      p.until, p.steps[0]);
  return Model::read_file(folder / "model.yaml", registry);
}

std::pair<Curve, Timed> ours(const Assembly& assembly, SimulateOptions options, const std::string& channel,
                             double step) {
  using Clock = ProcessorClock;
  options.steps = {step};
  Watch watch;
  watch.assembly = &assembly;
  watch.channel = assembly.select({{channel, {}, {}}}).at(0);
  const auto start = Clock::now();
  const RunResult result = simulate(assembly, options, watch);
  const double time = std::chrono::duration<double>(Clock::now() - start).count();
  if (result.failure) {
    fmt::print(stderr, "{}\n", result.failure->cause);
    std::exit(1);
  }
  return {watch.curve, {0, time, result.statistics.steps}};
}

/// Processor time of all programs run so far.
double spent_by_others() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Processor seconds of ngspice up to this time; what it writes stays in out.txt.
double spend(const Problem& p, double tolerance, double until, const fs::path& folder) {
  std::ofstream deck(folder / "deck.cir");
  deck << p.netlist
       << fmt::format(".options reltol={:g} abstol=1e-12 vntol=1e-7 chgtol=1e-17\n.tran {:g} {:g} 0 {:g}\n",
                      tolerance, p.until / 1000, until, p.until / 50)
       << ".control\nrun\nset wr_singlescale\nset numdgt=12\nwrdata out.txt v(" << p.node
       << ")\n.endc\n.end\n";
  deck.close();
  fs::remove(folder / "out.txt");
  const double before = spent_by_others();
  const std::string command = fmt::format("cd '{}' && ngspice -b deck.cir > log.txt 2>&1", folder.string());
  [[maybe_unused]] const int status = std::system(command.c_str());  // 1 where nothing is plotted
  return spent_by_others() - before;
}

/// … without what it takes to start, to read and to write.
std::pair<Curve, Timed> ngspice(const Problem& p, double tolerance, const fs::path& folder) {
  const double start = spend(p, tolerance, 1e-3 * p.until, folder);
  const double whole = spend(p, tolerance, p.until, folder);
  Curve c;
  std::ifstream data(folder / "out.txt");
  for (double t, v; data >> t >> v;) {
    if (!c.t.empty() && t <= c.t.back()) continue;
    c.t.push_back(t);
    c.v.push_back(v);
  }
  return {c, {INFINITY, whole - start, static_cast<long>(c.t.size())}};
}

/// Seconds at an error, along the straight line between two points in logarithms; NaN beyond them.
double seconds_at(const std::vector<Timed>& points, double error) {
  for (std::size_t k = 1; k < points.size(); ++k) {
    const Timed &a = points[k - 1], &b = points[k];
    if ((a.error - error) * (b.error - error) > 0) continue;
    const double s = std::log(error / a.error) / std::log(b.error / a.error);
    return a.seconds * std::pow(b.seconds / a.seconds, s);
  }
  return NAN;
}

}  // namespace

int main() {
  const Registry registry = standard_registry();
  const bool peer = std::system("ngspice --version > /dev/null 2>&1") == 0;
  if (!peer) fmt::print(stderr, "ngspice is not installed: no comparison\n");
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("escapement-circuits-{}", long(std::time(nullptr)));
  fs::create_directories(folder);
  const std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6};
  const Problem problems[] = {
      {"ladder, 200 cells", ladder(200), "n200", 4e-6, {8e-9, 4e-9, 2e-9, 1e-9, 5e-10}, tolerances, 1.25e-10},
      {"ladder, 2000 cells", ladder(2000), "n400", 4e-6, {8e-9, 4e-9, 2e-9, 1e-9}, tolerances, 2.5e-10},
      {"ring oscillator, 5 stages",
       ring(),
       "n1",
       1.2e-8,
       {4e-11, 2e-11, 1e-11, 5e-12, 2.5e-12},
       tolerances,
       5e-13}};
  for (const Problem& p : problems) {
    const Model model = model_of(p, registry, folder);
    const Assembly assembly = assemble(model);
    const SimulateOptions options = simulate_options(model);
    const std::string channel = "c." + p.node + ".voltage";
    const Curve reference = ours(assembly, options, channel, p.reference).first;
    std::vector<Timed> own, other;
    for (const double h : p.steps) {
      auto [curve, point] = ours(assembly, options, channel, h);
      for (int again = 0; again < 2; ++again)
        point.seconds = std::min(point.seconds, ours(assembly, options, channel, h).second.seconds);
      point.error = error(curve, reference);
      own.push_back(point);
      report("circuits", fmt::format("{}, step {:g} s: error {:.2e}", p.name, h, point.error), point.steps,
             "steps", point.seconds, "s");
    }
    for (const double tolerance : p.tolerances) {
      if (!peer) break;
      auto [curve, point] = ngspice(p, tolerance, folder);
      if (curve.t.size() < 2) continue;
      for (int again = 0; again < 2; ++again)
        point.seconds = std::min(point.seconds, ngspice(p, tolerance, folder).second.seconds);
      point.error = error(curve, reference);
      other.push_back(point);
      report("circuits",
             fmt::format("{}, ngspice, reltol {:g}: error {:.2e}", p.name, tolerance, point.error),
             point.steps, "steps", point.seconds, "s");
    }
    for (const double e : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
      const double a = seconds_at(own, e), b = seconds_at(other, e);
      if (std::isfinite(a) && std::isfinite(b))
        report("circuits", fmt::format("{}, at error {:g}", p.name, e), a / b, "ngspice", a, "s");
    }
    GeneralizedAlpha stepper(assembly.system, options.stepper);
    State s = assembly.initial;
    stepper.start(s);
    for (int k = 0; k < 20; ++k)
      if (!stepper.advance(s, p.steps.back()).ok()) return 1;
    iteration_cost("circuits", fmt::format("{}, {} unknowns", p.name, assembly.system.size()), stepper,
                   assembly.system, s);
  }
  fs::remove_all(folder);
}
