// Stiff parts at starts and jumps (T-settle): what decays or swings faster than the steps can follow comes to rest where it should,
// at every rho, and order 2 stays. Closed solutions: v' = −v/τ, x' = v ends at x = τ v(0); an RC and an RL circuit likewise.
#include "run_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace escapement;
using namespace escapement::validation;

namespace {

const std::vector<double> radii = {0, 0.2, 0.5, 0.8, 0.9, 0.99, 1};

std::string steps(double until, double h, double rho, const std::string& more = "") {
  return fmt::format("until: {:.17g} s, step: {:.17g} s, rho: {:g}{}", until, h, rho, more);
}

/// A mass with 1 m/s in a damper with the time constant τ; pushed so that it keeps its speed until `pushed`, if that is not 0.
TextRun braked(double tau, double damping, double h, double rho, double pushed, double until,
               const std::string& more = "") {
  std::string text = fmt::format(
      "  m: {{type: translational.mass, mass: {:.17g} kg, initial: {{velocity: 1 m/s}}}}\n"
      "  d: {{type: translational.damper, damping: {:.17g} N*s/m, between: [ground, m]}}\n",
      tau * damping, damping);
  if (pushed > 0)
    text += fmt::format(
        "  on: {{type: control.step, time: {:.17g} s, before: {:.17g} N, after: 0 N, unit: N}}\n"
        "  push: {{type: translational.force, at: m, input: on}}\n",
        pushed, damping);
  return TextRun(text, steps(until, h, rho, more), {"m.position", "m.velocity", "m.acceleration"});
}

}  // namespace

TEST_CASE("a mass in a damper comes to rest where it should, from tau/h = 1e-8 to 1e2") {
  struct Numbers {
    double h, damping;
  };
  double worst = 0;
  for (const auto [h, damping] : {Numbers{0.1, 1000}, {0.01, 1000}, {3e-4, 7}, {2, 0.05}})
    for (const double ratio : {1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1})
      for (const double rho : radii)
        for (const bool jump : {false, true}) {
          const double tau = ratio * h, pushed = jump ? 5 * h : 0;
          const TextRun run = braked(tau, damping, h, rho, pushed, 40 * h);
          // The way up to the jump rounds by more than 0.2 % of the shortest ways after it.
          const double rounding = 1e-14 * pushed / tau;
          const double error = std::abs(run.last[0] - pushed - tau) / tau;
          INFO("h ", h, " tau/h ", ratio, " rho ", rho, " jump ", jump);
          CHECK(error < 2e-3 + rounding);
          if (ratio > 1e-6) worst = std::max(worst, error);
        }
  MESSAGE(fmt::format("tau/h <= 0.1: off by {:.1e} tau v at most", worst));
  for (const double rho :
       radii)  // … and where steps resolve it, by no more than generalized-α owes (T-settle-7)
    for (const double ratio : {0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0}) {
      const double h = 0.01, tau = ratio * h, owed = std::pow((1 - rho) / (1 + rho) / ratio, 2) / 4;
      const TextRun run = braked(tau, 1, h, rho, 0, (40 + 30 * ratio) * h);
      INFO("tau/h ", ratio, " rho ", rho);
      CHECK(std::abs(run.last[0] - tau) / tau < 1.01 * owed + 1e-8);
    }
}

TEST_CASE("a bumper between two masses, and a jump of the force on one of them") {
  struct Numbers {
    double m1, m2, damping, h;
  };
  for (const auto [m1, m2, c, h] :
       {Numbers{1, 0.1, 1000, 0.01}, {1000, 0.01, 500, 0.02}, {5, 5, 1e6, 1e-3}, {0.02, 300, 50, 0.05}})
    for (const double rho : radii) {
      const std::string text = fmt::format(
          "  a: {{type: translational.mass, mass: {} kg, initial: {{velocity: 1 m/s}}}}\n"
          "  b: {{type: translational.mass, mass: {} kg}}\n"
          "  c: {{type: translational.damper, damping: {} N*s/m, between: [a, b]}}\n",
          m1, m2, c);
      const TextRun run(text, steps(60 * h, h, rho),
                        {"a.position", "b.position", "a.velocity", "b.velocity"});
      const double way = m1 * m2 / (m1 + m2) / c, speed = m1 / (m1 + m2);
      INFO("m1 ", m1, " m2 ", m2, " rho ", rho);
      CHECK(run.last[0] - run.last[1] == doctest::Approx(way).epsilon(2e-3));
      CHECK(run.last[0] == doctest::Approx(60 * h * speed + m2 / (m1 + m2) * way).epsilon(1e-6));
      CHECK(run.last[2] == doctest::Approx(speed).epsilon(1e-6));
    }
}

