// Modes before memory: whatever switches or samples has its state at the start before anything remembers the start (T-start-8).
// A mode element whose output does not change is a constant: everything behind it must start as behind that constant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const std::vector<std::string> schemes = {"generalized-alpha", "variational", "spook"};

std::string settings(double until, double step, const std::string& scheme) {
  return fmt::format("until: {}, step: {}, scheme: {}", until, step, scheme);
}

/// Everything that remembers or samples, behind a signal `u`.
const std::string behind = R"(
  hold: {type: sampled.hold, period: 0.1, input: u}
  late_hold: {type: sampled.hold, period: 0.1, delay: 0.02, input: u}
  late: {type: control.delay, delay: 0.137, input: u}
  later: {type: control.delay, delay: 0.05, input: hold}
  slope: {type: control.derivative, filter: 0.01, input: u}
  pid: {type: control.pid, kp: 1.5, ki: 0.3, kd: 1, derivative_filter: 0.05, input: u}
  digital: {type: sampled.pid, period: 0.05, kp: 2, ki: 3, kd: 0.1, setpoint: u, measurement: late}
  sum: {type: control.integrator, input: late}
  lag: {type: control.first_order, time_constant: 0.07, input: hold})";
const std::vector<std::string> looked_at = {"hold", "late_hold", "late", "later", "slope",
                                            "pid",  "digital",   "sum",  "lag"};

void same_rows(const TextRun& one, const TextRun& other, double tolerance) {
  REQUIRE(one.rows.size() == other.rows.size());
  for (std::size_t k = 0; k < one.rows.size(); ++k)
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
      INFO("t = ", one.t[k], ", ", looked_at[i]);
      CHECK(one.rows[k][i] == doctest::Approx(other.rows[k][i]).epsilon(tolerance));
    }
}

}  // namespace

TEST_CASE("what is behind a relay, switch of levels, quantiser or comparison starts as behind a constant") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 12; ++k) {
    const double c = 3 * uniform(random), threshold = c - (0.1 + std::abs(uniform(random))),
                 low = uniform(random), high = low + 0.5 + std::abs(uniform(random)),
                 interval = 0.2 + 0.2 * std::abs(uniform(random));
    const double nearest = interval * std::round(c / interval);
    const std::vector<std::pair<std::string, double>> elements = {
        {fmt::format("{{type: control.relay, input: c, threshold: {}, low: {}, high: {}}}", threshold, low,
                     high),
         high},
        {fmt::format("{{type: control.hysteresis, input: c, lower: {}, upper: {}, low: {}, high: {}}}",
                     threshold - 0.3, threshold, low, high),
         high},
        {fmt::format("{{type: control.quantiser, input: c, interval: {}}}", interval), nearest},
        {fmt::format("{{type: control.comparison, input: c, constant: {}}}", threshold), 1.0}};
    const auto& [element, value] = elements[k % elements.size()];
    const std::string& scheme = schemes[k % schemes.size()];
    CAPTURE(element);
    CAPTURE(scheme);
    const std::string source = fmt::format("  c: {{type: control.constant, value: {}}}\n", c);
    const std::string how = settings(0.4, k % 2 ? 0.02 : 0.013, scheme);
    const TextRun with(source + "  u: " + element + behind, how, looked_at, "units: SI");
    const TextRun plain(fmt::format("  u: {{type: control.constant, value: {}}}", value) + behind, how,
                        looked_at, "units: SI");
    same_rows(with, plain, 1e-12);
    CHECK(with.statistics.event_count == plain.statistics.event_count);
  }
}

TEST_CASE("a chain of samples and relays at the first instant") {
  // As with gains for the relays: every block of the chain samples what belongs to the same instant.
  const std::string chain = R"(
  c: {type: control.constant, value: 2}
  one: {type: sampled.hold, period: 0.1, input: c}
  first: {type: control.relay, input: one}
  two: {type: sampled.hold, period: 0.1, input: first}
  second: {type: control.relay, input: two}
  late: {type: control.delay, delay: 0.03, input: second})";
  for (const std::string& scheme : schemes) {
    const TextRun run(chain, settings(0.2, 0.02, scheme), {"one", "first", "two", "second", "late"},
                      "units: SI");
    for (const auto& row : run.rows) {
      CHECK(row[0] == 2);
      for (int i = 1; i < 5; ++i) CHECK(row[i] == doctest::Approx(1).epsilon(1e-12));
    }
  }
}

