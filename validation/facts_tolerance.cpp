// What a tolerance is worth: thirteen problems of different kinds at tolerances over five decades. The error at the end stays
// within ten times what the end moves by when starts and parameters move by the tolerance, and no run gives up (T-error, T-step).
#include <fmt/format.h>

#include <array>
#include <numbers>

#include "reference_ode.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr Real pi = std::numbers::pi_v<Real>;
using Reals = std::vector<Real>;

struct Parameter {
  std::string name, unit;
  double value;
  bool start = false;  // of the start: it moves by its nominal magnitude, 1, too
};

struct Problem {
  std::string name;
  std::vector<Parameter> parameters;
  std::string head, components;
  double until;
  std::vector<std::string> channels;
  std::function<Reals(const Reals&)> end;  // the channels at the end, for these parameters
  std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

  Reals values() const {
    Reals p;
    for (const Parameter& q : parameters) p.push_back(q.value);
    return p;
  }
  TextRun run(const std::string& settings, const Reals& p) const {
    std::string text = head + "\nparameters: {";
    for (std::size_t i = 0; i < p.size(); ++i)
      text += fmt::format("{}{}: {:.17g} {}", i > 0 ? ", " : "", parameters[i].name,
                          static_cast<double>(p[i]), parameters[i].unit);
    return TextRun(components, fmt::format("until: {:g} s, {}", until, settings), channels, text + "}");
  }
  /// How far each channel moves at the end, per tolerance, if every number moves by it.
  Reals condition() const {
    const Reals p = values(), here = end(p);
    Reals moves(here.size(), 0);
    for (std::size_t j = 0; j < p.size(); ++j) {
      const Real by = 1e-6L * (std::abs(p[j]) + (parameters[j].start ? 1 : 0));
      Reals q = p;
      q[j] += by;
      const Reals there = end(q);
      for (std::size_t i = 0; i < here.size(); ++i) moves[i] += std::abs(there[i] - here[i]) / 1e-6L;
    }
    return moves;
  }
};

template <std::size_t n, class F, class Read>
Reals integrate(F f, std::array<Real, n> start, Real until, Real step, Read read) {
  ReferenceOde<n> ode(f, start, step);
  return read(ode.at(until));
}

Problem oscillator() {
  return {"smooth: a hardening spring",
          {{"k", "N/m", 4}, {"c", "N/m", 3}, {"x0", "m", 1, true}, {"v0", "m/s", 0.5, true}},
          "",
          R"yaml(
  mass: {type: translational.mass, mass: 1 kg, initial: {position: x0, velocity: v0}}
  law:  {type: control.expression, inputs: {x: mass.position}, unit: N, expression: "-k*x - c*x^3/(1 m^2)"}
  push: {type: translational.force, at: mass, input: law})yaml",
          5,
          {"mass.position", "mass.velocity"},
          [](const Reals& p) {
            return integrate<2>(
                [&](Real, const auto& y) {
                  return std::array<Real, 2>{y[1], -p[0] * y[0] - p[1] * y[0] * y[0] * y[0]};
                },
                {p[2], p[3]}, 5, 0.02L,
                [](const auto& y) {
                  return Reals{y[0], y[1]};
                });
          }};
}

Problem stiff_mass() {
  return {"stiff: a mass in a stiff damper",
          {{"m", "kg", 3},
           {"k", "N/m", 8e5},
           {"d", "N*s/m", 4e4},
           {"F", "N", 30},
           {"x0", "m", 0, true},
           {"v0", "m/s", 0, true}},
          "",
          R"yaml(
  mass:   {type: translational.mass, mass: m, initial: {position: x0, velocity: v0}}
  spring: {type: translational.spring, stiffness: k, between: [ground, mass]}
  damper: {type: translational.damper, damping: d, between: [ground, mass]}
  pull:   {type: translational.force, at: mass, value: F})yaml",
          0.1,
          {"mass.position", "mass.velocity"},
          [](const Reals& p) {
            const Real s = p[2] / p[0] / 2, r = std::sqrt(s * s - p[1] / p[0]), a = -s + r, b = -s - r,
                       x = p[3] / p[1], t = 0.1L;
            const Real B = (p[5] - a * (p[4] - x)) / (b - a), A = p[4] - x - B;
            return Reals{x + A * std::exp(a * t) + B * std::exp(b * t),
                         A * a * std::exp(a * t) + B * b * std::exp(b * t)};
          },
          {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}};
}