TEST_CASE("circuits: a source that drops, a coil that is interrupted") {
  struct Numbers {
    double tau, h;
  };
  for (const auto [tau, h] : {Numbers{1e-9, 1e-7}, {1e-6, 1e-2}, {3e-5, 3e-4}, {1e-10, 1e-2}})
    for (const double rho : radii) {
      const std::string text = fmt::format(
          "  p: {{type: electric.voltage_source, pulse: {{low: 0 V, high: 1 V, width: {:.17g} s}}, between: "
          "[src, "
          "ground]}}\n"
          "  R: {{type: electric.resistor, resistance: 1 ohm, between: [src, out]}}\n"
          "  C: {{type: electric.capacitor, capacitance: {:.17g} F, initial: {{voltage: 1 V}}, between: "
          "[out, "
          "ground]}}\n"
          "  n: {{type: control.variable, value: 0}}\n"
          "  below: {{type: event.crossing, inputs: {{u: out.voltage, n: n}}, expression: u + 0.01 V, "
          "direction: "
          "falling, set: {{n: n + 1}}}}\n",
          5 * h, tau);
      const TextRun run(text, steps(15 * h, h, rho), {"out.voltage", "n"}, "nodes: {electrical: [src, out]}");
      INFO("tau ", tau, " h ", h, " rho ", rho);
      for (std::size_t k = 0; k < run.t.size(); ++k)
        if (run.t[k] > 5.5 * h) CHECK(std::abs(run.rows[k][0]) < 2.5e-3);  // |R(−10)| = 2.4e-3
      CHECK(run.last[1] == 0);                                             // it never falls below zero
    }
  for (const double h : {1e-3, 2.3e-4, 5e-3})
    for (const double open : {1e6, 1e4})
      for (const double rho : radii) {
        const double end = 10 / (10 + open), decay = 0.1 / open;
        const std::string text = fmt::format(R"yaml(
  v: {{type: electric.voltage_source, value: 10 V, between: [a, ground]}}
  st: {{type: control.step, time: {:.17g} s, before: 1, after: 0}}
  s: {{type: electric.switch, input: st, threshold: 0.5, on_resistance: 0.01 ohm, off_resistance: {} ohm, between: [a, b]}}
  L: {{type: electric.inductor, inductance: 0.1 H, between: [b, c]}}
  R: {{type: electric.resistor, resistance: 10 ohm, between: [c, ground]}}
)yaml",
                                             50 * h, open);
        const TextRun run(text, steps(60 * h, h, rho), {"L.current"}, "nodes: {electrical: [a, b, c]}");
        INFO("h ", h, " rho ", rho, " open ", open);
        if (decay > 0.1 * h) continue;
        for (std::size_t k = 0; k < run.t.size(); ++k)
          if (run.t[k] > 50.5 * h) CHECK(std::abs(run.rows[k][0] - end) < 2e-3);
        CHECK(std::abs(run.last[0] - end) < 1e-6);
      }
}

// Two coils in series hold one current (index 2): the voltage between them is L2 di/dt + R i, whatever the steps.
TEST_CASE("index 2: the voltage between two coils") {
  for (const double resistance : {1e6, 1e4, 3e7})
    for (const double rho : {0.0, 0.5, 0.8, 0.99}) {
      const std::string text = fmt::format(R"yaml(
  s: {{type: electric.current_source, pulse: {{low: 0 A, high: 0 A}}, between: [a, ground]}}
  R: {{type: electric.resistor, resistance: {} ohm, between: [a, ground]}}
  L1: {{type: electric.inductor, inductance: 0.1 H, initial: {{current: 1 A}}, between: [a, b]}}
  L2: {{type: electric.inductor, inductance: 0.3 H, between: [b, ground]}}
)yaml",
                                           resistance);
      const TextRun run(text, steps(0.02, 1e-3, rho), {"L1.current", "L2.current", "a.voltage", "b.voltage"},
                        "nodes: {electrical: [a, b]}");
      INFO("R ", resistance, " rho ", rho);
      for (std::size_t k = 1; k < run.t.size(); ++k) {
        CHECK(std::abs(run.rows[k][0]) < 2e-3);
        CHECK(std::abs(run.rows[k][0] - run.rows[k][1]) < 1e-8);
        // v_b = L2 di/dt = L2/(L1 + L2) v_a
        CHECK(std::abs(run.rows[k][3] - 0.75 * run.rows[k][2]) < 1e-6 * resistance);
      }
    }
}

