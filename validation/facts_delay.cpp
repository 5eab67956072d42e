// The transport delay against the method of steps: ẋ = −x(t − τ) from x = 1, whose solution is a polynomial on every interval
// of length τ; echoes of a jump; delays shorter than the step. Constant and varying steps, every ρ∞ for states.
#include <numbers>
#include <random>

#include "analyses/simulate.hpp"
#include "model_case.hpp"
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Largest errors of channels over a run, against exact(t).
std::vector<double> largest_errors(const std::string& components, double until,
                                   const std::vector<double>& steps, double rho,
                                   const std::vector<std::string>& channels,
                                   const std::function<std::vector<double>(double)>& exact) {
  struct Observer final : RunObserver {
    const Assembly* assembly;
    const std::vector<std::string>* channels;
    const std::function<std::vector<double>(double)>* exact;
    std::vector<double> worst;
    void row(const State& s) override {
      const auto is = (*exact)(s.t);
      for (std::size_t i = 0; i < channels->size(); ++i)
        worst[i] = std::max(worst[i], std::abs(channel(*assembly, s, (*channels)[i]) - is[i]));
    }
    bool step(const StepDone&) override { return true; }
  };
  static const Registry registry = standard_registry();
  std::string list;
  for (double h : steps) list += fmt::format("{}{} s", list.empty() ? "" : ", ", h);
  const Model model = Model::read_text(
      fmt::format("escapement: 1\ncomponents:\n{}\nsimulate: {{until: {} s, steps: [{}], rho_states: {}}}\n",
                  components, until, list, rho),
      "delay", registry);
  const Assembly assembly = assemble(model);
  Observer observer;
  observer.assembly = &assembly;
  observer.channels = &channels;
  observer.exact = &exact;
  observer.worst.assign(channels.size(), 0.0);
  const RunResult result = simulate(assembly, simulate_options(model), observer);
  if (result.failure) FAIL(result.failure->cause);
  return observer.worst;
}

/// ẋ = −g x(t − τ): x = Σ_k (−g)ᵏ (t − (k − 1) τ)ᵏ / k! over all k with t ≥ (k − 1) τ; beyond 60 nothing is left.
double by_steps(double t, double tau, double gain = 1) {
  double sum = t <= 0 ? 1.0 : 0.0, factorial = 1;
  for (int k = 0; t > 0 && t - (k - 1) * tau >= 0 && k < 60; ++k) {
    sum += std::pow(-gain * (t - (k - 1) * tau), k) / factorial;
    factorial *= k + 1;
  }
  return sum;
}

const std::vector<std::vector<double>> patterns = {{1.0}, {0.7, 1.3}, {0.9, 1.2, 0.7, 1.0, 1.2}};

std::vector<double> scaled(std::vector<double> pattern, double h) {
  for (double& x : pattern) x *= h;
  return pattern;
}

}  // namespace

TEST_CASE("delayed feedback against the method of steps, second order") {
  for (const double tau : {1.0, 0.6180339887498949})
    for (const double rho : {0.0, 0.5, 0.8, 1.0})
      for (const auto& pattern : patterns) {
        Ladder ladder({"x", "x late"});
        for (const double h : {0.02, 0.01, 0.005, 0.0025})
          ladder.add(h,
                     largest_errors(fmt::format("  x: {{type: control.integrator, gain: -1, input: late, "
                                                "initial: {{output: 1}}}}\n"
                                                "  late: {{type: control.delay, delay: {} s, input: x}}",
                                                tau),
                                    4, scaled(pattern, h), rho, {"x.output", "late.output"}, [&](double t) {
                                      return std::vector<double>{by_steps(t, tau), by_steps(t - tau, tau)};
                                    }));
        ladder.print(fmt::format("delay {}, rho_states {}, pattern of {}", tau, rho, pattern.size()));
        ladder.check_second_order(0.1);
      }
}

TEST_CASE("echoes of a jump come out exactly, again and again") {
  // y = step + y(t − τ)/2: jumps of 1/2ᵏ at 0.2 + k τ; their integral, and that of a neutral loop through it.
  const double tau = 0.3141592653589793;
  const std::string model = fmt::format(
      "  step: {{type: control.step, time: 0.2 s}}\n"
      "  y: {{type: control.sum, inputs: [step, echo], weights: [1, 0.5]}}\n"
      "  echo: {{type: control.delay, delay: {} s, input: y, initial: {{input: 0}}}}\n"
      "  area: {{type: control.integrator, input: y}}",
      tau);
  const auto exact = [&](double t) {
    double y = 0, area = 0, weight = 1;
    for (double at = 0.2; at <= t + 1e-9; at += tau, weight /= 2) y += weight, area += weight * (t - at);
    return std::vector<double>{y, area};
  };
  for (const auto& pattern : patterns)
    for (const double h : {0.05, 0.013}) {
      const auto worst =
          largest_errors(model, 3, scaled(pattern, h), 0.8, {"y.output", "area.output"}, exact);
      fmt::print("echoes, h = {}: signal off by {:.1e}, its integral by {:.1e}\n", h, worst[0], worst[1]);
      CHECK(worst[0] < 1e-12);
      CHECK(worst[1] < 1e-12);
    }
}

