// E9: a Cauer low-pass filter with loops of capacitors (MSL CauerLowPassAnalog). Reference: computed to ten digits.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("E9: voltages and currents to 1e-10 by extrapolation, second order") {
  const double l1 = 1.304, l2 = 0.8586, c2 = 1 / (1.704992 * 1.704992 * l1),
               c4 = 1 / (1.179945 * 1.179945 * l2);
  const std::string text = fmt::format(
      "  e: {{type: electric.voltage_source, pulse: {{high: 1 V, delay: 1 s}}, between: [in, ground]}}\n"
      "  r1: {{type: electric.resistor, resistance: 1 ohm, between: [in, n1]}}\n"
      "  c1: {{type: electric.capacitor, capacitance: 1.072 F, between: [n1, ground]}}\n"
      "  l1: {{type: electric.inductor, inductance: {:.17g} H, between: [n1, n2]}}\n"
      "  c2: {{type: electric.capacitor, capacitance: {:.17g} F, between: [n1, n2]}}\n"
      "  c3: {{type: electric.capacitor, capacitance: 1.682 F, between: [n2, ground]}}\n"
      "  l2: {{type: electric.inductor, inductance: {:.17g} H, between: [n2, n3]}}\n"
      "  c4: {{type: electric.capacitor, capacitance: {:.17g} F, between: [n2, n3]}}\n"
      "  c5: {{type: electric.capacitor, capacitance: 0.7262 F, between: [n3, ground]}}\n"
      "  r2: {{type: electric.resistor, resistance: 1 ohm, between: [n3, ground]}}\n",
      l1, c2, l2, c4);
  const double exact[4][5] = {{0.49578348392, 0.08053994432, 0.03655149092, 0.19408565806, 0.02437298073},
                              {0.41177037744, 0.54487041412, 0.36311989219, 0.67273718078, 0.49890536497},
                              {0.50145073694, 0.52429072919, 0.50041755435, 0.4684663869, 0.54694898559},
                              {0.49970579544, 0.50110766362, 0.49970558614, 0.499365078, 0.50096453364}};
  const double times[4] = {2.004, 5.004, 20.004, 60.0};
  std::vector<std::vector<double>> rungs;
  for (const int n : {15000, 30000, 60000}) {
    const TextRun run(text, fmt::format("until: 60 s, step: {:.17g} s, newton_tolerance: 1e-14", 60.0 / n),
                      {"n1.voltage", "n2.voltage", "n3.voltage", "l1.current", "l2.current"},
                      "nodes: {electrical: [in, n1, n2, n3]}");
    rungs.emplace_back();
    for (const double t : times)
      for (int j = 0; j < 5; ++j) rungs.back().push_back(run.rows[std::lround(t * n / 60)][j]);
  }
  double worst = 0;
  for (int q = 0; q < 20; ++q) {
    const double value = richardson(rungs[0][q], rungs[1][q], rungs[2][q]);
    worst = std::max(worst, std::abs(value - exact[q / 5][q % 5]));
    const double ratio = (rungs[0][q] - value) / (rungs[1][q] - value);
    if (std::abs(rungs[1][q] - value) > 1e-9) CHECK(ratio == doctest::Approx(4).epsilon(0.1));
  }
  fmt::print("E9: largest difference to the reference {:.2e}\n", worst);
  CHECK(worst < 1e-10);
}
