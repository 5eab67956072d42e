// Modes before memory: whatever switches or samples has its state at the start before anything remembers the start (T-start-8).
// A mode element whose output does not change is a constant: everything behind it must start as behind that constant.
#include <fmt/format.h>

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
