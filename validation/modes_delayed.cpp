// Modes of loops with delays against their characteristic equations: Lambert's function, oscillators, a pendulum, two delays in one
// loop; what the delay does not reach, and what drifts; all of them within the circle that is told.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "analyses/configuration.hpp"
#include "analyses/modes.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

constexpr double pi = std::numbers::pi;
using Complex = std::complex<double>;
using Function = std::function<Complex(Complex)>;

ModesResult modes_of(const std::string& text, ModesOptions options = {},
                     const ConfigurationChoice& where = {}) {
  static const Registry registry = standard_registry();
  Model model = Model::read_text("escapement: 1\n" + text, "model", registry);
  const Assembly assembly = assemble_for_linearization(model);
  const Configuration c = configure(model, assembly, where);
  options.proximal = c.proximal;
  return find_modes(assembly.system, c.state, options);
}

/// How often an analytic function turns about zero along a circle: its roots within.
int number_within(double radius, const Function& f) {
  constexpr int points = 200000;
  double sum = 0;
  for (int i = 0; i < points; ++i)
    sum += std::arg(f(std::polar(radius, 2 * pi * (i + 1) / points)) /
                    f(std::polar(radius, 2 * pi * i / points)));
  return static_cast<int>(std::lround(sum / (2 * pi)));
}

/// Every mode is a root, by Newton's measure |f/f′|; and there are as many of them as roots in the circle.
void check_roots(const ModesResult& result, const Function& f) {
  REQUIRE(result.radius > 0);
  int number = 0;
  for (const Mode& m : result.modes) {
    CAPTURE(m.s.real());
    CAPTURE(m.s.imag());
    const double h = 1e-6 * std::abs(m.s);
    const Complex slope = (f(m.s + h) - f(m.s - h)) / (2 * h);
    CHECK(std::abs(f(m.s) / slope) < 1e-8 * std::abs(m.s));
    CHECK(m.residual < 1e-8);
    number += m.s.imag() > 0 ? 2 : 1;
  }
  CHECK(number == number_within(result.radius * (1 - 1e-9), f));
}

}  // namespace

TEST_CASE("an integral of itself, late: Lambert's function") {
  // x' = −a x(t − τ): s = W_k(−aτ)/τ, two real ones for aτ < 1/e.
  struct Case {
    double a, delay;
  };
  for (const auto& [a, delay] : {Case{1, 1}, Case{0.3, 0.5}, Case{2, 1.2}, Case{5e3, 1e-3}}) {
    CAPTURE(a);
    const ModesResult result = modes_of(fmt::format(R"(
units: SI
components:
  x: {{type: control.integrator, input: g}}
  d: {{type: control.delay, delay: {}, input: x}}
  g: {{type: control.gain, gain: {}, input: d}}
)",
                                                    delay, -a),
                                        {.count = 8});
    REQUIRE(result.modes.size() == 8);
    check_roots(result, [&](Complex s) { return s + a * std::exp(-s * delay); });
    // The k-th branch: w = ln(−aτ) + 2πik − ln w.
    const Complex z(-a * delay, 0);
    for (int k = 2; k < 6; ++k) {
      Complex w(1, 2 * pi * k);
      for (int i = 0; i < 200; ++i) w = std::log(z) + Complex(0, 2 * pi * k) - std::log(w);
      CHECK(std::any_of(result.modes.begin(), result.modes.end(),
                        [&](const Mode& m) { return std::abs(m.s - w / delay) < 1e-8 * std::abs(m.s); }));
    }
  }
}

TEST_CASE("an oscillator with a force that comes late") {
  // m s² + c s + k + g exp(−s τ) = 0, at the start and in a run.
  struct Case {
    double m, c, k, g, delay;
  };
  for (const auto& [m, c, k, g, delay] : {Case{1, 0, 20, 10, 0.1}, Case{3, 0.5, 100, -30, 0.4},
                                          Case{0.02, 0.1, 5, 2, 0.013}, Case{1e3, 20, 1e5, 5e4, 2}}) {
    CAPTURE(m);
    const std::string text = fmt::format(R"(
units: SI
components:
  m: {{type: translational.mass, mass: {}}}
  k: {{type: translational.spring, stiffness: {}, between: [ground, m]}}
  c: {{type: translational.damper, damping: {}, between: [ground, m]}}
  d: {{type: control.delay, delay: {}, input: m.position, initial: {{input: 0}}}}
  g: {{type: control.gain, gain: {}, input: d}}
  F: {{type: translational.force, at: m, input: g}}
simulate: {{until: 1, step: {}}}
)",
                                         m, k, c, delay, -g, delay / 7);
    const Function f = [&](Complex s) { return m * s * s + c * s + k + g * std::exp(-s * delay); };
    for (const ConfigurationChoice& where :
         {ConfigurationChoice{}, ConfigurationChoice{ConfigurationChoice::Kind::time, 2.4 * delay}}) {
      const ModesResult result = modes_of(text, {.count = 6}, where);
      CHECK(result.modes.size() == 6);
      check_roots(result, f);
      CHECK(result.warnings.empty());
    }
    check_roots(modes_of(text, {.below = 30 / delay}), f);  // many
  }
}

