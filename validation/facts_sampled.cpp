// Sampled controllers: closed loops against the exact discrete-time solution, several rates, delays of computing, aliasing,
// instability where theory says, order within one sample.
#include <fmt/format.h>

#include <array>
#include <numbers>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;
using Real = long double;

/// exp(A t), by Taylor's series of a small part and squaring.
template <int n>
std::array<std::array<Real, n>, n> exponential(const std::array<std::array<Real, n>, n>& A, Real t) {
  using Matrix = std::array<std::array<Real, n>, n>;
  const auto product = [](const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
  };
  Matrix small = A, sum{}, term{};
  for (auto& row : small)
    for (Real& x : row) x *= t / 1024;
  for (int i = 0; i < n; ++i) sum[i][i] = term[i][i] = 1;
  for (int k = 1; k < 20; ++k) {
    term = product(term, small);
    for (auto& row : term)
      for (Real& x : row) x /= k;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum[i][j] += term[i][j];
  }
  for (int k = 0; k < 10; ++k) sum = product(sum, sum);
  return sum;
}

/// Values of a channel at the rows.
std::vector<double> column(const TextRun& run, int channel) {
  std::vector<double> values;
  for (const auto& row : run.rows) values.push_back(row[channel]);
  return values;
}

}  // namespace

TEST_CASE("a sampled loop around an oscillator: the exact discrete-time solution to 1e-9") {
  // x″ = −20 x − 0.5 x′ + u, u held for T = 50 ms; controller z₊ = 0.5 z + x + 0.2 v, u = −3 z − 2 x − v.
  const std::string text = R"yaml(
  law:    {type: sampled.state_space, period: 50 ms, A: [[0.5]], B: [[1, 0.2]], C: [[-3]], D: [[-2, -1]], input: [mass.position, mass.velocity], unit: N}
  push:   {type: translational.force, at: mass, input: law}
  mass:   {type: translational.mass, mass: 1 kg, initial: {position: 0.3 m}}
  spring: {type: translational.spring, stiffness: 20 N/m, between: [ground, mass]}
  damper: {type: translational.damper, damping: 0.5 N*s/m, between: [ground, mass]})yaml";
  const std::array<std::array<Real, 3>, 3> A{{{0, 1, 0}, {-20, -0.5L, 1}, {0, 0, 0}}};
  const auto E = exponential<3>(A, 0.05L);
  for (const std::string settings : {"until: 2 s, adaptive: true, tolerance: 3e-10, output_every: 50 ms",
                                     "until: 2 s, step: 5 us, output_every: 50 ms"}) {
    const TextRun run(text, settings, {"mass.position", "mass.velocity", "law"});
    REQUIRE(run.rows.size() == 41);
    Real x = 0.3L, v = 0, z = 0, worst = 0;
    for (const auto& row : run.rows) {
      const Real u = -3 * z - 2 * x - v;
      z = 0.5L * z + x + 0.2L * v;
      worst = std::max({worst, std::abs(row[0] - x), std::abs(row[1] - v), std::abs(row[2] - u)});
      const Real next = E[0][0] * x + E[0][1] * v + E[0][2] * u;
      v = E[1][0] * x + E[1][1] * v + E[1][2] * u;
      x = next;
    }
    fmt::print("sampled loop, {}: largest error {:.1e}\n", settings, static_cast<double>(worst));
    CHECK(worst < 1e-9);
    CHECK(run.statistics.samples == 41);
  }
}

TEST_CASE("samples are taken at exact instants, at several rates, and come out after the time of computing") {
  const TextRun run(R"yaml(
  wave: {type: control.sine, amplitude: 1, frequency: 1.7 Hz}
  fast: {type: sampled.hold, period: 30 ms, input: wave}
  slow: {type: sampled.hold, period: 50 ms, offset: 20 ms, input: wave}
  late: {type: sampled.hold, period: 50 ms, delay: 12 ms, input: wave}
  back: {type: sampled.delay, period: 30 ms, samples: 3, input: wave, initial: {output: 7}})yaml",
                    "until: 1 s, step: 7 ms", {"fast", "slow", "late", "back"});
  const auto held = [](double t, double period, double offset, double delay) {
    const double k = std::floor((t - offset - delay) / period + 1e-9);
    return k < 0 ? 0.0 : std::sin(2 * pi * 1.7 * (offset + k * period));
  };
  double shortest = 1;
  for (const double h : run.sizes) shortest = std::min(shortest, h);
  CHECK(shortest > 0.9e-3);  // all instants are whole ms: no tiny leftovers
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const double t = run.t[k];
    CHECK(std::abs(run.rows[k][0] - held(t, 0.03, 0, 0)) < 1e-12);
    CHECK(std::abs(run.rows[k][1] - held(t, 0.05, 0.02, 0)) < 1e-12);
    CHECK(std::abs(run.rows[k][2] - held(t, 0.05, 0, 0.012)) < 1e-12);
    const double n = std::floor(t / 0.03 + 1e-9);
    CHECK(std::abs(run.rows[k][3] - (n < 3 ? 7.0 : std::sin(2 * pi * 1.7 * 0.03 * (n - 3)))) < 1e-12);
  }
}

