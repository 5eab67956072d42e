// A7: the transistor amplifier of the IVP test set (index 1, two stages), as a circuit: a junction from base to emitter and the
// share of its current that the collector takes. Reference to 12 digits.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

std::string resistor(const char* name, const char* a, const char* b, double ohm = 9000) {
  return fmt::format("  {}: {{type: electric.resistor, resistance: {} ohm, between: [{}, {}]}}\n", name, ohm,
                     a, b);
}
std::string capacitor(const char* name, const char* a, const char* b, int microfarad, double volt) {
  return fmt::format(
      "  {}: {{type: electric.capacitor, capacitance: {} uF, initial: {{voltage: {} V}}, between: [{}, "
      "{}]}}\n",
      name, microfarad, volt, a, b);
}
std::string transistor(const char* name, const char* collector, const char* base, const char* emitter) {
  const double temperature = 0.026 / (1.380649e-23 / 1.602176634e-19);  // UF = 26 mV
  return fmt::format(
      "  {0}: {{type: electric.diode, saturation_current: 1 uA, temperature: {1:.17g} K, between: [{2}, "
      "{3}]}}\n"
      "  {0}c: {{type: electric.cccs, gain: 0.99, input: {0}.current, between: [{4}, {2}]}}\n",
      name, temperature, base, emitter, collector);
}

}  // namespace

TEST_CASE("A7: all eight potentials to 1e-9 by extrapolation, second order") {
  const std::string text =
      "  ue: {type: electric.voltage_source, sine: {amplitude: 0.1 V, frequency: 100 Hz}, between: [e, "
      "ground]}\n"
      "  ub: {type: electric.voltage_source, value: 6 V, between: [b, ground]}\n" +
      resistor("r0", "e", "y1", 1000) + resistor("r1", "y2", "ground") + resistor("r2", "y2", "b") +
      resistor("r3", "y3", "ground") + resistor("r4", "y4", "b") + resistor("r5", "y5", "ground") +
      resistor("r6", "y5", "b") + resistor("r7", "y6", "ground") + resistor("r8", "y7", "b") +
      resistor("r9", "y8", "ground") + capacitor("c1", "y1", "y2", 1, -3) +
      capacitor("c2", "y3", "ground", 2, 3) + capacitor("c3", "y4", "y5", 3, 3) +
      capacitor("c4", "y6", "ground", 4, 3) + capacitor("c5", "y7", "y8", 5, 6) +
      transistor("t1", "y4", "y2", "y3") + transistor("t2", "y7", "y5", "y6");
  const double exact[8] = {-0.005562145012262709, 3.006522471903042, 2.849958788608128, 2.926422536206241,
                           2.704617865010554,     2.761837778393145, 4.770927631616772, 1.236995868091548};
  std::vector<std::string> channels;
  for (int i = 1; i <= 8; ++i) channels.push_back(fmt::format("y{}.voltage", i));
  std::vector<std::vector<double>> rungs;
  Ladder ladder(channels);
  for (const int n : {20000, 40000, 80000}) {
    const TextRun run(
        text,
        fmt::format("until: 0.2 s, step: {:.17g} s, newton_tolerance: 1e-13, output_every: 0.1 s", 0.2 / n),
        channels, "nodes: {electrical: [e, b, y1, y2, y3, y4, y5, y6, y7, y8]}");
    if (n == 20000) {  // the start
      const double start[8] = {0, 3, 3, 6, 3, 3, 6, 0};
      for (int i = 0; i < 8; ++i) CHECK(std::abs(run.rows[0][i] - start[i]) < 1e-12);
    }
    rungs.push_back(run.last);
    std::vector<double> errors;
    for (int i = 0; i < 8; ++i) errors.push_back(run.last[i] - exact[i]);
    ladder.add(0.2 / n, errors);
  }
  ladder.print("A7, transistor amplifier");
  ladder.check_second_order(0.1);
  double worst = 0;
  for (int i = 0; i < 8; ++i)
    worst = std::max(worst, std::abs(richardson(rungs[0][i], rungs[1][i], rungs[2][i]) - exact[i]));
  fmt::print("A7: extrapolated, largest difference to the reference {:.2e} V\n", worst);
  CHECK(worst < 1e-9);
}