TEST_CASE(
    "angle and velocity late, each by a delay of its own: products of both vanish, and rounding does not "
    "make them count") {
  // J s² + c s + kp exp(−s τ₁) + kd s exp(−s τ₂) = 0, in circles where exp(|s| τ) is 10⁶ … 10³⁰.
  struct Case {
    double J, c, kp, kd, first, second, below;
  };
  for (const auto& [J, c, kp, kd, first, second, below] :
       {Case{1e-3, 0, 0.4, 0.02, 0.01, 0.01, 500}, Case{1e-3, 0, 0.4, 0.02, 0.01, 0.01, 1000},
        Case{1e-3, 0, 1, 0.02, 0.02, 0.01, 500}, Case{1e-3, 0.01, 0.4, 0.002, 0.01, 0.004, 700},
        Case{2, 3, 50, 7, 0.03, 0.2, 0}, Case{0.1, 0, 30, 0.4, 0.0137, 0.02, 0},
        Case{7, 20, 900, 100, 0.1, 0.1, 60}}) {
    CAPTURE(J);
    CAPTURE(below);
    const std::string rotor = fmt::format(R"(
units: SI
components:
  rotor: {{type: rotational.inertia, inertia: {}}}
  bearing: {{type: rotational.damper, damping: {}, between: [ground, rotor]}}
  motor: {{type: rotational.torque, at: rotor, input: law}}
)",
                                          J, c);
    const auto late = [](const char* name, double delay, const char* of) {
      return fmt::format("  {}: {{type: control.delay, delay: {}, input: {}, initial: {{input: 0}}}}\n", name,
                         delay, of);
    };
    const std::string law =
        fmt::format("  law: {{type: control.sum, inputs: [a, w], weights: [{}, {}]}}\n", -kp, -kd);
    check_roots(modes_of(rotor + law + late("a", first, "rotor.angle") + late("w", second, "rotor.velocity"),
                         {.below = below}),
                [&](Complex s) {
                  return J * s * s + c * s + kp * std::exp(-s * first) + kd * s * std::exp(-s * second);
                });
    // one after the other: the second one late by both
    check_roots(modes_of(rotor + law + late("a", first, "rotor.angle") + late("w", second, "a"),
                         {.below = 0.3 * below}),
                [&](Complex s) {
                  return J * s * s + c * s + (kp + kd * std::exp(-s * second)) * std::exp(-s * first);
                });
  }
}

TEST_CASE("two loops of two delays each, coupled by a spring") {
  struct Case {
    double k, stretch;
  };
  for (const auto& [k, stretch] : {Case{0, 1}, Case{3, 1}, Case{40, 0.3}, Case{700, 0.04}}) {
    CAPTURE(k);
    const double t[] = {0.02 * stretch, 0.01 * stretch, 0.03 * stretch, 0.03 * stretch};
    const double f = 1 / (stretch * stretch),
                 g = 1 / stretch;  // stiffness and damping in a time so much shorter
    const std::string text = fmt::format(R"(
units: SI
components:
  a: {{type: rotational.inertia, inertia: 0.5}}
  b: {{type: rotational.inertia, inertia: 0.02}}
  k: {{type: rotational.spring, stiffness: {}, between: [a, b]}}
  a1: {{type: control.delay, delay: {}, input: a.angle, initial: {{input: 0}}}}
  a2: {{type: control.delay, delay: {}, input: a.velocity, initial: {{input: 0}}}}
  b1: {{type: control.delay, delay: {}, input: b.angle, initial: {{input: 0}}}}
  b2: {{type: control.delay, delay: {}, input: b.velocity, initial: {{input: 0}}}}
  la: {{type: control.sum, inputs: [a1, a2], weights: [{}, {}]}}
  lb: {{type: control.sum, inputs: [b1, b2], weights: [{}, {}]}}
  ma: {{type: rotational.torque, at: a, input: la}}
  mb: {{type: rotational.torque, at: b, input: lb}}
)",
                                         k * f, t[0], t[1], t[2], t[3], -60 * f, -5 * g, -4 * f, -0.1 * g);
    const Function d = [&](Complex s) {
      return (0.5 * s * s + k * f + 60 * f * std::exp(-s * t[0]) + 5 * g * s * std::exp(-s * t[1])) *
                 (0.02 * s * s + k * f + 4 * f * std::exp(-s * t[2]) + 0.1 * g * s * std::exp(-s * t[3])) -
             k * f * k * f;
    };
    check_roots(modes_of(text, {.count = 12}), d);
    check_roots(modes_of(text, {.below = 100 / stretch}), d);
  }
}

