// How large unknowns are is learnt, or stated: what is small is as accurate as what is large (T-scale).
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

constexpr double pi = std::numbers::pi;

bool warns(const TextRun& run, std::string_view code) {
  for (const Warning& w : run.statistics.warnings)
    if (w.code == code) return true;
  return false;
}

/// By which part of itself.
double off(double x, double exact) { return std::abs(x - exact) / std::abs(exact); }

std::string oscillator(double mass, double frequency, double amplitude) {
  return fmt::format(R"yaml(
    m: {{type: translational.mass, mass: {:.17g}, initial: {{position: {:.17g}}}}}
    k: {{type: translational.spring, stiffness: {:.17g}, between: [ground, m]}})yaml",
                     mass, amplitude, mass * std::pow(2 * pi * frequency, 2));
}

}  // namespace

// The error of the tolerance is one of the phase: over ten periods at most 2π·10 radians for each part of it.
TEST_CASE("an oscillator of micrometres is as accurate as one of metres") {
  struct {
    double mass, frequency, amplitude;  // kg, Hz, m
  } const cases[] = {{1, 1, 1e-6}, {1, 1, 1e-3},       {0.02, 30, 4e-5},  {700, 0.2, 2.5e-6},
                     {3, 8, 0.2},  {5e-12, 1e4, 1e-9}, {2e-6, 1e5, 3e-10}};
  for (const auto& c : cases)
    for (const double tolerance : {1e-3, 1e-5}) {
      INFO(c.amplitude, " m, ", c.frequency, " Hz, tolerance ", tolerance);
      const TextRun run(oscillator(c.mass, c.frequency, c.amplitude),
                        fmt::format("until: {}, adaptive: true, tolerance: {}", 10 / c.frequency, tolerance),
                        {"m.position", "m.velocity"}, "units: SI");
      const double omega = 2 * pi * c.frequency;
      // What velocities are off by is relative to their own size: to the same phase.
      CHECK(std::abs(run.last[0] - c.amplitude) < 10 * tolerance * c.amplitude);
      CHECK(std::abs(run.last[1]) < 10 * tolerance * omega * c.amplitude);
      CHECK_FALSE(warns(run, "W-SMALL"));
    }
}

TEST_CASE("a filter of microvolts is as accurate as one of volts") {
  struct {
    double amplitude, frequency, tau;  // V, Hz, s
  } const cases[] = {{1e-6, 50, 1e-3}, {3e-5, 400, 2e-3}, {2e-3, 7, 0.05}, {5, 50, 1e-3}};
  for (const auto& c : cases)
    for (const double tolerance : {1e-3, 1e-6}) {
      INFO(c.amplitude, " V, ", c.frequency, " Hz, tolerance ", tolerance);
      const double until = 5 / c.frequency, a = 2 * pi * c.frequency * c.tau;
      const TextRun run(fmt::format(R"yaml(
    v: {{type: electric.voltage_source, sine: {{amplitude: {}, frequency: {}}}, between: [i, ground]}}
    r: {{type: electric.resistor, resistance: 1000, between: [i, o]}}
    c: {{type: electric.capacitor, capacitance: {}, between: [o, ground]}})yaml",
                                    c.amplitude, c.frequency, c.tau / 1000),
                        fmt::format("until: {:.17g}, adaptive: true, tolerance: {}", until, tolerance),
                        {"o.voltage"}, "units: SI\nnodes: {electrical: [i, o]}");
      const double exact = c.amplitude / (1 + a * a) * a * (std::exp(-until / c.tau) - 1);
      CHECK(std::abs(run.last[0] - exact) < 10 * tolerance * c.amplitude);
    }
}

// Robertson's reaction (1966); the second unknown never exceeds 3.65e-5. Figures at t = 40 s as in the documentation of LSODE
// (Hindmarsh 1980), at 0.4 s from a Taylor series in 34 digits.
TEST_CASE("the radical of Robertson's reaction") {
  const std::string model = R"yaml(
    r: {type: math.equations, unknowns: {a: {kind: state, initial: 1}, b: {kind: state, initial: 0}, c: {kind: state, initial: 0}},
        equations: {a: "der(a) = (-0.04*a + 1e4*b*c)/(1 s)",
                    b: "der(b) = (0.04*a - 1e4*b*c - 3e7*b^2)/(1 s)", c: "der(c) = 3e7*b^2/(1 s)"}})yaml";
  for (const double tolerance : {1e-2, 3e-3, 1e-4, 1e-6}) {
    INFO("tolerance ", tolerance);
    const TextRun run(
        model, fmt::format("until: 40 s, adaptive: true, tolerance: {}, output_at: [0.4 s]", tolerance),
        {"r.a", "r.b", "r.c"});
    CHECK(off(run.last[0], 0.7158270687) < 10 * tolerance);
    CHECK(off(run.last[1], 9.185534764e-6) < 10 * tolerance);
    CHECK(off(run.last[2], 0.2841637457) < 10 * tolerance);
    CHECK(off(run.at(0.4)[1], 3.386395379e-5) < 10 * tolerance + 1e-6);
  }
}