TEST_CASE("a delay behind a relay of a sine: the side of the start is the past") {
  for (const auto& [amplitude, frequency, phase, delay] : {std::tuple{1.0, 0.77, 0.4, 0.137},
                                                           {2.0, 0.3, 0.1, 0.05},
                                                           {0.5, 1.1, 3.6, 0.08},
                                                           {3.0, 0.5, -0.7, 0.11}}) {
    const double side = std::sin(phase) > 0 ? 1 : -1;
    for (const std::string& scheme : schemes) {
      const TextRun run(fmt::format(R"(
  s: {{type: control.sine, amplitude: {}, frequency: {}, phase: {}}}
  r: {{type: control.relay, input: s}}
  d: {{type: control.delay, delay: {}, input: r}}
  i: {{type: control.integrator, input: d}})",
                                    amplitude, frequency, phase, delay),
                        settings(delay, delay / 7, scheme), {"d", "i"}, "units: SI");
      for (std::size_t k = 0; k < run.t.size(); ++k) {
        CHECK(run.rows[k][0] == side);
        CHECK(run.rows[k][1] == doctest::Approx(side * run.t[k]).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("the operating point of a circuit is that of its switches and diodes as they are") {
  for (const auto& [volts, R, on, L] : {std::tuple{10.0, 10.0, 0.01, 0.1},
                                        {24.0, 3.0, 0.5, 0.02},
                                        {-5.0, 100.0, 1.0, 1.0},
                                        {230.0, 47.0, 0.1, 3e-3}}) {
    const double current = volts / (R + on);
    const auto circuit = [&](const std::string& element) {
      return fmt::format(R"(
  v: {{type: electric.voltage_source, value: {}, between: [a, ground]}}
  on: {{type: control.constant, value: 1}}
  {}
  L: {{type: electric.inductor, inductance: {}, between: [b, c]}}
  R: {{type: electric.resistor, resistance: {}, between: [c, ground]}}
  C: {{type: electric.capacitor, capacitance: 1e-3, between: [c, ground]}})",
                         volts, element, L, R);
    };
    const std::string ends = volts > 0 ? "[a, b]" : "[b, a]";
    const std::vector<std::string> elements = {
        fmt::format(
            "s: {{type: electric.switch, input: on, threshold: 0.5, on_resistance: {}, off_resistance: 1e6, "
            "between: [a, b]}}",
            on),
        fmt::format("s: {{type: electric.switch, control: [a, ground], threshold: {}, hysteresis: 0.5, "
                    "on_resistance: "
                    "{}, between: [a, b]}}",
                    std::min(volts, 0.0) - 1, on),
        fmt::format("s: {{type: electric.ideal_diode, on_resistance: {}, off_conductance: 0, between: {}}}",
                    on, ends)};
    for (const std::string& element : elements)
      for (const std::string& scheme : schemes) {
        CAPTURE(element);
        CAPTURE(scheme);
        const TextRun run(circuit(element), settings(0.01, 1e-3, scheme), {"L.current", "C.voltage"},
                          "units: SI\nnodes: {electrical: [a, b, c]}");
        for (const auto& row : run.rows) {
          CHECK(row[0] == doctest::Approx(current).epsilon(1e-9));
          CHECK(row[1] == doctest::Approx(R * current).epsilon(1e-9));
        }
        CHECK(run.statistics.event_count == 0);
      }
  }
}

TEST_CASE("what the model gives stays given, whichever way the switch is") {
  const TextRun run(R"(
  v: {type: electric.voltage_source, value: 10, between: [a, ground]}
  on: {type: control.constant, value: 1}
  s: {type: electric.switch, input: on, threshold: 0.5, on_resistance: 1, between: [a, b]}
  L: {type: electric.inductor, inductance: 0.1, initial: {current: 0.25}, between: [b, c]}
  R: {type: electric.resistor, resistance: 10, between: [c, ground]})",
                    settings(0.01, 1e-3, "generalized-alpha"), {"L.current"},
                    "units: SI\nnodes: {electrical: [a, b, c]}");
  for (std::size_t k = 0; k < run.t.size(); ++k)
    CHECK(run.rows[k][0] ==
          doctest::Approx(10.0 / 11 + (0.25 - 10.0 / 11) * std::exp(-110 * run.t[k])).epsilon(2e-3));
  CHECK(run.rows[0][0] == 0.25);
}

TEST_CASE("modes that do not come to hold at the start are named") {
  // It negates itself: neither side holds.
  const std::string loop = R"(
  a: {type: control.relay, input: minus_a}
  minus_a: {type: control.gain, gain: -1, input: a})";
  CHECK_THROWS_WITH(TextRun(loop, "until: 1, step: 0.1", {"a"}, "units: SI"), doctest::Contains("E-CHATTER"));
}

TEST_CASE(
    "rest on a moving belt: friction slides at the belt's velocity, and the spring bears it "
    "(T-equilibrium-6)") {
  for (const auto& [speed, k, coulomb, start] : {std::tuple{0.2, 50.0, 4.0, 0.0},
                                                 {-0.05, 300.0, 2.0, 0.01},
                                                 {1.5, 1000.0, 35.0, -0.2},
                                                 {0.3, 20.0, 0.5, 0.7}}) {
    CAPTURE(speed);
    const double F = std::copysign(coulomb, speed);
    const std::string belt = fmt::format(
        "  belt: {{type: translational.mass, mass: 5, initial: {{velocity: {0}}}}}\n"
        "  drive: {{type: translational.motion, position: ({0} m/s)*t, at: belt}}\n"
        "  a: {{type: translational.mass, mass: 1, initial: {{position: {1}, velocity: {0}}}}}\n",
        speed, start);
    const auto spring = [k = k](const char* at) {
      return fmt::format("  s: {{type: translational.spring, stiffness: {}, between: [ground, {}]}}\n", k,
                         at);
    };
    const auto friction = [](const char* name, double force, const char* ends) {
      return fmt::format("  {}: {{type: translational.friction, coulomb: {}, between: [{}]}}\n", name, force,
                         ends);
    };
    const std::vector<std::string> channels = {"a.position", "a.velocity", "a.acceleration", "s.force"};
    const auto block = at_rest(belt + spring("a") + friction("f", coulomb, "belt, a"), channels, "units: SI");
    CHECK(block[0] == doctest::Approx(F / k).epsilon(1e-9));
    CHECK(std::abs(block[1]) < 1e-9);
    CHECK(std::abs(block[2]) < 1e-6);
    // Two frictions side by side are one with their sum; a damper acts by its velocity.
    const auto two = at_rest(belt + spring("a") + friction("f", 0.3 * coulomb, "belt, a") +
                                 friction("g", 0.7 * coulomb, "belt, a"),
                             channels, "units: SI");
    CHECK(two[0] == doctest::Approx(F / k).epsilon(1e-9));
    const auto damped = at_rest(
        belt + spring("a") +
            fmt::format("  d: {{type: translational.damper, damping: {}, between: [belt, a]}}\n", coulomb),
        channels, "units: SI");
    CHECK(damped[0] == doctest::Approx(coulomb * speed / k).epsilon(1e-9));
    CHECK(std::abs(damped[1]) < 1e-9);
    // Without a spring it rides.
    const auto riding = at_rest(belt + friction("f", coulomb, "belt, a"),
                                {"a.position", "a.velocity", "f.force"}, "units: SI");
    CHECK(riding[1] == doctest::Approx(speed));
    CHECK(std::abs(riding[2]) < 1e-9);
    // In series the weaker friction slides, and what is between them rides or stands.
    const std::string b = "  b: {type: translational.mass, mass: 2}\n";
    for (const double weaker : {0.6, 1.5}) {
      const auto series = at_rest(belt + b + spring("b") + friction("f", coulomb, "belt, a") +
                                      friction("g", weaker * coulomb, "a, b"),
                                  {"s.force", "a.velocity", "b.velocity"}, "units: SI");
      CHECK(series[0] == doctest::Approx(std::min(1.0, weaker) * F).epsilon(1e-9));
      CHECK(std::abs(series[1] - (weaker < 1 ? speed : 0)) < 1e-9);
      CHECK(std::abs(series[2]) < 1e-9);
    }
    // From there nothing moves but the belt.
    const TextRun run(belt + spring("a") + friction("f", coulomb, "belt, a"), "until: 1, step: 0.01",
                      channels, "units: SI\nstart: equilibrium");
    for (const auto& row : run.rows) CHECK(row[0] == doctest::Approx(F / k).epsilon(1e-8));
  }
}

TEST_CASE("rest that lasts for an instant only is told") {
  static const Registry registry = standard_registry();
  for (const auto& [speed, k] : {std::tuple{0.2, 50.0}, {-1.0, 700.0}, {0.01, 3.0}}) {
    const auto warned = [&](const std::string& more) {
      const Model model = Model::read_text(
          fmt::format("escapement: 1\nunits: SI\ncomponents:\n  base: {{type: translational.mass, mass: 5}}\n"
                      "  drive: {{type: translational.motion, position: ({} m/s)*t, at: base}}\n"
                      "  a: {{type: translational.mass, mass: 1}}\n"
                      "  s: {{type: translational.spring, stiffness: {}, between: [base, a]}}\n{}"
                      "start: equilibrium\nsimulate: {{until: 1, step: 0.01}}\n",
                      speed, k, more),
          "text", registry);
      const Assembly assembly = assemble(model);
      const auto warnings = prepare(assembly, prepare_options(model)).warnings;
      return std::any_of(warnings.begin(), warnings.end(), [](const auto& w) { return w.code == "W-REST"; });
    };
    CHECK(
        warned(fmt::format("  g: {{type: translational.spring, stiffness: {}, between: [ground, a]}}\n", k)));
  }
}

TEST_CASE("an assembled start keeps velocities away from a stop, and takes away those into it (T-start-10)") {
  for (const auto& [place, given, speed] :
       {std::tuple{0.001, 0.0, 0.2}, {-0.3, -0.5, 1.0}, {2.0, 1.7, 1e-4}}) {
    CAPTURE(place);
    for (const double side : {1.0, -1.0}) {  // lower and upper limits
      const auto model = [&](double v, const std::string& more = "") {
        return fmt::format(
            "  m: {{type: translational.mass, mass: 1, initial: {{position: {}, velocity: {}}}}}\n"
            "  e: {{type: translational.end_stop, {}: {}, restitution: 0.5, between: [ground, m]}}\n{}",
            side * given, side * v, side > 0 ? "lower" : "upper", side * place, more);
      };
      const std::vector<std::string> channels = {"m.position", "m.velocity"};
      const std::string how = "until: 0.5, step: 0.01", head = "units: SI\nstart: assembled";
      const TextRun away(model(speed), how, channels, head);
      CHECK(away.rows[0][0] == doctest::Approx(side * place).epsilon(1e-12));
      CHECK(away.rows[0][1] == doctest::Approx(side * speed).epsilon(1e-12));
      CHECK(away.last[0] == doctest::Approx(side * (place + 0.5 * speed)).epsilon(1e-9));
      const TextRun into(model(-speed), how, channels, head);
      CHECK(std::abs(into.rows[0][1]) < 1e-12);
      // A belt to which it sticks takes it away, or slides.
      for (const double belt : {speed, -speed}) {
        const TextRun stuck(
            model(belt,
                  fmt::format("  belt: {{type: translational.mass, mass: 5, initial: {{velocity: {0}}}}}\n"
                              "  d: {{type: translational.motion, position: ({0} m/s)*t, at: belt}}\n"
                              "  f: {{type: translational.friction, coulomb: 4, between: [belt, m]}}\n",
                              side * belt)),
            how, channels, head);
        CHECK(std::abs(stuck.rows[0][1] - (belt > 0 ? side * speed : 0)) < 1e-9);
        CHECK(stuck.last[0] == doctest::Approx(side * (place + (belt > 0 ? 0.5 * speed : 0))).epsilon(1e-9));
      }
    }
  }
}