Problem relaxation() {
  return {"relaxation oscillation",
          {{"mu", "N*s/m", 8}, {"k", "N/m", 1}, {"x0", "m", 2, true}},
          "",
          R"yaml(
  mass: {type: translational.mass, mass: 1 kg, initial: {position: x0}}
  law:  {type: control.expression, inputs: {x: mass.position, v: mass.velocity}, unit: N, expression: "mu*(1 - x^2/(1 m^2))*v - k*x"}
  push: {type: translational.force, at: mass, input: law})yaml",
          10,
          {"mass.position", "mass.velocity"},
          [](const Reals& p) {
            return integrate<2>(
                [&](Real, const auto& y) {
                  return std::array<Real, 2>{y[1], p[0] * (1 - y[0] * y[0]) * y[1] - p[1] * y[0]};
                },
                {p[2], 0}, 10, 2e-3L,
                [](const auto& y) {
                  return Reals{y[0], y[1]};
                });
          }};
}

Problem ball() {
  return {"events: a ball on a rigid floor",
          {{"x0", "m", 1, true}, {"g", "m/s^2", 9.81}, {"e", "", 0.8}},
          "",
          R"yaml(
  ball:   {type: translational.mass, mass: 1 kg, initial: {position: x0}}
  pull:   {type: translational.force, at: ball, value: -(1 kg)*g}
  floor:  {type: translational.end_stop, lower: 0, restitution: e, between: [ground, ball]})yaml",
          2,
          {"ball.position", "ball.velocity"},
          [](const Reals& p) {
            Real t = std::sqrt(2 * p[0] / p[1]), v = p[1] * t;
            for (;;) {
              v *= p[2];
              if (t + 2 * v / p[1] > 2) break;
              t += 2 * v / p[1];
            }
            const Real s = 2 - t;
            return Reals{v * s - p[1] * s * s / 2, v - p[1] * s};
          }};
}

Problem pulses() {
  return {"PWM: pulses on a coil",
          {{"R", "ohm", 2}, {"L", "H", 1e-3}, {"V", "V", 12}, {"i0", "A", 0.5, true}},
          "nodes: {electrical: [a, b]}",
          R"yaml(
  source: {type: electric.voltage_source, pulse: {high: V, width: 40 us, period: 100 us}, between: [a, ground]}
  r:      {type: electric.resistor, resistance: R, between: [a, b]}
  coil:   {type: electric.inductor, inductance: L, between: [b, ground], initial: {current: i0}})yaml",
          2.03e-3,
          {"coil.current"},
          [](const Reals& p) {
            Real i = p[3];
            const auto go = [&](Real target, Real time) {
              i = target + (i - target) * std::exp(-time * p[0] / p[1]);
            };
            for (int k = 0; k < 20; ++k) go(p[2] / p[0], 40e-6L), go(0, 60e-6L);
            go(p[2] / p[0], 30e-6L);
            return Reals{i};
          }};
}

