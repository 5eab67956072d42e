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

// ------------------------------------------------------------------ what is right stays silent

TEST_CASE("what is held at rest has no energy in play, whatever holds it") {
  struct {
    double mass, length, height, gravity;
  } const cases[] = {{1, 1, 0, 9.81}, {1, 1, 1e-3, 9.81}, {500, 3, 0, 1.62}, {0.02, 0.1, 0, 25}};
  const char* const holds[] = {
      "  j: {{type: joint.revolute, between: [ground, a], at: [0, 0, {0}], axis: [0, 1, 0]}}\n"
      "  d: {{type: rotational.motion, at: j, angle: 0}}\n",
      "  j: {{type: joint.fixed, between: [ground, a], at: [0, 0, {0}]}}\n",
      "  j: {{type: joint.revolute, between: [ground, a], at: [0, 0, {0}], axis: [0, 1, 0]}}\n"
      "  d: {{type: rotational.friction, between: [ground, j], coulomb: {1}}}\n"};
  for (const auto& c : cases)
    for (const char* hold : holds)
      for (const double step : {1e-4, 1e-3, 1e-2})
        for (const std::string scheme : schemes) {
          const std::string model =
              fmt::format(
                  "  a: {{type: body.box, size: [{0}, {1}, {1}], mass: {2}, initial: {{position: [{3}, 0, "
                  "{4}]}}}}\n",
                  c.length, 0.1 * c.length, c.mass, 0.5 * c.length, c.height) +
              fmt::format(fmt::runtime(hold), c.height, c.mass * c.gravity * c.length);
          const std::string top = si + fmt::format("\ngravity: [0, 0, {}]", -c.gravity);
          const TextRun held(model, fmt::format("until: {}, step: {}, scheme: {}", 300 * step, step, scheme),
                             {}, top, true);
          INFO(scheme, " ", step, " s ", c.mass, " kg ", hold);
          CHECK_FALSE(alarmed(held));
        }
}

TEST_CASE("friction that holds takes what it creeps") {
  struct {
    double mass, friction, force;
  } const cases[] = {{1, 5, 3}, {200, 5000, -4000}, {0.01, 0.2, 0.199}};
  for (const auto& c : cases)
    for (const double step : {1e-4, 1e-2})
      for (const std::string scheme : schemes) {
        INFO(scheme, " ", step, " s ", c.mass, " kg");
        CHECK_FALSE(alarmed(
            run(fmt::format("  m: {{type: translational.mass, mass: {}}}\n"
                            "  f: {{type: translational.friction, coulomb: {}, between: [ground, m]}}\n"
                            "  p: {{type: translational.force, at: m, value: {}}}\n",
                            c.mass, c.friction, c.force),
                fmt::format("until: {}, step: {}, scheme: {}", 300 * step, step, scheme))));
      }
}

TEST_CASE("what moves after a rest was at rest, and its energy is no noise") {
  struct {
    double mass, length, begin, acceleration;
  } const cases[] = {{1, 1, 0.1, 1}, {30, 2, 0.05, -4}, {0.1, 0.2, 0.2, 20}};
  for (const auto& c : cases)
    for (const double step : {1e-3, 1e-2}) {
      const std::string model = fmt::format(
          "  a: {{type: body.box, size: [{0}, {1}, {1}], mass: {2}, initial: {{position: [{3}, 0, 0]}}}}\n"
          "  j: {{type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
          "  d: {{type: rotational.motion, at: j, angle: \"t < ({4} s) ? 0 rad : ({5} rad/s^2)*(t - ({4} "
          "s))^2/2\"}}\n",
          c.length, 0.1 * c.length, c.mass, 0.5 * c.length, c.begin, c.acceleration);
      INFO(step, " s ", c.mass, " kg");
      const TextRun moved(model, fmt::format("until: 0.6, step: {}, scheme: spook", step), {},
                          si + "\ngravity: [0, 0, -9.81]", true);
      CHECK(moved.failure.empty());
      CHECK_FALSE(find(moved, "W-ENERGY"));
      CHECK_FALSE(find(moved, "W-VIOLATED"));
    }
}

