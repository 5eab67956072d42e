// Sources and nonlinear blocks against their closed forms: values that do not depend on the step, jumps that are landed on
// exactly, second order behind them, thresholds and gaps where they are stated.
#include <sys/resource.h>

#include <numbers>
#include <sstream>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;
using std::numbers::pi;

namespace {

/// The rows of a run of these components: t and the named channels; the ends of all steps.
struct Trace final : RunObserver {
  std::vector<double> t, step_ends;
  std::vector<std::vector<double>> values;  // [channel][row]
  RunStatistics statistics;
  double end = 0;  // of the first channel

  Trace(const std::string& components, std::vector<double> steps, double until,
        const std::vector<std::string>& channels, int every = 1) {
    static const Registry registry = standard_registry();
    std::string text = "escapement: 1\ncomponents:\n";
    std::istringstream lines(components);
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    const Assembly assembly = assemble(Model::read_text(text, "facts", registry));
    for (const std::string& c : channels) wanted_.push_back(assembly.select({{c, {}, {}}}).at(0));
    values.resize(channels.size());
    assembly_ = &assembly;
    SimulateOptions options;
    options.until = until;
    options.steps = std::move(steps);
    options.output_steps = every;
    events = assembly.events.size();
    const RunResult result = simulate(assembly, options, *this);
    if (result.failure) FAIL(result.failure->cause);
    statistics = result.statistics;
    end = assembly.read(*wanted_[0], result.state);
  }
  void row(const State& s) override {
    t.push_back(s.t);
    for (std::size_t i = 0; i < wanted_.size(); ++i) values[i].push_back(assembly_->read(*wanted_[i], s));
  }
  bool step(const StepDone& step) override {
    if (keep_steps) step_ends.push_back(step.state.t);
    return true;
  }
  std::size_t events = 0;
  static inline bool keep_steps = true;

 private:
  const Assembly* assembly_ = nullptr;
  std::vector<const Channel*> wanted_;
};

/// ẋ = u − x from x = 0 at the time `until` for a u that is u[k] from edges[k] on.
double lagged(const std::vector<double>& edges, const std::vector<double>& u, double until) {
  double x = 0;
  for (std::size_t k = 0; k < edges.size() && edges[k] < until; ++k) {
    const double last = k + 1 < edges.size() ? std::min(edges[k + 1], until) : until;
    x = u[k] + (x - u[k]) * std::exp(-(last - edges[k]));
  }
  return x;
}
/// Of the first channel, over all rows.
double largest_error(const Trace& trace, const std::vector<double>& edges, const std::vector<double>& u) {
  double worst = 0;
  for (std::size_t i = 0; i < trace.t.size(); ++i)
    worst = std::max(worst, std::abs(trace.values[0][i] - lagged(edges, u, trace.t[i])));
  return worst;
}
const std::string lag =
    "x: {type: control.state_space, A: [[-1]], B: [[1]], C: [[1]], input: k, initial: {state: [0]}}\n";

}  // namespace