Problem corner() {
  return {
      "a corner in a set point",
      {{"a", "rad/s", 4}, {"K", "N*m/rad", 100}, {"D", "N*m*s/rad", 1}},
      "",
      R"yaml(
  target: {type: control.expression, unit: rad, expression: "t < 0.5 s ? a*t : a*(0.5 s)"}
  law:    {type: control.expression, inputs: {r: target, q: rotor.angle, w: rotor.velocity}, unit: N*m, expression: "K*(r - q) - D*w"}
  motor:  {type: rotational.torque, at: rotor, input: law}
  rotor:  {type: rotational.inertia, inertia: 0.1 kg*m^2})yaml",
      1,
      {"rotor.angle", "rotor.velocity"},
      [](const Reals& p) {
        ReferenceOde<2> ode(
            [&](Real t, const auto& y) {
              return std::array<Real, 2>{y[1], 10 * (p[1] * (p[0] * std::min(t, 0.5L) - y[0]) - p[2] * y[1])};
            },
            {0, 0}, 2e-3L);
        ode.at(0.5L);
        const auto& y = ode.at(1);
        return Reals{y[0], y[1]};
      }};
}

Problem rectifier() {
  return {"rectifier",
          {{"V", "V", 5}, {"R", "ohm", 10}, {"C", "F", 1e-4}, {"load", "ohm", 200}},
          "nodes: {electrical: [in, a, out]}",
          R"yaml(
  source: {type: electric.voltage_source, sine: {amplitude: V, frequency: 50 Hz}, between: [in, ground]}
  r:      {type: electric.resistor, resistance: R, between: [in, a]}
  d:      {type: electric.diode, saturation_current: 1e-9 A, temperature: 300 K, between: [a, out]}
  c:      {type: electric.capacitor, capacitance: C, between: [out, ground], initial: {voltage: 0 V}}
  l:      {type: electric.resistor, resistance: load, between: [out, ground]})yaml",
          0.05,
          {"out.voltage"},
          [](const Reals& p) {
            const Real thermal = 1.380649e-23L * 300 / 1.602176634e-19L;
            return integrate<1>(
                [&](Real t, const auto& y) {
                  // R i + V_T log(1 + i/I_s) = e − v: for i along the straight part first, then by Newton's method
                  const Real e = p[0] * std::sin(100 * pi * t) - y[0], saturation = 1e-9L;
                  Real i = e > 0.3L ? (e - 0.3L) / p[1] : 0;
                  for (int k = 0; k < 200; ++k) {
                    const Real f = p[1] * i + thermal * std::log1p(i / saturation) - e;
                    Real next = i - f / (p[1] + thermal / (saturation + i));
                    if (next <= -saturation) next = (i - saturation) / 2;
                    if (std::abs(next - i) <= 1e-18L * std::abs(i) + 1e-24L) break;
                    i = next;
                  }
                  return std::array<Real, 1>{(i - y[0] / p[3]) / p[2]};
                },
                {0}, 0.05L, 2e-5L, [](const auto& y) { return Reals{y[0]}; });
          },
          {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}};
}

Problem pendulum() {
  return {"a constrained pendulum",
          {{"g", "m/s^2", 9.81}, {"l", "m", 1}, {"w", "rad/s", 0.5, true}},
          "",
          R"yaml(
  bob: {type: planar.mass, mass: 1 kg, gravity: [0, -g], initial: {position: [l*sin(1), -l*cos(1)], velocity: [l*w*cos(1)/(1 rad), l*w*sin(1)/(1 rad)]}}
  rod: {type: planar.distance, length: l, between: [ground, bob]})yaml",
          3,
          {"bob.position.x", "bob.velocity.x"},
          [](const Reals& p) {
            return integrate<2>(
                [&](Real, const auto& y) {
                  return std::array<Real, 2>{y[1], -p[0] / p[1] * std::sin(y[0])};
                },
                {1, p[2]}, 3, 0.02L,
                [&](const auto& y) {
                  return Reals{p[1] * std::sin(y[0]), p[1] * y[1] * std::cos(y[0])};
                });
          }};
}