TEST_CASE("aliasing: 9 Hz sampled at 10 Hz is 1 Hz backwards") {
  const TextRun run(R"yaml(
  fast: {type: control.sine, amplitude: 1, frequency: 9 Hz}
  slow: {type: control.sine, amplitude: -1, frequency: 1 Hz}
  a: {type: sampled.hold, period: 0.1 s, input: fast}
  b: {type: sampled.hold, period: 0.1 s, input: slow})yaml",
                    "until: 3 s, step: 10 ms", {"a", "b"});
  for (const auto& row : run.rows) CHECK(std::abs(row[0] - row[1]) < 1e-12);
}

TEST_CASE("instability by the period and by the time of computing, where theory says") {
  // ẋ = −K x(t_k), T = 0.1 s. At once: stable for K T < 2. A sample late: z² − z + K T, K T < 1. Late by δ: z² − (1 − K (T − δ)) z +
  // K δ: K δ < 1 and K (T − 2 δ) < 2.
  const auto growth = [](const std::string& law, double K) {
    const TextRun run(fmt::format(R"yaml(
  x:   {{type: control.integrator, gain: {}, input: law, initial: {{output: 1}}}}
  law: {{type: sampled.{}, input: x}})yaml",
                                  -K, law),
                      "until: 40 s, step: 0.1 s", {"x"});
    return std::abs(run.last[0]);
  };
  CHECK(growth("hold, period: 0.1 s", 19.5) < 1e-3);
  CHECK(growth("hold, period: 0.1 s", 20.5) > 1e3);
  CHECK(growth("delay, period: 0.1 s", 9.7) < 1e-1);
  CHECK(growth("delay, period: 0.1 s", 10.3) > 1e1);
  CHECK(growth("hold, period: 0.1 s, delay: 40 ms", 24.5) < 1e-1);
  CHECK(growth("hold, period: 0.1 s, delay: 40 ms", 25.5) > 1e1);
}

TEST_CASE(
    "within one sample signals go through at once, whatever the order; a loop without a delay is told") {
  const TextRun run(R"yaml(
  last:   {type: sampled.hold, period: 0.1 s, input: twice}
  twice:  {type: control.gain, gain: 2, input: first}
  sum:    {type: control.sum, inputs: [twice, last]}
  total:  {type: sampled.hold, period: 0.1 s, input: sum}
  first:  {type: sampled.hold, period: 0.1 s, input: wave}
  wave:   {type: control.ramp, slope: 1})yaml",
                    "until: 1 s, step: 50 ms", {"last", "total"});
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const double at = 0.1 * std::floor(run.t[k] / 0.1 + 1e-9);
    CHECK(std::abs(run.rows[k][0] - 2 * at) < 1e-12);
    CHECK(std::abs(run.rows[k][1] - 4 * at) < 1e-12);
  }
  // A sensor of what moves reads just before the command changes: acceleration feedback has no loop.
  const TextRun feedback(R"yaml(
  mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
  rest: {type: control.constant, value: 1 N, unit: N}
  pull: {type: translational.force, at: mass, input: rest}
  law:  {type: sampled.state_space, period: 0.1 s, A: [[0]], B: [[0]], C: [[0]], D: [[-2]], input: mass.acceleration, unit: N}
  push: {type: translational.force, at: mass, input: law})yaml",
                         "until: 0.35 s, step: 50 ms", {"law"});
  // f₊ = −2 (1 + f): −2, 2, −6, 10.
  std::vector<double> seen;
  for (const double f : column(feedback, 0))
    if (seen.empty() || f != seen.back()) seen.push_back(f);
  REQUIRE(seen.size() == 4);
  CHECK(std::abs(seen[0] + 2) < 1e-9);
  CHECK(std::abs(seen[1] - 2) < 1e-9);
  CHECK(std::abs(seen[2] + 6) < 1e-9);
  CHECK(std::abs(seen[3] - 10) < 1e-9);
}