TEST_CASE("sources follow their formulas, whatever the steps") {
  struct Source {
    const char* text;
    double (*formula)(double);
  };
  const Source sources[] = {
      {"{type: control.ramp, slope: 3, start: 0.105 s, offset: -1, end: 0.603 s}",
       [](double t) {
         return -1 + 3 * (t < 0.105 ? 0 : t < 0.603 ? t - 0.105 : 0.603 - 0.105);
       }},
      {"{type: control.ramp, slope: -2, limit: -1.5}", [](double t) { return std::max(-2 * t, -1.5); }},
      {"{type: control.chirp, start_frequency: 1 Hz, end_frequency: 6 Hz, duration: 0.7 s, amplitude: 2, "
       "phase: "
       "20 deg, offset: 0.5}",
       [](double t) {
         const double cycles = t < 0.7 ? t + 2.5 * t * t / 0.7 : 0.7 + 2.5 * 0.7 + 6 * (t - 0.7);
         return 0.5 + 2 * std::sin(2 * pi * cycles + pi / 9);
       }},
      {"{type: control.chirp, start_frequency: 8 Hz, end_frequency: 2 Hz, duration: 0.8 s, sweep: "
       "logarithmic}",
       [](double t) {
         const double l = std::log(0.25) / 0.8;
         const double cycles = t < 0.8 ? 8 * (std::exp(l * t) - 1) / l : 8 * (0.25 - 1) / l + 2 * (t - 0.8);
         return std::sin(2 * pi * cycles);
       }},
      {"{type: control.multisine, frequencies: [1 Hz, 2.5 Hz], amplitudes: [1, 3], phases: [0, 1 rad]}",
       [](double t) { return std::sin(2 * pi * t) + 3 * std::sin(5 * pi * t + 1); }},
      {"{type: control.multisine, band: [1 Hz, 4 Hz], lines: 4, amplitudes: 2}",
       [](double t) {
         double sum = 0;
         for (int k = 1; k <= 4; ++k) sum += 2 * std::sin(2 * pi * k * t - pi * k * (k - 1) / 4.0);
         return sum;
       }},
      {"{type: control.time_table, table: [[0.2 s, 1], [0.5 s, 4], [0.6 s, 0]]}",
       [](double t) {
         return t < 0.2 ? 1.0 : t < 0.5 ? 1 + 10 * (t - 0.2) : t < 0.6 ? 4 - 40 * (t - 0.5) : 0.0;
       }},
      {"{type: control.time_table, table: [[0.2 s, 1], [0.5 s, 4]], beyond: continue}",
       [](double t) { return 1 + 10 * (t - 0.2); }},
      {"{type: control.time_table, table: [[0, 0], [0.3 s, 3], [0.6 s, 0]], interpolation: smooth}",
       [](double t) {  // slopes 10, 0, −10
         const double s = t < 0.3 ? t / 0.3 : t < 0.6 ? (0.6 - t) / 0.3 : 0;
         return 3 * s * (1 + s * (1 - s));
       }},
  };
  double worst = 0;
  for (const Source& source : sources) {
    CAPTURE(source.text);
    for (const std::vector<double>& steps :
         {std::vector{0.01}, std::vector{0.0025}, std::vector{0.003, 0.011, 0.0007}}) {
      const Trace trace("k: " + std::string(source.text), steps, 1.0, {"k.output"});
      REQUIRE(trace.t.size() > 50);
      for (std::size_t i = 0; i < trace.t.size(); ++i)
        worst = std::max(worst, std::abs(trace.values[0][i] - source.formula(trace.t[i])));
    }
  }
  fmt::print("sources against their formulas: largest difference {:.1e}\n", worst);
  CHECK(worst < 1e-12);
}

namespace {

/// Is every edge before `until` the end of a step, to the last digits?
bool landed(const Trace& trace, const std::vector<double>& edges, double until) {
  for (std::size_t k = 1; k < edges.size() && edges[k] < until - 1e-9; ++k) {
    double nearest = 1;
    for (const double t : trace.step_ends) nearest = std::min(nearest, std::abs(t - edges[k]));
    if (nearest > 1e-15 * until) return false;
  }
  return true;
}

/// Steps of which multiples of 0.01 s lie at 0, 1/3 or 2/3, on every rung alike.
const double thirds[] = {0.03, 0.0075, 0.001875};

}  // namespace

TEST_CASE("a pulse: steps end at its edges, second order behind it") {
  const double until = 1.95;
  for (const double period : {0.13, 0.1 * std::sqrt(2.0)}) {
    const double width = 0.04, delay = 0.01;
    const std::string pulse = fmt::format(
        "k: {{type: control.pulse, period: {:.17g} s, width: 40 ms, delay: 10 ms, amplitude: 3, offset: "
        "-1}}\n",
        period);
    std::vector<double> edges = {0}, u = {-1};
    for (int k = 0; delay + k * period < until; ++k) {
      edges.push_back(delay + k * period);
      edges.push_back(delay + width + k * period);
      u.push_back(2);
      u.push_back(-1);
    }
    double area = 0;
    for (std::size_t k = 0; k < edges.size() && edges[k] < until; ++k)
      area += u[k] * ((k + 1 < edges.size() ? std::min(edges[k + 1], until) : until) - edges[k]);
    Ladder ladder({"lag behind it"});
    for (const double h : thirds) {
      const Trace trace(pulse + lag, {h}, until, {"x.output", "k.output"});
      CHECK(landed(trace, edges, until));
      for (std::size_t i = 0; i < trace.t.size(); ++i) {
        const auto at = std::upper_bound(edges.begin(), edges.end(), trace.t[i] + 1e-9) - edges.begin() - 1;
        CHECK(trace.values[1][i] == doctest::Approx(u[at]).epsilon(1e-14));
      }
      ladder.add(h, {largest_error(trace, edges, u)});
      const Trace integral(pulse + "x: {type: control.integrator, input: k}\n", {h}, until, {"x.output"});
      CHECK(std::abs(integral.end - area) < 1e-13);  // exact: the integrand is constant within every step
    }
    ladder.print(fmt::format("pulse with a period of {:.4f} s", period));
    if (period == 0.13) ladder.check_second_order(0.1);  // else the edges lie differently on every rung
  }
}