/// Two arms as rigid bodies with hinges, each held by a controller.
Problem robot() {
  return {"a robot with two arms",
          {{"K", "N*m/rad", 60}, {"D", "N*m*s/rad", 4}, {"m", "kg", 2}, {"J", "kg*m^2", 0.05}},
          "gravity: [0, 0, -9.81 m/s^2]",
          R"yaml(
  upper:  {type: body.rigid, mass: m, principal_inertia: [J, J, J], initial: {position: [0.2 m, 0, 0]}}
  lower:  {type: body.rigid, mass: m, principal_inertia: [J, J, J], initial: {position: [0.6 m, 0, 0]}}
  first:  {type: joint.revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, -1, 0]}
  second: {type: joint.revolute, between: [upper, lower], at: [0.4 m, 0, 0], axis: [0, -1, 0]}
  law1:   {type: control.expression, inputs: {q: first.angle, w: first.velocity}, unit: N*m, expression: "K*((0.5 rad) - q) - D*w"}
  law2:   {type: control.expression, inputs: {q: second.angle, w: second.velocity}, unit: N*m, expression: "K*((-0.8 rad) - q) - D*w"}
  motor1: {type: rotational.torque, at: first, input: law1}
  motor2: {type: rotational.torque, at: second, input: law2})yaml",
          1,
          {"first.angle", "second.angle", "first.velocity", "second.velocity"},
          [](const Reals& p) {
            const Real K = p[0], D = p[1], m = p[2], J = p[3], l = 0.4L, c = 0.2L, g = 9.81L;
            return integrate<4>(
                [=](Real, const auto& y) {  // angles a of the upper arm, b of the lower one against it
                  const Real a = y[0], b = y[1], u = y[2], w = y[3];
                  const Real coupling = m * l * c * std::cos(b), spin = m * l * c * std::sin(b);
                  const Real M22 = J + m * c * c, M12 = M22 + coupling,
                             M11 = J + m * c * c + M22 + m * l * l + 2 * coupling;
                  const Real f1 = K * (0.5L - a) - D * u + spin * w * (2 * u + w) -
                                  m * g * ((c + l) * std::cos(a) + c * std::cos(a + b));
                  const Real f2 = K * (-0.8L - b) - D * w - spin * u * u - m * g * c * std::cos(a + b);
                  const Real det = M11 * M22 - M12 * M12;
                  return std::array<Real, 4>{u, w, (M22 * f1 - M12 * f2) / det, (M11 * f2 - M12 * f1) / det};
                },
                {0, 0, 0, 0}, 1, 5e-3L,
                [](const auto& y) {
                  return Reals{y[0], y[1], y[2], y[3]};
                });
          },
          {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}};
}

Problem sampled_loop() {
  return {"a sampled loop",
          {{"a", "1/s", 3}, {"G", "1/s", 2}, {"x0", "", 1, true}},
          "",
          R"yaml(
  law:   {type: sampled.state_space, period: 50 ms, A: [[0.5]], B: [[1]], C: [[-3]], D: [[-2]], input: plant}
  plant: {type: control.state_space, A: [[-a]], B: [[G]], C: [[1]], D: [[0]], input: law, initial: {state: x0}})yaml",
          0.98,
          {"plant"},
          [](const Reals& p) {
            Real x = p[2], z = 0;
            for (int k = 0; k < 20; ++k) {
              const Real u = -3 * z - 2 * x, time = k == 19 ? 0.03L : 0.05L;
              z = 0.5L * z + x;
              x = p[1] * u / p[0] + (x - p[1] * u / p[0]) * std::exp(-p[0] * time);
            }
            return Reals{x};
          }};
}