TEST_CASE(
    "discrete PID, quantiser, rate limiter, moving filters, machine, C function: their own recursions") {
  const double T = 0.02;
  const TextRun run(R"yaml(
  target: {type: control.step, time: 0.1 s, after: 2}
  plant:  {type: control.first_order, time_constant: 0.2 s, input: pid}
  pid:    {type: sampled.pid, period: 20 ms, kp: 3, ki: 20 1/s, kd: 0.05 s, derivative_filter: 30 ms, minimum: -1, maximum: 2.5, anti_windup: back_calculation, tracking_time: 0.1 s, setpoint: target, measurement: plant}
  adc:    {type: sampled.quantiser, period: 20 ms, interval: 0.25, maximum: 1.5, input: plant}
  ramp:   {type: sampled.rate_limiter, period: 20 ms, rising: 5 1/s, falling: 2 1/s, input: target}
  mean:   {type: sampled.moving_filter, period: 20 ms, samples: 3, input: plant}
  median: {type: sampled.moving_filter, period: 20 ms, samples: 4, kind: median, input: plant}
  tf:     {type: sampled.transfer_function, period: 20 ms, numerator: [1, 0.5], denominator: [2, -1, 0.25], input: plant}
  mode:   {type: sampled.state_machine, period: 20 ms, inputs: {x: plant}, states: {low: 0, high: 5, rest: 1}, transitions: {low to high: x > 1, high to rest: elapsed > 0.1 s - 1 ms, rest to low: x < 0.5}})yaml",
                    "until: 1 s, step: 20 us, output_every: 20 ms",
                    {"plant", "pid", "adc", "ramp", "mean", "median", "tf", "mode.1"});
  double x = 0, integral = 0, last_x = 0, D = 0, limited = 0, y1 = 0, y2 = 0, u1 = 0, u2 = 0;
  int state = 0, entered = 0;
  std::vector<double> window;
  REQUIRE(run.rows.size() == 51);
  const double decay = std::exp(-T / 0.2);
  for (int k = 0; k <= 50; ++k) {
    const auto& row = run.rows[k];
    const double r = k >= 5 ? 2.0 : 0.0;
    CHECK(std::abs(row[0] - x) < 1e-7);
    double next = integral + 20 * T * (r - x);
    if (k > 0) D = (0.03 * D - 0.05 * (x - last_x)) / (0.03 + T);
    const double demand = 3 * (r - x) + next + D, u = std::clamp(demand, -1.0, 2.5);
    next += T / 0.1 * (u - demand);
    integral = next;
    last_x = x;
    CHECK(std::abs(row[1] - u) < 1e-5);
    if (std::abs(std::fmod(x / 0.25, 1.0) - 0.5) > 1e-4)
      CHECK(std::abs(row[2] - std::min(1.5, 0.25 * std::round(x / 0.25))) < 1e-12);
    limited = std::clamp(r, limited - 2 * T, limited + 5 * T);
    CHECK(std::abs(row[3] - limited) < 1e-12);
    window.push_back(x);
    const std::size_t n = window.size(), three = std::min<std::size_t>(n, 3),
                      four = std::min<std::size_t>(n, 4);
    double mean = 0;
    for (std::size_t i = n - three; i < n; ++i) mean += window[i] / static_cast<double>(three);
    CHECK(std::abs(row[4] - mean) < 1e-7);
    std::vector<double> sorted(window.end() - static_cast<std::ptrdiff_t>(four), window.end());
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::abs(row[5] - (four % 2 == 1 ? sorted[four / 2]
                                           : 0.5 * (sorted[four / 2 - 1] + sorted[four / 2]))) < 1e-7);
    const double y = (u1 + 0.5 * u2 + y1 - 0.25 * y2) / 2;  // degree 1 over 2: one sample late
    CHECK(std::abs(row[6] - y) < 1e-7);
    y2 = y1, y1 = y, u2 = u1, u1 = x;
    if (state == 0 && x > 1) state = 1, entered = k;
    else if (state == 1 && k - entered >= 5) state = 2, entered = k;
    else if (state == 2 && x < 0.5) state = 0;
    CHECK(row[7] == (state == 0 ? 0 : state == 1 ? 5 : 1));
    x = decay * x + (1 - decay) * u;
  }
}