TEST_CASE("held noise: steps end at its samples, second order behind it") {
  const double until = 1.95;
  for (const double interval : {0.07, 0.1 / std::sqrt(3.0)}) {
    const std::string noise = fmt::format(
        "k: {{type: control.noise, sample_time: {:.17g} s, seed: 11, standard_deviation: 2, mean: 1}}\n",
        interval);
    const Trace samples(noise, {interval}, std::ceil(until / interval) * interval, {"k.output"});
    std::vector<double> edges;
    for (std::size_t k = 0; k < samples.t.size(); ++k) edges.push_back(static_cast<double>(k) * interval);
    Ladder ladder({"lag behind it"});
    for (const double h : thirds) {
      const Trace trace(noise + lag, {h}, until, {"x.output", "k.output"});
      CHECK(landed(trace, edges, until));
      for (std::size_t i = 0; i < trace.t.size(); ++i) {
        const auto k = std::upper_bound(edges.begin(), edges.end(), trace.t[i] + 1e-9) - edges.begin() - 1;
        CHECK(std::abs(trace.values[1][i] - samples.values[0][k]) < 1e-14);
      }
      ladder.add(h, {largest_error(trace, edges, samples.values[0])});
    }
    ladder.print(fmt::format("noise held for {:.4f} s", interval));
    if (interval == 0.07) ladder.check_second_order(0.1);
  }
}

TEST_CASE("a table that repeats jumps at its end: second order behind it") {
  // Periods of 0.07 s; the first began at 0.03 − 0.07 s.
  const auto area = [](double t) {
    const double periods = std::floor((t + 0.04) / 0.07 + 1e-12), s = t + 0.04 - 0.07 * periods;
    return 0.14 * periods + s + s * s / 0.07 - (0.04 + 0.04 * 0.04 / 0.07);
  };
  Ladder ladder({"integral"});
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const Trace trace(
        "k: {type: control.time_table, table: [[0.03 s, 1], [0.1 s, 3]], beyond: repeat}\n"
        "x: {type: control.integrator, input: k}",
        {h}, 1.0, {"x.output"});
    double worst = 0;
    for (std::size_t i = 0; i < trace.t.size(); ++i)
      worst = std::max(worst, std::abs(trace.values[0][i] - area(trace.t[i])));
    ladder.add(h, {worst});
    for (int k = 0; 0.03 + 0.07 * k < 1; ++k) {
      double nearest = 1;
      for (const double t : trace.step_ends) nearest = std::min(nearest, std::abs(t - (0.03 + 0.07 * k)));
      CHECK(nearest < 1e-15);
    }
  }
  ladder.print("sawtooth of a repeated table");
  ladder.check_second_order(0.1);
}

TEST_CASE("a million edges: no drift, no memory") {
  const auto resident = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024.0;  // MB
  };
  const std::string pulse = "k: {type: control.pulse, period: 0.3 ms, duty: 0.3}\n";
  const std::string model = pulse + "x: {type: control.integrator, input: k}\n";
  Trace::keep_steps = false;
  const Trace warm(model, {0.5}, 1.0, {"x.output"});
  const double before = resident();
  const Trace trace(model, {0.5}, 150.0, {"x.output"});
  Trace::keep_steps = true;
  fmt::print("a million edges: {} events, integral off by {:.1e}, {:.1f} MB more memory\n",
             trace.statistics.event_count, trace.end - 45.0, resident() - before);
  CHECK(trace.events == 2);
  CHECK(std::abs(trace.statistics.event_count - 1000000) <= 1);
  CHECK(std::abs(trace.end - 45.0) < 1e-9);