// A slow oscillator with a light part in a stiff damper on it: started, and hit by a jump, with the light part moving. The slow
// motion, the reaction of the stiff part included, is of second order from the first step on.
TEST_CASE("order 2 in every quantity, from the start") {
  const std::string text = R"yaml(
  a: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  b: {type: translational.mass, mass: 1 g, initial: {position: 1 m, velocity: 2 m/s}}
  k: {type: translational.spring, stiffness: 30 N/m, between: [ground, a]}
  c: {type: translational.damper, damping: 1000 N*s/m, between: [a, b]}
  on: {type: control.step, time: 0.4 s, before: 0 N, after: 5 N, unit: N}
  push: {type: translational.force, at: b, input: on}
  x: {type: control.first_order, gain: 1, time_constant: 0.2 s, input: a.velocity}
)yaml";
  const std::vector<std::string> channels = {"a.position", "a.velocity",     "a.acceleration",
                                             "b.velocity", "b.acceleration", "x"};
  for (const double rho : {0.0, 0.5, 0.8, 0.99}) {
    const TextRun reference(text, steps(1, 0.02 / 128, 0.9, ", output_every: 128"), channels);
    std::vector<std::vector<double>> errors;
    for (const int parts : {1, 2, 4}) {
      const TextRun run(text, steps(1, 0.02 / parts, rho, fmt::format(", output_every: {}", parts)),
                        channels);
      auto& worst = errors.emplace_back(channels.size(), 0.0);
      for (std::size_t k = 1; k < run.t.size(); ++k) {
        if (std::abs(run.t[k] - 0.4) < 1e-6) continue;  // both sides of the jump
        for (std::size_t c = 0; c < channels.size(); ++c)
          worst[c] = std::max(worst[c], std::abs(run.rows[k][c] - reference.at(run.t[k])[c]));
      }
    }
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const double order = std::log2(errors[1][c] / errors[2][c]);
      MESSAGE(fmt::format("rho {}: {} {:.2e} {:.2e} {:.2e}, order {:.2f}", rho, channels[c], errors[0][c],
                          errors[1][c], errors[2][c], order));
      CHECK(order > 1.8);
    }
  }
}

TEST_CASE("constraints: reactions of a pendulum with a stiff part are of second order") {
  const std::string text = R"yaml(
  bob: {type: body.rigid, mass: 1 kg, principal_inertia: [0.01 kg*m^2, 0.01 kg*m^2, 0.01 kg*m^2], initial: {position: [1 m, 0, 0]}}
  pin: {type: joint.revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}
  m: {type: translational.mass, mass: 1 g, initial: {velocity: 3 m/s}}
  d: {type: translational.damper, damping: 100 N*s/m, between: [ground, m]}
)yaml";
  const std::vector<std::string> channels = {"bob.position.z", "bob.velocity.z", "pin.force.x",
                                             "pin.force.y"};
  const std::string head = "gravity: [0, 0, -9.81 m/s^2]";
  for (const std::string form : {"index-3", "index-2"})
    for (const double rho : {0.0, 0.8}) {
      const std::string how = ", constraints: " + form;
      const TextRun reference(text, steps(0.64, 0.04 / 64, 0.9, how + ", output_every: 64"), channels, head);
      std::vector<std::vector<double>> errors;
      for (const int parts : {2, 4, 8}) {
        const TextRun run(text,
                          steps(0.64, 0.04 / parts, rho, how + fmt::format(", output_every: {}", parts)),
                          channels, head);
        auto& worst = errors.emplace_back(channels.size(), 0.0);
        for (std::size_t k = 1; k < run.t.size(); ++k)
          for (std::size_t c = 0; c < channels.size(); ++c)
            worst[c] = std::max(worst[c], std::abs(run.rows[k][c] - reference.at(run.t[k])[c]));
      }
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const double order = std::log2(errors[1][c] / errors[2][c]);
        INFO(form, " rho ", rho, " ", channels[c], " ", errors[1][c], " ", errors[2][c]);
        CHECK(order > 1.8);
      }
    }
}