TEST_CASE("a delay that is held has no part in undamped modes, and that is told") {
  for (const double k : {20.0, 3.0, 700.0}) {
    const ModesResult result = modes_of(fmt::format(R"(
components:
  m: {{type: translational.mass, mass: 1 kg}}
  k: {{type: translational.spring, stiffness: {} N/m, between: [ground, m]}}
  d: {{type: control.delay, delay: 0.1 s, input: m.position}}
  F: {{type: translational.force, at: m, input: d}}
)",
                                                    k),
                                        {.undamped = true});
    REQUIRE(result.modes.size() == 1);
    CHECK(std::abs(result.modes[0].s.imag() - std::sqrt(k)) < 1e-9 * std::sqrt(k));
    CHECK(result.radius == 0);
    REQUIRE(result.warnings.size() == 1);
    CHECK(result.warnings[0].message.find("held") != std::string::npos);
  }
}

TEST_CASE("a pendulum on a hinge with a late torque; two delays, one after the other") {
  // J s² + m g l + k exp(−s (τ₁ + τ₂)) = 0 about the lower position.
  struct Case {
    double length, k, first, second;
  };
  for (const auto& [L, k, first, second] :
       {Case{1, 3, 0.1, 0.2}, Case{0.4, -0.5, 0.05, 0.03}, Case{2.5, 40, 0.3, 0.9}}) {
    const double m = 7 * L, J = m * (L * L + 0.01) / 12 + m * L * L / 4, mgl = m * 9.81 * L / 2;
    const ModesResult result = modes_of(fmt::format(R"(
units: SI
gravity: [0, 0, -9.81]
components:
  rod: {{type: body.box, size: [0.1, 0.1, {0}], density: 700, initial: {{position: [0, 0, {1}]}}}}
  hinge: {{type: joint.revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}
  d: {{type: control.delay, delay: {2}, input: hinge.angle}}
  e: {{type: control.delay, delay: {3}, input: d}}
  g: {{type: control.gain, gain: {4}, input: e}}
  T: {{type: rotational.torque, at: hinge, input: g}}
)",
                                                    L, -L / 2, first, second, -k),
                                        {.count = 7});
    CHECK(result.modes.size() == 7);
    check_roots(result, [&](Complex s) { return J * s * s + mgl + k * std::exp(-s * (first + second)); });
  }
}

TEST_CASE("what the delay does not reach keeps its modes; what drifts stays at zero") {
  for (const auto& [k, delay] : {std::pair{4.0, 0.5}, {50.0, 0.2}, {0.3, 2.0}}) {
    const ModesResult result = modes_of(fmt::format(R"(
components:
  alone: {{type: translational.mass, mass: 1 kg}}
  spring: {{type: translational.spring, stiffness: {0} N/m, between: [ground, alone]}}
  free: {{type: translational.mass, mass: 3 kg}}
  x: {{type: control.integrator, input: g}}
  d: {{type: control.delay, delay: {1} s, input: x}}
  g: {{type: control.gain, gain: -0.7, input: d}}
)",
                                                    k, delay),
                                        {.count = 6});
    REQUIRE(result.modes.size() == 6);
    CHECK(result.modes[0].s == 0.0);
    CHECK(std::count_if(result.modes.begin(), result.modes.end(), [](const Mode& m) { return m.s == 0.0; }) ==
          1);
    const auto is_alone = [&](const Mode& m) {
      return std::abs(m.s - Complex(0, std::sqrt(k))) < 1e-8 * std::sqrt(k);
    };
    if (result.radius > 1.01 * std::sqrt(k))
      CHECK(std::count_if(result.modes.begin(), result.modes.end(), is_alone) == 1);
    ModesResult others = result;
    std::erase_if(others.modes, [&](const Mode& m) { return m.s == 0.0; });
    check_roots(others, [&](Complex s) { return (s + 0.7 * std::exp(-s * delay)) * (s * s + k); });
  }
}

TEST_CASE("modes that a delay makes slow are not taken for drift") {
  // x' = −g x(t − τ) with g τ ≪ 1: the slowest is −g (1 + g τ + …).
  for (const double g : {1e-3, 1e-5, 3e-7}) {
    const ModesResult result = modes_of(fmt::format(R"(
components:
  x: {{type: control.integrator, input: g}}
  d: {{type: control.delay, delay: 0.8 s, input: x}}
  g: {{type: control.gain, gain: {}, input: d}}
)",
                                                    -g),
                                        {.count = 3});
    REQUIRE(result.modes.size() == 3);
    // 1e-13: rounding of s − σ, σ = 1/s.
    CHECK(std::abs(result.modes[0].s + g * (1 + 0.8 * g)) < 2 * g * g * g + 1e-9 * g + 1e-13);
  }
}
