// M10: three-phase bridge of ideal diodes with coils on the line side and two capacitors (MSL Electrical.Analog.Examples.Rectifier).
// Reference: the library's published trace (Dymola DASSL, trusted to 1e-4).
#include <numbers>

#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("M10: voltages of the capacitors and currents of the coils at 0.05 s and 0.1 s") {
  const double amplitude = 400 * std::sqrt(2.0 / 3), start = 400 * std::sqrt(2.0) / 2;
  std::string text;
  for (int i = 1; i <= 3; ++i)
    text += fmt::format(
        "  v{0}: {{type: electric.voltage_source, sine: {{amplitude: {1:.17g} V, frequency: 50 Hz, phase: "
        "{2:.17g} rad}}, between: [s{0}, star]}}\n"
        "  l{0}: {{type: electric.inductor, inductance: 60 uH, {3}between: [s{0}, p{0}]}}\n"
        "  u{0}: {{type: electric.ideal_diode, knee_voltage: 2 V, on_resistance: 1 mohm, off_conductance: 1 "
        "mS, between: [p{0}, plus]}}\n"
        "  d{0}: {{type: electric.ideal_diode, knee_voltage: 2 V, on_resistance: 1 mohm, off_conductance: 1 "
        "mS, between: [minus, p{0}]}}\n",
        i, amplitude, -(i - 1) * 2 * std::numbers::pi / 3, i < 3 ? "initial: {current: 0 A}, " : "");
  text += fmt::format(
      "  c1: {{type: electric.capacitor, capacitance: 30 mF, initial: {{voltage: {0:.17g} V}}, between: "
      "[plus, ground]}}\n"
      "  c2: {{type: electric.capacitor, capacitance: 30 mF, initial: {{voltage: {0:.17g} V}}, between: "
      "[ground, minus]}}\n"
      "  load: {{type: electric.current_source, value: 500 A, between: [plus, minus]}}\n",
      start);
  const TextRun run(text, "until: 0.1 s, step: 5 us, output_every: 0.05 s",
                    {"c1.voltage", "c2.voltage", "l2.current", "l3.current"},
                    "nodes: {electrical: [star, s1, s2, s3, p1, p2, p3, plus, minus]}");
  const double published[2][4] = {
      {258.38116286710886, 258.3811628671085, 454.541009652735, -454.54106505877706},
      {258.5143520291504, 258.51435202915013, -452.56682731801254, 452.5668827240542}};
  REQUIRE(run.rows.size() == 3);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      fmt::print("M10: {:.8f}, published {:.8f}\n", run.rows[i + 1][j], published[i][j]);
      CHECK(close(run.rows[i + 1][j], published[i][j], 1e-4));
    }
  fmt::print("M10: {} events\n", run.statistics.events.size());
}