#ifndef __SANITIZE_ADDRESS__       // which keeps what is freed
  CHECK(resident() - before < 4);  // a list of edges would take 50
#endif
}

TEST_CASE("noise: the same numbers for every step, others for another seed") {
  for (const char* between : {"hold", "linear", "smooth"}) {
    const auto noise = [&](int seed, std::vector<double> steps, int every) {
      return Trace(
          fmt::format("k: {{type: control.noise, sample_time: 20 ms, seed: {}, between: {}}}", seed, between),
          std::move(steps), 2.0, {"k.output"}, every);
    };
    const Trace coarse = noise(5, {0.01}, 1), fine = noise(5, {0.0025}, 4),
                uneven = noise(5, {0.004, 0.006}, 2), other = noise(6, {0.01}, 1);
    REQUIRE(coarse.t.size() == 201);
    REQUIRE(fine.t.size() == 201);
    REQUIRE(uneven.t.size() == 201);
    int equal = 0;
    for (int i = 0; i <= 200; ++i) {
      CHECK(std::abs(coarse.values[0][i] - fine.values[0][i]) < 1e-12);
      CHECK(std::abs(coarse.values[0][i] - uneven.values[0][i]) < 1e-12);
      equal += coarse.values[0][i] == other.values[0][i];
    }
    CHECK(equal == 0);
    const Trace held =
        Trace("k: {type: control.noise, sample_time: 20 ms, seed: 5}", {0.02}, 2.0, {"k.output"});
    for (int k = 0; k <= 100; ++k)  // all kinds pass through the same samples
      CHECK(std::abs(coarse.values[0][2 * k] - held.values[0][k]) < 1e-11);
  }
}

TEST_CASE("noise: mean, variance, shape and independence within four standard errors") {
  const int n = 20000;
  for (const bool gaussian : {true, false}) {
    const auto samples = [&](int seed) {
      return Trace(fmt::format("k: {{type: control.noise, sample_time: 1 s, seed: {}, mean: 3, "
                               "standard_deviation: 2, distribution: {}}}",
                               seed, gaussian ? "gaussian" : "uniform"),
                   {1.0}, n - 1.0, {"k.output"})
          .values[0];
    };
    const auto a = samples(1), b = samples(2);
    REQUIRE(a.size() == n);
    double mean = 0, m2 = 0, m3 = 0, m4 = 0, next = 0, cross = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
      const double x = (a[i] - 3) / 2, y = (b[i] - 3) / 2;
      mean += x / n;
      m2 += x * x / n;
      m3 += x * x * x / n;
      m4 += x * x * x * x / n;
      cross += x * y / n;
      largest = std::max(largest, std::abs(x));
      if (i > 0) next += x * (a[i - 1] - 3) / 2 / n;
    }
    const double error = 1 / std::sqrt(double(n));  // of a mean of numbers of variance 1
    fmt::print(
        "{}: mean {:.4f}, variance {:.4f}, third moment {:.4f}, fourth {:.4f}, neighbours {:.4f}, other seed "
        "{:.4f}, largest {:.3f}\n",
        gaussian ? "gaussian" : "uniform", mean, m2, m3, m4, next, cross, largest);
    CHECK(std::abs(mean) < 4 * error);
    CHECK(std::abs(m2 - 1) < 4 * error * std::sqrt(gaussian ? 2.0 : 0.8));
    CHECK(std::abs(m3) < 4 * error * std::sqrt(gaussian ? 15.0 : 27.0 / 7));
    CHECK(std::abs(m4 - (gaussian ? 3.0 : 1.8)) < 4 * error * std::sqrt(gaussian ? 96.0 : 9.0 - 3.24));
    CHECK(std::abs(next) < 4 * error);
    CHECK(std::abs(cross) < 4 * error);
    if (!gaussian) CHECK(largest <= std::sqrt(3.0));
  }
}