// A sampled controller at every step pushes a slow mass through a light stiff part: settling in every step is no weaker than rho
// promises, and of second order.
TEST_CASE("a jump in every step") {
  const auto text = [](double h) {
    return fmt::format(R"yaml(
  a: {{type: translational.mass, mass: 1 kg, initial: {{position: 1 m}}}}
  b: {{type: translational.mass, mass: 1 g, initial: {{position: 1 m}}}}
  c: {{type: translational.damper, damping: 2000 N*s/m, between: [a, b]}}
  p: {{type: sampled.state_space, period: {:.17g} s, A: [[0]], B: [[0, 0]], C: [[0]], D: [[-4, -1]], input: [a.position, a.velocity], unit: N}}
  push: {{type: translational.force, at: b, input: p}}
)yaml",
                       h);
  };
  for (const double rho : {0.0, 0.5, 0.8, 0.99}) {
    std::vector<double> ends;
    for (const double h : {0.05, 0.025, 0.0125}) {
      const TextRun run(text(h), steps(5, h, rho), {"a.position", "b.velocity", "a.velocity"});
      double apart = 0, size = 0;
      for (const auto& row : run.rows) {
        apart = std::max(apart, std::abs(row[1] - row[2]));
        size = std::max(size, std::abs(row[0]));
      }
      INFO("rho ", rho, " h ", h);
      CHECK(size < 1.001);  // nothing grows
      CHECK(apart < 5e-3);  // 4 N over 2000 N s/m, and no ringing beside it
      ends.push_back(run.last[0]);
    }
    // A sampled loop is held for h: its own solution moves by O(h). Against the exact one of each h it is O(h²): the
    // exact map of one period, with the light part following at once.
    std::vector<double> errors;
    int index = 0;
    for (const double h : {0.05, 0.025, 0.0125}) {
      double x = 1, v = 0;
      const double m = 1.001;
      for (int k = 0; k < static_cast<int>(std::lround(5 / h)); ++k) {
        const double f = (-4 * x - v) / m;
        x += h * v + 0.5 * h * h * f;
        v += h * f;
      }
      errors.push_back(std::abs(ends[index++] - x));
    }
    MESSAGE(
        fmt::format("sampled, rho {}: off by {:.1e} {:.1e} {:.1e}", rho, errors[0], errors[1], errors[2]));
    CHECK(errors[2] < 2e-4);
  }
}

TEST_CASE("a stiff spring without damping: rho keeps its meaning") {
  const std::string text = R"yaml(
  m: {type: translational.mass, mass: 1 kg, initial: {position: 0.01 m}}
  k: {type: translational.spring, stiffness: 1e6 N/m, between: [ground, m]}
)yaml";
  for (const double rho : radii) {
    const TextRun run(text, steps(1, 0.01, rho), {"m.position"});  // ωh = 10
    double late = 0;
    for (std::size_t k = run.rows.size() / 2; k < run.rows.size(); ++k)
      late = std::max(late, std::abs(run.rows[k][0]));
    INFO("rho ", rho);
    if (rho == 1) CHECK(late == doctest::Approx(0.01).epsilon(0.01));  // energy is kept
    else CHECK(late < 0.01 * std::max(1e-3, std::pow(rho, 45)));
  }
}

TEST_CASE("rows and events within a settling step do not overshoot") {
  for (const double tau : {1e-6, 1e-4, 5e-3})
    for (const double rho : {0.0, 0.8}) {
      const TextRun run = braked(tau, 1000, 0.1, rho, 0, 1, ", output_every: 10 ms");
      INFO("tau ", tau, " rho ", rho);
      for (const auto& row : run.rows) {
        CHECK(row[0] < 1.003 * tau);
        CHECK(row[0] > -1e-3 * tau);
        CHECK(row[1] < 1 + 1e-12);
        CHECK(row[1] > -3e-3);
      }
    }
}
