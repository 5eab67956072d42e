// Runs that cannot be right end with a message; runs that are right have none (T-alarm).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

constexpr double pi = std::numbers::pi;
const std::string si = "units: SI";

TextRun run(const std::string& model, const std::string& settings) {
  return TextRun(model, settings, {}, si, true);
}

const Warning* find(const TextRun& run, std::string_view code) {
  const auto& list = run.statistics.warnings;
  const auto found = std::ranges::find(list, code, &Warning::code);
  return found == list.end() ? nullptr : &*found;
}

bool alarmed(const TextRun& run) {
  return find(run, "W-UNRESOLVED") || find(run, "W-ENERGY") || find(run, "W-VIOLATED") ||
         !run.failure.empty();
}

std::string oscillator(double mass, double stiffness, double amplitude) {
  return fmt::format(
      "  m: {{type: translational.mass, mass: {}, initial: {{position: {}}}}}\n"
      "  k: {{type: translational.spring, between: [ground, m], stiffness: {}}}\n",
      mass, amplitude, stiffness);
}

std::string swing(double length, double gravity, double angle) {
  return fmt::format(
      "  p: {{type: planar.mass, mass: 1, gravity: [0, {}], initial: {{position: [{}, {}]}}}}\n"
      "  r: {{type: planar.distance, length: {}, between: [ground, p]}}\n",
      -gravity, length * std::sin(angle), -length * std::cos(angle), length);
}

const char* const schemes[] = {"generalized-alpha", "variational", "spook"};

}  // namespace

TEST_CASE("an oscillation that steps do not resolve: whose, how fast, and which step would do") {
  struct {
    double mass, frequency, amplitude, step;
  } const cases[] = {{1, 100, 0.01, 0.1}, {0.02, 3000, 2e-6, 1e-3}, {5e4, 0.2, 3, 3}, {7, 40, 1e-4, 0.008}};
  for (const auto& c : cases) {
    const double omega = 2 * pi * c.frequency;
    const std::string model = oscillator(c.mass, c.mass * omega * omega, c.amplitude);
    for (const std::string scheme : schemes) {
      INFO(scheme, " ", c.frequency, " Hz");
      const TextRun coarse =
          run(model, fmt::format("until: {}, step: {}, scheme: {}", 200 * c.step, c.step, scheme));
      CHECK(alarmed(coarse));
      if (const Warning* w = find(coarse, "W-UNRESOLVED")) {  // rows hold at both ends of a step: v̇ = −ω²q
        CHECK(w->component == "m");
        CHECK(w->time <= 2 * c.step);
        CHECK_MESSAGE(w->hint.find(fmt::format("{:.2g} s", 0.3 / omega)) != std::string::npos, w->hint);
      }
      const TextRun fine =
          run(model, fmt::format("until: {}, step: {}, scheme: {}", 20 / omega, 0.3 / omega, scheme));
      CHECK_FALSE(alarmed(fine));
    }
  }
}

TEST_CASE("a swing in steps of half its period") {
  struct {
    double length, gravity, angle;
  } const cases[] = {{1, 9.81, 1.57}, {0.05, 9.81, 0.3}, {40, 1.62, 1.0}, {2, 25, 2.0}};
  for (const auto& c : cases) {
    const double period = 2 * pi * std::sqrt(c.length / c.gravity);
    for (const std::string scheme : schemes) {
      INFO(scheme, " ", c.length, " m");
      CHECK(alarmed(run(swing(c.length, c.gravity, c.angle),
                        fmt::format("until: {}, step: {}, scheme: {}", 20 * period, 0.5 * period, scheme))));
      CHECK_FALSE(
          alarmed(run(swing(c.length, c.gravity, c.angle),
                      fmt::format("until: {}, step: {}, scheme: {}", 3 * period, 0.005 * period, scheme))));
    }
  }
}

TEST_CASE("growth without bound: x' = a x³ has no solution beyond 1/(2 a x₀²)") {
  struct {
    double a, start;
  } const cases[] = {{1, 1}, {0.02, 3}, {400, 0.1}, {1, -20}};
  for (const auto& c : cases) {
    const double end = 1 / (2 * c.a * c.start * c.start);
    const std::string model = fmt::format(
        "  e: {{type: math.equations, unknowns: {{x: {{kind: state, initial: {}}}}}, equations: "
        "{{x: \"der(x) = {}*x^3\"}}}}\n",
        c.start, c.a);
    for (const std::string scheme : schemes) {
      INFO(scheme, " ", c.a, " ", c.start);
      CHECK(alarmed(run(model, fmt::format("until: {}, step: {}, scheme: {}", 5 * end, 0.01 * end, scheme))));
      CHECK_FALSE(
          alarmed(run(model, fmt::format("until: {}, step: {}, scheme: {}", 0.9 * end, 0.01 * end, scheme))));
    }
  }
}

TEST_CASE("a crank that its rod cannot follow locks at asin(rod/crank)/speed") {
  struct {
    double crank, rod, speed, mass;
  } const cases[] = {{1, 0.5, 3, 1}, {0.1, 0.06, 20, 0.3}, {4, 3.5, 0.5, 900}, {1, 0.2, -3, 1}};
  for (const auto& c : cases) {
    const double locks = std::asin(c.rod / c.crank) / std::abs(c.speed);
    const std::string model = fmt::format(
        "  p: {{type: planar.mass, mass: {3}, initial: {{position: [{0}, 0], velocity: [0, {4}]}}}}\n"
        "  q: {{type: planar.mass, mass: {3}, initial: {{position: [{5}, 0]}}}}\n"
        "  a: {{type: planar.distance, length: {0}, between: [ground, p]}}\n"
        "  b: {{type: planar.distance, length: {1}, between: [p, q]}}\n"
        "  e: {{type: math.equations, points: {{q: q}}, unknowns: {{n: {{kind: multiplier}}}}, equations: "
        "{{n: q.y = 0}}}}\n"
        "  d: {{type: math.equations, points: {{p: p}}, unknowns: {{m: {{kind: multiplier}}}}, equations: "
        "{{m: \"p.x*sin(({2} rad/s)*t) - p.y*cos(({2} rad/s)*t) = 0\"}}}}\n",
        c.crank, c.rod, c.speed, c.mass, c.crank * c.speed, c.crank + c.rod);
    for (const std::string scheme : {"spook", "variational"}) {
      INFO(scheme, " ", c.crank, " ", c.rod);
      const TextRun beyond =
          run(model, fmt::format("until: {}, step: {}, scheme: {}", 6 * locks, 0.03 * locks, scheme));
      CHECK(alarmed(beyond));
      double first = beyond.failure.empty() ? INFINITY : beyond.state.t;
      for (const Warning& w : beyond.statistics.warnings)
        if (w.time > 0.5 * locks) first = std::min(first, w.time);
      CHECK(first > 0.9 * locks);
      CHECK(first < 2 * locks);
      CHECK_FALSE(alarmed(
          run(model, fmt::format("until: {}, step: {}, scheme: {}", 0.9 * locks, 0.01 * locks, scheme))));
    }
  }
}
