// Adaptive steps of circuits (T-error-5, 7, 8): what is right at the ends of steps is right between them, what decays does not
// ask for steps that what stays would not, what oscillates keeps the tolerance; no ringing after corners (T-settle).
#include "run_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

std::string adaptive(const char* until, double tolerance, const char* every) {
  return fmt::format("until: {}, adaptive: true, tolerance: {:g}, output_every: {}", until, tolerance, every);
}

/// The largest difference between a channel and a function of time, over tolerance · (size + 1 V).
double off(const TextRun& run, int channel, double tolerance, double size,
           const std::function<double(double)>& exact) {
  double worst = 0;
  for (std::size_t i = 0; i < run.t.size(); ++i)
    worst = std::max(worst, std::abs(run.rows[i][channel] - exact(run.t[i])));
  return worst / (tolerance * (size + 1));
}

}  // namespace

TEST_CASE("without storage: the steps resolve the source") {
  const std::string divider = R"yaml(
  v: {type: electric.voltage_source, sine: {amplitude: 5 V, frequency: 1 kHz}, between: [in, ground]}
  r1: {type: electric.resistor, resistance: 1 kohm, between: [in, out]}
  r2: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
)yaml";
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const TextRun run(divider, adaptive("3 ms", tolerance, "3 us"), {"out.voltage"},
                      "nodes: {electrical: [in, out]}");
    const double error =
        off(run, 0, tolerance, 2.5, [](double t) { return 2.5 * std::sin(2 * pi * 1e3 * t); });
    MESSAGE(fmt::format("divider, tolerance {:g}: {} steps, off by {:.2f} tolerances", tolerance,
                        run.sizes.size(), error));
    CHECK(error < 1e-6);  // rows within steps follow from their equations, too (T-dense-3)
    CHECK(run.sizes.size() > 60);
  }
}

TEST_CASE("a nanosecond and a millisecond: as few steps as both need") {
  const std::string cascade = R"yaml(
  v: {type: electric.voltage_source, pulse: {high: 1 V, delay: 1 us}, between: [in, ground]}
  r1: {type: electric.resistor, resistance: 1 kohm, between: [in, a]}
  c1: {type: electric.capacitor, capacitance: 1 pF, between: [a, ground]}
  stage: {type: electric.vcvs, gain: 1, between: [b, ground], control: [a, ground]}
  r2: {type: electric.resistor, resistance: 1 kohm, between: [b, out]}
  c2: {type: electric.capacitor, capacitance: 1 uF, between: [out, ground]}
)yaml";
  const double fast = 1e-9, slow = 1e-3;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const TextRun run(cascade, adaptive("3 ms", tolerance, "1 us"), {"a.voltage", "out.voltage"},
                      "nodes: {electrical: [in, a, b, out]}");
    const double first =
        off(run, 0, tolerance, 1, [&](double t) { return t < 1e-6 ? 0 : -std::expm1(-(t - 1e-6) / fast); });
    const double second = off(run, 1, tolerance, 1, [&](double t) {
      const double s = t - 1e-6;
      return s < 0 ? 0 : 1 - (slow * std::exp(-s / slow) - fast * std::exp(-s / fast)) / (slow - fast);
    });
    MESSAGE(fmt::format("cascade, tolerance {:g}: {} steps, off by {:.2f} and {:.2f} tolerances", tolerance,
                        run.sizes.size(), first, second));
    CHECK(first < 2);
    CHECK(second < 2);
    CHECK(run.sizes.size() < 20 / std::sqrt(tolerance));  // of second order
  }
}

TEST_CASE("what oscillates keeps the tolerance over all its periods") {
  const std::string tank = R"yaml(
  c: {type: electric.capacitor, capacitance: 1 uF, between: [a, ground], initial: {voltage: 1 V}}
  l: {type: electric.inductor, inductance: 1 mH, between: [a, ground], initial: {current: 0 A}}
)yaml";
  const double omega = 1 / std::sqrt(1e-9);
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const TextRun run(tank, adaptive("4 ms", tolerance, "2 us"), {"a.voltage"},
                      "nodes: {electrical: [a]}");  // 20 periods
    const double error = off(run, 0, tolerance, 1, [&](double t) { return std::cos(omega * t); });
    MESSAGE(fmt::format("tank, tolerance {:g}: {} steps, off by {:.2f} tolerances", tolerance,
                        run.sizes.size(), error));
    CHECK(error < 3);
  }
}

TEST_CASE("a diode with a transit time and nothing else that stores") {
  const std::string recovery = R"yaml(
  v: {type: electric.voltage_source, sine: {amplitude: 5 V, frequency: 1 kHz}, between: [in, ground]}
  r: {type: electric.resistor, resistance: 1 kohm, between: [in, a]}
  d: {type: electric.diode, saturation_current: 1e-14 A, transit_time: 1 us, between: [a, ground]}
)yaml";
  const std::string nodes = "nodes: {electrical: [in, a]}";
  const TextRun reference(recovery, adaptive("3 ms", 1e-7, "10 us"), {"a.voltage"}, nodes);
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const TextRun run(recovery, adaptive("3 ms", tolerance, "10 us"), {"a.voltage"}, nodes);
    REQUIRE(run.rows.size() == reference.rows.size());
    double error = 0;
    for (std::size_t i = 0; i < run.rows.size(); ++i)
      error = std::max(error, std::abs(run.rows[i][0] - reference.rows[i][0]));
    error /= tolerance * 6;
    MESSAGE(fmt::format("recovery, tolerance {:g}: {} steps, off by {:.2f} tolerances", tolerance,
                        run.sizes.size(), error));
    CHECK(error < 3);
    CHECK(run.sizes.size() < 20 / std::sqrt(tolerance));
  }
}

// A Zener diode with little resistance against steps of 10 us: with the rho of mechanics for its first steps its current swung by
// hundreds of amperes after every corner.
TEST_CASE("corners do not ring") {
  const std::string regulator = R"yaml(
  v: {type: electric.voltage_source, value: 15 V, between: [in, ground]}
  r: {type: electric.resistor, resistance: 680 ohm, between: [in, z]}
  d: {type: electric.diode, saturation_current: 1e-15 A, series_resistance: 0.05 ohm, breakdown_voltage: 6.2 V, junction_capacitance: 100 pF, between: [ground, z]}
  i: {type: electric.current_source, pulse: {high: 5 mA, delay: 1 ms, rise: 0.1 ms, fall: 0.1 ms, width: 1 ms}, between: [z, ground]}
)yaml";
  const TextRun run(regulator, "until: 4 ms, step: 10 us", {"d.current", "i.current"},
                    "nodes: {electrical: [in, z]}");
  double worst = 0;
  for (std::size_t k = 1; k < run.rows.size();
       ++k)  // what the load takes the diode gives up, but for the resistor
    worst = std::max(worst, std::abs(run.rows[k][0] - run.rows[0][0] - run.rows[k][1] + run.rows[0][1]));
  MESSAGE(fmt::format("the current of the diode is off by {:.2e} A at most", worst));
  CHECK(worst < 2.5e-5);  // 5 mA through the 2.5 ohm of the breakdown are 13 mV, 1.9e-5 A through 680 ohm
}