TEST_CASE("a stiff mount that settles within a step: work is force times way, m x'' + d x' + k x = F") {
  struct {
    double mass, stiffness, damping, force;
  } const cases[] = {{1, 1e8, 2e4, 100}, {0.2, 1e9, 1e5, -3}, {40, 1e10, 1e6, 2e4}};
  for (const auto& c : cases)
    for (const double step : {1e-3, 3e-3, 1e-2, 5e-2})
      for (const char* rho : {"0", "0.8", "1"})
        for (const double begin : {0.0, 0.1}) {
          const TextRun settled =
              run(fmt::format("  m: {{type: translational.mass, mass: {}}}\n"
                              "  s: {{type: translational.spring, stiffness: {}, between: [ground, m]}}\n"
                              "  d: {{type: translational.damper, damping: {}, between: [ground, m]}}\n"
                              "  u: {{type: control.step, before: {}, after: {}, time: 0.1, unit: N}}\n"
                              "  f: {{type: translational.force, at: m, input: u}}\n",
                              c.mass, c.stiffness, c.damping, begin > 0 ? 0 : c.force, c.force),
                  fmt::format("until: 1, step: {}, rho: {}", step, rho));
          INFO(c.stiffness, " N/m ", step, " s, rho ", rho, " ", begin);
          CHECK_FALSE(alarmed(settled));
        }
}

TEST_CASE("a stop that swings unresolved is no settled part: a stiff spring without damping is told") {
  for (const double stiffness : {1e6, 1e8, 1e10})
    for (const std::string scheme : {"variational", "spook"}) {
      INFO(scheme, " ", stiffness);
      CHECK(
          alarmed(run(fmt::format("  m: {{type: translational.mass, mass: 1}}\n"
                                  "  s: {{type: translational.spring, stiffness: {}, between: [ground, m]}}\n"
                                  "  u: {{type: control.step, before: 0, after: 100, time: 0.1, unit: N}}\n"
                                  "  f: {{type: translational.force, at: m, input: u}}\n",
                                  stiffness),
                      "until: 1, step: 0.01, scheme: " + scheme)));
    }
}

TEST_CASE("SPOOK lags behind a motion that is prescribed, by (1 + tau)/(8 tau) h² of its acceleration") {
  const char* const motions[] = {"{0}*(t/(1 s))^3", "{0}*(t/(1 s))^4",
                                 "t < (0.2 s) ? 0*{0} : t < (1.2 s) ? {0}*(t/(1 s) - 0.2)^3*(10 - 15*(t/(1 "
                                 "s) - 0.2) + 6*(t/(1 s) - 0.2)^2) "
                                 ": {0}"};
  for (const char* motion : motions)
    for (const double amplitude : {1.0, 1e-5, -700.0})
      for (const double step : {5e-3, 1e-2, 2e-2})
        for (const char* damping : {"1", "2", "20"}) {
          INFO(motion, " ", amplitude, " ", step, " s, damped in ", damping);
          const TextRun followed = run(
              fmt::format("  i: {{type: rotational.inertia, inertia: 3}}\n"
                          "  d: {{type: rotational.motion, at: i, angle: \"{}\"}}\n",
                          fmt::format(fmt::runtime(motion), fmt::format("({} rad)", amplitude))),
              fmt::format("until: 1.5, step: {}, scheme: spook, relaxation: {{damping: {}}}", step, damping));
          CHECK(followed.failure.empty());
          if (std::string_view(damping) == "2") CHECK_FALSE(alarmed(followed));
        }
}

TEST_CASE("an unrelated part that moves does not hide one that swings unresolved") {
  struct {
    double stiffness, damping, force, speed;
  } const cases[] = {{1e8, 2e4, 100, 1}, {1e9, 100, 5, -30}, {1e7, 300, 2000, 0.01}};
  for (const auto& c : cases)
    for (const std::string scheme : {"variational", "spook"}) {
      const TextRun rings =
          run(fmt::format("  m: {{type: translational.mass, mass: 1}}\n"
                          "  s: {{type: translational.spring, stiffness: {}, between: [ground, m]}}\n"
                          "  d: {{type: translational.damper, damping: {}, between: [ground, m]}}\n"
                          "  u: {{type: control.step, before: 0, after: {}, time: 0.1, unit: N}}\n"
                          "  f: {{type: translational.force, at: m, input: u}}\n"
                          "  n: {{type: translational.mass, mass: 1, initial: {{velocity: {}}}}}\n",
                          c.stiffness, c.damping, c.force, c.speed),
              "until: 1, step: 0.01, scheme: " + scheme);
      INFO(scheme, " ", c.stiffness);
      const Warning* w = find(rings, "W-UNRESOLVED");
      REQUIRE(w);
      CHECK(w->component == "m");
    }
}