// Sizes are those of vectors: which way the axes point does not decide how many steps there are.
TEST_CASE("small motion in the plane and in space takes the same steps whatever its direction") {
  for (const double size : {1e-5, 0.3}) {
    std::size_t plane = 0, space = 0;
    for (const double angle : {0.0, 0.3, 0.785, 1.3}) {
      const double x = size * std::cos(angle), y = size * std::sin(angle), k = 40;
      const std::string settings = "until: 4, adaptive: true, tolerance: 1e-4";
      const TextRun p(fmt::format(R"yaml(
    m: {{type: planar.mass, mass: 1, initial: {{position: [{}, {}], velocity: [{}, {}]}}}}
    f: {{type: planar.spring, stiffness: {}, rest_length: {}, between: [ground, m]}})yaml",
                                  x, y, -y, x, k, 0.6 * size),
                      settings, {}, "units: SI");
      const TextRun s(fmt::format(R"yaml(
    m: {{type: body.sphere, radius: 0.1, density: 100, initial: {{position: [{0}, {1}, 0]}}}}
    f: {{type: force.bushing, between: [ground, m], translation_stiffness: [{2}, {2}, {2}], rotation_stiffness: [1, 1, 1]}})yaml",
                                  x, y, k),
                      settings, {}, "units: SI\ngravity: none");
      if (plane == 0) plane = p.statistics.steps, space = s.statistics.steps;
      CHECK(std::abs(double(p.statistics.steps) - double(plane)) <= 0.02 * double(plane) + 1);
      CHECK(std::abs(double(s.statistics.steps) - double(space)) <= 0.02 * double(space) + 1);
    }
  }
}

TEST_CASE("what no step was chosen by is named, unless it is stated how large it is") {
  for (const double amplitude : {3e-8, 1e-9, 2e-11}) {
    INFO(amplitude, " m");
    const std::string settings = "until: 2, adaptive: true, tolerance: 1e-4",
                      model = oscillator(1, 1, amplitude);
    const TextRun silent(model, settings, {}, "units: SI");
    CHECK(warns(silent, "W-SMALL"));
    const TextRun stated(model, settings, {"m.position"},
                         fmt::format("units: SI\nnominal: {{m.position: {}}}", amplitude));
    CHECK_FALSE(warns(stated, "W-SMALL"));
    CHECK(std::abs(stated.last[0] - amplitude) < 1e-3 * amplitude);
  }
  // What is at rest is not.
  CHECK_FALSE(warns(TextRun(oscillator(1, 1, 0.1) + R"yaml(
    rest: {type: translational.mass, mass: 1})yaml",
                            "until: 2, adaptive: true, tolerance: 1e-4", {}, "units: SI"),
                    "W-SMALL"));
}

// Newton's method: y³ = A³ (1 + t) and y² = A² (1 + t) x, with x' = −x.
TEST_CASE("small signals are converged relative to their own size, whatever the scheme and the steps") {
  for (const std::string steps :
       {"step: 0.1", "step: 0.1, scheme: variational", "step: 0.1, scheme: generalized-alpha, rho: 0",
        "adaptive: true, tolerance: 1e-4"})
    for (const double A : {1e-3, 1e-6, 1e-10, 3e-13}) {
      INFO(steps, ", A = ", A);
      const TextRun run(fmt::format(R"yaml(
    e: {{type: math.equations, unknowns: {{y: {{kind: signal, initial: {0}}}, z: {{kind: signal, initial: {0}}}, x: {{kind: state, initial: 1}}}},
        equations: {{y: "y^3 = {0}^3*(1 + t/(1 s))", z: "z^2 = {0}^2*(1 + t/(1 s))*x", x: "der(x) = -x/(1 s)"}}}})yaml",
                                    A),
                        "until: 1, " + steps, {"e.y", "e.z", "e.x"}, "units: SI");
      for (std::size_t i = 0; i < run.rows.size(); ++i) {
        CHECK(off(run.rows[i][0], A * std::cbrt(1 + run.t[i])) < 2e-6);
        CHECK(off(run.rows[i][1], A * std::sqrt((1 + run.t[i]) * run.rows[i][2])) < 2e-6);
      }
    }
}