/// A wheel on a road that a holonomic drive moves: a bump that begins and ends with a jump of the third derivative.
Problem quarter_car() {
  return {"a drive: a quarter car over a bump",
          {{"M", "kg", 400},
           {"m", "kg", 40},
           {"k", "N/m", 2e4},
           {"d", "N*s/m", 1500},
           {"kt", "N/m", 2e5},
           {"H", "m", 0.06}},
          "",
          R"yaml(
  body:   {type: translational.mass, mass: M}
  wheel:  {type: translational.mass, mass: m}
  road:   {type: translational.mass, mass: 1 g}
  spring: {type: translational.spring, stiffness: k, between: [wheel, body]}
  damper: {type: translational.damper, damping: d, between: [wheel, body]}
  tyre:   {type: translational.spring, stiffness: kt, between: [road, wheel]}
  bump:   {type: translational.motion, at: road, position: "t < 0.1 s ? 0 : t < 0.25 s ? H*sin(pi*(t - 0.1 s)/(0.15 s))^4 : 0"})yaml",
          0.6,
          {"body.position", "wheel.position", "body.velocity", "wheel.velocity"},
          [](const Reals& p) {
            ReferenceOde<4> ode(
                [&](Real t, const auto& y) {
                  const Real s = t > 0.1L && t < 0.25L ? std::sin(pi * (t - 0.1L) / 0.15L) : 0;
                  const Real F = p[2] * (y[0] - y[1]) + p[3] * (y[2] - y[3]);
                  return std::array<Real, 4>{y[2], y[3], -F / p[0],
                                             (F - p[4] * (y[1] - p[5] * s * s * s * s)) / p[1]};
                },
                {0, 0, 0, 0}, 1e-3L);
            ode.at(0.1L);
            ode.at(0.25L);
            const auto& y = ode.at(0.6L);
            return Reals{y[0], y[1], y[2], y[3]};
          }};
}

Problem thermostat() {
  return {"a two-point controller",
          {{"T", "s", 2}, {"heat", "", 1.7}, {"x0", "", 0.1, true}},
          "",
          R"yaml(
  room:  {type: control.state_space, A: [[-1/T]], B: [[1/T]], C: [[1]], D: [[0]], input: valve, initial: {state: x0}}
  valve: {type: control.hysteresis, input: room, lower: 0.9, upper: 1.1, low: heat, high: 0})yaml",
          6,
          {"room"},
          [](const Reals& p) {
            Real t = 0, x = p[2];
            for (bool on = true;; on = !on) {
              const Real target = on ? p[1] : 0, limit = on ? 1.1L : 0.9L;
              const Real until = t + p[0] * std::log((target - x) / (target - limit));
              if (until > 6) return Reals{target + (x - target) * std::exp(-(6 - t) / p[0])};
              t = until;
              x = limit;
            }
          }};
}

/// Its discretisation in space belongs to the problem: the reference is the same beam with fixed steps, extrapolated.
Problem beam() {
  Problem p{"a beam that swings",
            {{"F", "N", 30}, {"E", "Pa", 7e10}, {"w", "m", 0.02}},
            "gravity: none",
            R"yaml(
  beam: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 2, rectangle: {width: w, height: 2 cm}, youngs_modulus: E, poisson_ratio: 0.3, density: 2700 kg/m^3, damping: {stiffness: 2 ms}}
  root: {type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}
  load: {type: force.point, at: beam.end, force: [0, 0, F]})yaml",
            0.04,
            {"beam.end.position.z"},
            {},
            {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}};
  Problem copy = p;
  p.end = [copy](const Reals& n) {
    std::array<Real, 2> z{};
    for (int k = 0; k < 2; ++k)
      z[k] = copy.run(fmt::format("step: {} us, output_every: 1000000", k == 0 ? 20 : 10), n).last[0];
    return Reals{(4 * z[1] - z[0]) / 3};
  };
  return p;
}

}  // namespace