TEST_CASE("maps of one signal follow their formulas") {
  struct Block {
    const char* text;
    double (*formula)(double);
  };
  const Block blocks[] = {
      {"{type: control.saturation, minimum: -1, maximum: 2}",
       [](double u) { return std::clamp(u, -1.0, 2.0); }},
      {"{type: control.saturation, minimum: -1, maximum: 2, smooth: 1}",
       [](double u) {
         if (std::abs(u - 2) < 0.5) return u - (u - 1.5) * (u - 1.5) / 2;
         if (std::abs(u + 1) < 0.5) return u + (-0.5 - u) * (-0.5 - u) / 2;
         return std::clamp(u, -1.0, 2.0);
       }},
      {"{type: control.dead_zone, lower: -1, upper: 0.5}",
       [](double u) { return u > 0.5  ? u - 0.5
                             : u < -1 ? u + 1
                                      : 0; }},
      {"{type: control.relay, threshold: 1, width: 0.2, low: 0, high: 4}",
       [](double u) { return 4 / (1 + std::exp(-2 * (u - 1) / 0.2)); }},
      {"{type: control.quantiser, interval: 1, smooth: 0.2}",
       [](double u) {
         const double below = std::floor(u), s = (u - below - 0.4) / 0.2;
         return below + (s < 0 ? 0 : s > 1 ? 1 : s * s * (3 - 2 * s));
       }},
      {"{type: control.absolute}", [](double u) { return std::abs(u); }},
      {"{type: control.absolute, smooth: 1}",
       [](double u) { return std::abs(u) < 0.5 ? u * u + 0.25 : std::abs(u); }},
      {"{type: control.norm, smooth: 1}",
       [](double u) { return std::abs(u) < 0.5 ? u * u + 0.25 : std::abs(u); }},
      {"{type: control.comparison, constant: 1, width: 2}",
       [](double u) {
         const double s = u / 2;
         return s < 0 ? 0 : s > 1 ? 1 : s * s * (3 - 2 * s);
       }},
      {"{type: control.table, table: [[-1, 2], [0, 0], [2, 1]], beyond: hold}",
       [](double u) {
         return u < -1 ? 2 : u < 0 ? -2 * u : u < 2 ? u / 2 : 1;
       }},
  };
  double worst = 0;
  for (const Block& block : blocks) {
    CAPTURE(block.text);
    std::string text = block.text;
    text.insert(text.size() - 1, ", input: u");
    const Trace trace("u: {type: control.ramp, slope: 6, offset: -3}\nk: " + text, {1.0 / 997}, 1.0,
                      {"k.output"});
    for (std::size_t i = 0; i < trace.t.size(); ++i)
      worst = std::max(worst, std::abs(trace.values[0][i] - block.formula(-3 + 6 * trace.t[i])));
  }
  fmt::print("maps against their formulas: largest difference {:.1e}\n", worst);
  CHECK(worst < 1e-12);
}

TEST_CASE("comparison and logic jump where their inputs pass the threshold") {
  for (const double h : {0.01, 0.0023}) {
    const Trace trace(
        "u: {type: control.sine, frequency: 1 Hz}\nv: {type: control.sine, frequency: 1 Hz, phase: 90 deg}\n"
        "a: {type: control.comparison, input: u, constant: 0.5}\n"
        "b: {type: control.comparison, input: v, relation: \"<\", constant: 0}\n"
        "k: {type: control.logic, operation: and, inputs: [a, b]}\n"
        "x: {type: control.integrator, input: k}",
        {h}, 3.0, {"x.output", "k.output"});
    for (std::size_t i = 0; i < trace.t.size(); ++i) {
      const double phase = 2 * pi * trace.t[i];
      if (std::abs(std::sin(phase) - 0.5) < 1e-9 || std::abs(std::cos(phase)) < 1e-9) continue;
      CHECK(trace.values[1][i] == (std::sin(phase) > 0.5 && std::cos(phase) < 0 ? 1.0 : 0.0));
    }
    CHECK(std::abs(trace.end - 3.0 / 6) < 1e-9);  // from 90° to 150°; two jumps a second
  }
}

TEST_CASE("quotients start from signals that are not known yet") {
  const Trace trace(
      "u: {type: control.sine, frequency: 1 Hz, offset: 3}\nv: {type: control.gain, gain: 2, input: u}\n"
      "k: {type: control.product, inputs: [u, v, v], signs: \"*//\"}",
      {0.01}, 1.0, {"k.output"});
  for (std::size_t i = 0; i < trace.t.size(); ++i)
    CHECK(trace.values[0][i] == doctest::Approx(0.25 / (3 + std::sin(2 * pi * trace.t[i]))).epsilon(1e-11));
}