TEST_CASE("a delay shorter than the step, in a loop: an algebraic coupling, second order") {
  // ẋ = −5 x(t − τ) with τ = h/40 … h/5: the present step takes part in the interpolation.
  const double tau = 6e-4;
  for (const auto& pattern : patterns) {
    Ladder ladder({"x"});
    for (const double h : {0.024, 0.012, 0.006, 0.003})
      ladder.add(
          h, largest_errors(fmt::format("  x: {{type: control.integrator, gain: -5, input: late, initial: "
                                        "{{output: 1}}}}\n"
                                        "  late: {{type: control.delay, delay: {} s, input: x}}",
                                        tau),
                            1, scaled(pattern, h), 0.5, {"x.output"},
                            [&](double t) { return std::vector<double>{by_steps(t, tau, 5)}; }));
    ladder.print(fmt::format("a delay of {} s, pattern of {}", tau, pattern.size()));
    ladder.check_second_order(0.1);
  }
}

// A relay whose input is delayed by about a step: every crossing once, whatever is remembered between and after (T-delay-4).
TEST_CASE("a relay behind a delay switches once at each crossing") {
  std::mt19937 generator(4);
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(generator()) + 0.5) / 4294967296.0;
  };
  const double twice_pi = 2 * std::numbers::pi;
  int wrong = 0, looked_at = 0;
  for (int k = 0; k < 400; ++k) {
    const double f = std::pow(10, between(-1, 4)), h = between(0.01, 0.08) / f;
    const double whole[] = {0.5, 0.9, 1, 1.0001, 1.3, 2};
    const double delay = h * (k % 2 == 0 ? whole[k / 2 % 6] : between(0.1, 3));
    const double phase = between(0, twice_pi), level = between(-0.9, 0.9), until = between(2, 5) / f;
    const std::string settings =
        k % 5 == 0 ? "adaptive: true, tolerance: 1e-5" : fmt::format("step: {:.17g} s", h);
    // Crossings of the sine between its phases at the start and at the end.
    const double end = phase + twice_pi * f * (until - delay);
    int crossings = 0;
    bool close = false;
    for (int turn = -1; twice_pi * turn < end + twice_pi; ++turn)
      for (const double angle : {std::asin(level), std::numbers::pi - std::asin(level)}) {
        const double at = twice_pi * turn + angle;
        if (at > phase && at < end) ++crossings;
        close = close || std::min(std::abs(at - phase), std::abs(at - end)) < 1e-3;
      }
    if (close) continue;
    ++looked_at;
    const TextRun run(fmt::format(R"(
    s: {{type: control.sine, amplitude: 1, frequency: {:.17g} Hz, phase: {:.17g} rad}}
    d: {{type: control.delay, input: s, delay: {:.17g} s}}
    r: {{type: control.relay, input: d, threshold: {:.17g}, low: 0, high: 1}}
    i: {{type: control.integrator, input: r}})",
                                  f, phase, delay, level),
                      fmt::format("until: {:.17g} s, {}", until, settings), {"i"});
    if (run.statistics.event_count == crossings) continue;
    ++wrong;
    MESSAGE(k, ": ", run.statistics.event_count, " events, not ", crossings, "; delay of ", delay / h,
            " steps");
  }
  CHECK(wrong == 0);
  CHECK(looked_at > 350);
}

// Delays of delays: jumps come out of the first where steps end, and again of the next; nothing is left over between.
TEST_CASE("a chain of delays is one delay by their sum") {
  std::mt19937 generator(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(generator()) + 0.5) / 4294967296.0;
  };
  int odd = 0;
  for (int k = 0; k < 120; ++k) {
    const double unit = k % 3 == 0 ? 0.7 : k % 3 == 1 ? 0.35 : between(0.2, 0.9);
    const std::string settings[] = {"step: {:.17g} s", "step: {:.17g} s, scheme: variational",
                                    "step: {:.17g} s, scheme: spook", "adaptive: true, tolerance: 1e-5"};
    const double step = unit / (k % 2 == 0 ? 1 : k % 5 + 1);
    std::string components = fmt::format(
        "  s: {{type: control.sine, frequency: {:.17g} Hz, phase: {:.17g} rad}}\n"
        "  d0: {{type: control.relay, input: s, threshold: {:.17g}, low: -1, high: 2}}\n",
        k % 4 < 2 ? 2.0 : between(0.3, 3), between(0, 6), between(-0.5, 0.5));
    double sum = 0;
    const int links = 2 + k % 3;
    for (int i = 0; i < links; ++i) {
      const double delay = i == 0 ? 2 * unit : k % 4 == 3 ? between(0.1, 2) : unit;
      sum += delay;
      components +=
          fmt::format("  d{}: {{type: control.delay, delay: {:.17g} s, input: d{}}}\n", i + 1, delay, i);
    }
    components += fmt::format("  one: {{type: control.delay, delay: {:.17g} s, input: d0}}\n", sum);
    const TextRun run(components,
                      "until: 15 s, " + fmt::format(fmt::runtime(settings[k % 7 < 4 ? 0 : k % 7 - 3]), step),
                      {fmt::format("d{}.output", links), "one.output"});
    int apart = 0;  // rows at the very instant of a jump may be on either side of it
    for (const auto& row : run.rows) {
      apart += std::abs(row[0] - row[1]) > 1e-9;
      odd += std::min(std::abs(row[0] + 1), std::abs(row[0] - 2)) > 1e-9;
    }
    CHECK(apart <= 1);
  }
  CHECK(odd == 0);
}