TEST_CASE("the error at the end is within ten times what the tolerance moves it by") {
  fmt::print("{:36} {:>5} {:>9} {:>9} {:>9} {:>8} {:>9}\n", "problem", "tol", "error", "tol K", "ratio",
             "steps", "rejected");
  for (const Problem& p : {oscillator(), stiff_mass(), relaxation(), ball(), pulses(), corner(), rectifier(),
                           pendulum(), robot(), sampled_loop(), quarter_car(), thermostat(), beam()}) {
    const Reals exact = p.end(p.values()), moves = p.condition();
    INFO(p.name);
    for (const double tolerance : p.tolerances) {
      INFO(tolerance);
      const TextRun run =
          p.run(fmt::format("adaptive: true, tolerance: {:g}, output_every: 1000000", tolerance), p.values());
      Real ratio = 0, error = 0, moved = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const Real e = std::abs(run.last[i] - exact[i]), m = tolerance * moves[i];
        if (e / m >= ratio) ratio = e / m, error = e, moved = m;
      }
      fmt::print("{:36} {:5.0e} {:9.1e} {:9.1e} {:9.2f} {:8} {:9} {}\n", p.name, tolerance, double(error),
                 double(moved), double(ratio), run.statistics.steps, run.statistics.rejected_steps,
                 run.statistics.warnings.empty() ? "" : run.statistics.warnings[0].message);
      CHECK(ratio < 10);
    }
  }
}

// An oscillator of micrometres, a filter of microvolts: the same tolerance, once `nominal:` tells how large they are (T-error-1).
TEST_CASE(
    "small motions and small signals have the accuracy that is asked for, with their nominal magnitudes") {
  const double w = 2 * std::numbers::pi;
  for (const double size : {1e-3, 1e-6, 3e-10})
    for (const double tolerance : {1e-3, 1e-5}) {
      INFO(size, " ", tolerance);
      const TextRun swing(fmt::format(R"(
    m: {{type: translational.mass, mass: 1, initial: {{position: {}}}}}
    k: {{type: translational.spring, stiffness: {:.17g}, between: [ground, m]}})",
                                      size, w * w),
                          fmt::format("until: 10, adaptive: true, tolerance: {}", tolerance),
                          {"m.position", "m.velocity"},
                          fmt::format("units: SI\nnominal: {{m.position: {}}}", size));
      // Errors of the velocity become ones of the position, 1/ω as large, and the other way round.
      CHECK(std::abs(swing.last[0] - size) < 10 * tolerance * size);
      CHECK(std::abs(swing.last[1]) < 10 * w * tolerance * size);
      const double tau = 1e-3, t = 0.1, a = 50 * w * tau;
      const TextRun filter(
          fmt::format(R"(
    v: {{type: electric.voltage_source, sine: {{amplitude: {}, frequency: 50}}, between: [i, ground]}}
    r: {{type: electric.resistor, resistance: 1000, between: [i, o]}}
    c: {{type: electric.capacitor, capacitance: 1e-6, between: [o, ground]}})",
                      size),
          fmt::format("until: {}, adaptive: true, tolerance: {}", t, tolerance), {"o.voltage"},
          fmt::format("units: SI\nnodes: {{electrical: [i, o]}}\nnominal: {{o.voltage: {0}, i.voltage: {0}}}",
                      size));
      const double exact = size / (1 + a * a) * a * (std::exp(-t / tau) - 1);
      CHECK(std::abs(filter.last[0] - exact) < 10 * tolerance * size);
    }
}