TEST_CASE("hysteresis switches at its thresholds") {
  // A saddle-node passed at the rate r: the switch is late by 2.338 (width / x_f)^(1/3) (r T)^(2/3) + O(r T log), where
  // x_f is the state at the fold; 2.338 is the first zero of the Airy function.
  const double T = 1e-3, width = 0.25, lower = -0.5, upper = 1.5;
  double w = 2;  // of the fold, in units of the width
  for (int i = 0; i < 60; ++i) {
    const double x = std::sqrt(1 - 1 / w);
    w += (0.5 * (upper - lower) / width - (w * x - std::atanh(x))) / x;
  }
  const double fold = std::sqrt(1 - 1 / w);
  for (const double rate : {1.0, 0.125, 0.015625}) {
    const auto switched = [&](bool rising) {
      const double margin = 0.1, until = 0.6 / rate;
      const double from = rising ? upper - margin : lower + margin;
      const Trace trace(
          fmt::format(
              "u: {{type: control.ramp, slope: {}, offset: {}}}\ny: {{type: control.hysteresis, lower: {}, "
              "upper: {}, width: {}, time: {} s, input: u, initial: {{output: {}}}}}",
              rising ? rate : -rate, from, lower, upper, width, T, rising ? -1 : 1),
          {2e-4}, until, {"y.output", "u.output"});
      for (std::size_t i = 0; i < trace.t.size(); ++i)
        if (rising == (trace.values[0][i] > 0) && trace.t[i] > 0.02) return trace.values[1][i];
      return double(NAN);
    };
    const double late = 2.33811 * std::cbrt(width / fold) * std::pow(rate * T, 2.0 / 3);
    const double up = switched(true) - upper, down = lower - switched(false);
    fmt::print("hysteresis at {:.4f}/s: late by {:.5f} up, {:.5f} down; theory {:.5f}\n", rate, up, down,
               late);
    CHECK(std::abs(up - late) < 5 * rate * T);
    CHECK(std::abs(down - late) < 5 * rate * T);
  }
}

TEST_CASE("backlash: the width of its loop is the gap") {
  const double T = 2e-3, gap = 0.6, rate = 4;
  const Trace trace(
      "u: {type: control.time_table, table: [[0, -1], [0.5 s, 1], [1 s, -1]], beyond: repeat}\n"
      "y: {type: control.backlash, gap: 0.6, time: 2 ms, input: u}",
      {1e-3}, 2.0, {"y.output", "u.output"});
  for (const int i : {1250, 1300}) {  // rising at 1.25 s and 1.3 s; falling through the same inputs later
    const int back = 3000 - i;
    REQUIRE(trace.values[1][i] == doctest::Approx(trace.values[1][back]));
    CHECK(trace.values[0][back] - trace.values[0][i] == doctest::Approx(gap + 2 * T * rate).epsilon(1e-9));
  }
}

TEST_CASE("a rate limiter: ramps at its limits, then an exponential") {
  const double T = 0.02, up = 10, down = 4;
  const auto exact = [&](double t) {  // from 0 to 1 at t = 0, back to 0 at t = 1
    const double corner = (1 - up * T) / up;
    if (t < 1) return t < corner ? up * t : 1 - up * T * std::exp(-(t - corner) / T);
    const double back = (1 - down * T) / down;  // (what is left of the exponential is below 1e-19)
    return t - 1 < back ? 1 - down * (t - 1) : down * T * std::exp(-(t - 1 - back) / T);
  };
  Ladder ladder({"largest error"});
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const Trace trace(
        "u: {type: control.pulse, period: 3 s, width: 1 s}\n"
        "y: {type: control.rate_limiter, rising: 10, falling: 4, time: 20 ms, input: u}",
        {h}, 2.0, {"y.output"});
    double worst = 0;
    for (std::size_t i = 0; i < trace.t.size(); ++i)
      worst = std::max(worst, std::abs(trace.values[0][i] - exact(trace.t[i])));
    ladder.add(h, {worst});
  }
  ladder.print("rate limiter");
  for (std::size_t r = 1; r < ladder.h.size(); ++r) CHECK(ladder.error(r, 0) < ladder.error(r - 1, 0) / 3);
}