// A light part in a stiff damper forgets its errors at once; the undamped swing beside it does not (T-error-10).
TEST_CASE(
    "a jumping force on a light part in a stiff damper takes few steps, and what swings stays within the "
    "tolerance") {
  const std::string parts = R"(
    m: {type: translational.mass, mass: light}
    d: {type: translational.damper, damping: c, between: [ground, m]}
    k: {type: translational.spring, stiffness: soft, between: [ground, m]}
    s: {type: control.step, time: 0.53 s, before: 0, after: 1}
    F: {type: translational.force, at: m, input: s}
    big: {type: translational.mass, mass: 2 kg, initial: {position: 0.3 m}}
    swing: {type: translational.spring, stiffness: 120 N/m, between: [ground, big]}
    G: {type: translational.force, at: big, input: s})";
  struct Reals {
    double light, c, soft;  // kg, N·s/m, N/m
  };
  for (const auto& [light, c, soft] :
       {Reals{2.5e-6, 10, 5}, Reals{2.5e-6, 1000, 5}, Reals{1e-4, 40, 70}, Reals{3e-9, 0.7, 1.5}}) {
    const std::string head =
        fmt::format("parameters: {{light: {:g} kg, c: {:g} N*s/m, soft: {:g} N/m}}", light, c, soft);
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      INFO(light, " kg, ", c, " N·s/m, tolerance ", tolerance);
      const TextRun run(parts, fmt::format("until: 2 s, adaptive: true, tolerance: {:g}", tolerance),
                        {"m.position", "m.velocity", "big.position", "big.velocity"}, head);
      const double t = 2 - 0.53, root = std::sqrt(c * c - 4 * light * soft), fast = -(c + root) / (2 * light),
                   slow = soft / light / fast;
      const auto part = [&](double r, double other) { return std::exp(r * t) * other / (r - other); };
      const double x = (1 + part(slow, fast) + part(fast, slow)) / soft;
      const double v = (slow * part(slow, fast) + fast * part(fast, slow)) / soft;
      const double w = std::sqrt(60.0), y = 0.3 * std::cos(2 * w) + (1 - std::cos(w * t)) / 120,
                   u = -0.3 * w * std::sin(2 * w) + w * std::sin(w * t) / 120;
      // Scales: nominal 1 m and 1 m/s and the largest that occurs; w takes errors from velocity to position and back.
      CHECK(std::abs(run.last[0] - x) < 10 * tolerance);
      CHECK(std::abs(run.last[1] - v) < 10 * tolerance);
      CHECK(std::abs(run.last[2] - y) < 10 * tolerance);
      CHECK(std::abs(run.last[3] - u) < 10 * w * tolerance);
      // As many steps as the swing alone takes, and what it takes to resolve a decay: (h/τ)²/12 is the error of its rate, so
      // 25 time constants are 25/√(12 tolerance) steps; four times that, and some to get there.
      const TextRun alone(R"(
    s: {type: control.step, time: 0.53 s, before: 0, after: 1}
    big: {type: translational.mass, mass: 2 kg, initial: {position: 0.3 m}}
    swing: {type: translational.spring, stiffness: 120 N/m, between: [ground, big]}
    G: {type: translational.force, at: big, input: s})",
                          fmt::format("until: 2 s, adaptive: true, tolerance: {:g}", tolerance), {});
      CHECK(run.statistics.steps <
            1.2 * static_cast<double>(alone.statistics.steps) + 4 * 25 / std::sqrt(12 * tolerance) + 300);
    }
  }
}

TEST_CASE("a motion that becomes infinite ends the run there (T-step-8)") {
  struct BlowUp {
    const char* force;
    double x, v, until, end;  // s: ∫ dx/√(v² + 2 ∫ force) from x on
  };
  for (const auto& [force, x, v, until, end] :
       {BlowUp{"x^3", 1, 1, 3, 1.3110287771461}, BlowUp{"x^3", 2, std::sqrt(8), 40, 0.7071067811865},
        BlowUp{"6*x^2", 1, 2, 3, 1}, BlowUp{"exp(x)", 0, std::sqrt(2), 5, std::sqrt(2)}})
    for (const double tolerance : {1e-3, 1e-4}) {
      INFO(force, ", tolerance ", tolerance);
      const TextRun run(
          fmt::format("  e: {{type: math.equations, unknowns: {{x: {{kind: position, initial: {:.17g}, rate: "
                      "{:.17g}}}}}, equations: {{x: der2(x) = {}}}}}",
                      x, v, force),
          fmt::format("until: {}, adaptive: true, tolerance: {}, output_every: {} s", until, tolerance,
                      0.1 * until),
          {"e.x"}, "units: SI", true);
      CHECK((run.failure == "E-DIVERGED" || run.failure == "E-NEWTON"));
      CHECK(std::abs(run.state.t - end) < 1e-2 * end);
    }
}

TEST_CASE("mechanisms whose drives prescribe everything follow them, whatever the length of the run") {
  struct Drive {
    double amplitude, rate;  // m, rad/s
  };
  for (const double until : {3.0, 40.0})
    for (const auto& [amplitude, rate] : {Drive{1, 5}, Drive{0.02, 31}, Drive{3, 0.7}})
      for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
        INFO(until, " s, ", amplitude, " m, ", rate, " rad/s, tolerance ", tolerance);
        const TextRun run(
            fmt::format(R"y(
    m: {{type: translational.mass, mass: 1, initial: {{velocity: {2:.17g}}}}}
    d: {{type: translational.motion, at: m, position: "(1 m)*{0}*sin(({1} rad/s)*t)"}}
    s: {{type: translational.spring, stiffness: 3, between: [ground, m]}})y",
                        amplitude, rate, amplitude * rate),
            fmt::format("until: {}, adaptive: true, tolerance: {}, output_every: 0.05 s", until, tolerance),
            {"m.position", "m.velocity"}, "units: SI");
        double x = 0, v = 0;
        for (std::size_t i = 0; i < run.rows.size(); ++i) {
          x = std::max(x, std::abs(run.rows[i][0] - amplitude * std::sin(rate * run.t[i])));
          v = std::max(v, std::abs(run.rows[i][1] - amplitude * rate * std::cos(rate * run.t[i])));
        }
        CHECK(x < 2 * tolerance * amplitude);
        CHECK(v < 60 * tolerance * amplitude * rate);  // between steps, of one order less
      }
  // A slider-crank has two branches; position of the slider, exact.
  struct Crank {
    double rod, start, speed;  // m, rad, rad/s
  };
  for (const auto& [rod, start, speed] : {Crank{2, 0.3, 2}, Crank{1.2, 0, 2}, Crank{3, 0.3, -3.5}})
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-6}) {
      INFO("rod of ", rod, " m, tolerance ", tolerance);
      const TextRun run(
          fmt::format(R"y(
    crank: {{type: body.box, size: [1, 0.1, 0.1], density: 700, initial: {{position: [0.5, 0, 0]}}}}
    rod: {{type: body.box, size: [{0}, 0.1, 0.1], density: 700, initial: {{position: [{1}, 0, 0]}}}}
    slider: {{type: body.sphere, radius: 0.1, mass: 2, initial: {{position: [{2}, 0, 0]}}}}
    main: {{type: joint.revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], initial: {{angle: {3}}}}}
    pin: {{type: joint.revolute, between: [crank, rod], at: [1, 0, 0], axis: [0, 0, 1]}}
    wrist: {{type: joint.point_on_line, between: [rod, slider], at: [{2}, 0, 0], axis: [0, 0, 1]}}
    guide: {{type: joint.prismatic, between: [ground, slider], at: [{2}, 0, 0], axis: [1, 0, 0]}}
    drive: {{type: rotational.motion, at: main, angle: "({3} rad) + ({4} rad/s)*t"}})y",
                      rod, 1 + rod / 2, 1 + rod, start, speed),
          fmt::format("until: 10, adaptive: true, tolerance: {}, output_every: 0.1 s", tolerance),
          {"slider.position.x"}, "units: SI\ngravity: none\nstart: assembled");
      double off = 0;
      for (std::size_t i = 0; i < run.rows.size(); ++i) {
        const double angle = start + speed * run.t[i];
        off = std::max(off, std::abs(run.rows[i][0] - std::cos(angle) -
                                     std::sqrt(rod * rod - std::pow(std::sin(angle), 2))));
      }
      CHECK(off < 10 * tolerance);
    }
}
