// E1: the step response of a series RLC circuit; closed form.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("E1: voltage and current to 1e-12 by extrapolation, second order") {
  const std::string text =
      "  e: {type: electric.voltage_source, value: 10 V, between: [a, ground]}\n"
      "  r: {type: electric.resistor, resistance: 2 ohm, between: [a, b]}\n"
      "  l: {type: electric.inductor, inductance: 10 mH, initial: {current: 0 A}, between: [b, c]}\n"
      "  k: {type: electric.capacitor, capacitance: 100 uF, initial: {voltage: 0 V}, between: [c, ground]}\n";
  // vC(1 ms), i(1 ms), vC(5 ms), vC(10 ms), i(10 ms)
  const double exact[5] = {4.310281090539, 0.762757678510238, 9.01449332381414, 13.3685168059041,
                           -0.185345706984606};
  std::vector<std::vector<double>> rungs;
  Ladder ladder({"vC(1ms)", "i(1ms)", "vC(5ms)", "vC(10ms)", "i(10ms)"});
  for (const int n : {4000, 8000, 16000}) {
    const TextRun run(text, fmt::format("until: 10 ms, step: {:.17g} s, newton_tolerance: 1e-14", 0.01 / n),
                      {"k.voltage", "l.current"}, "nodes: {electrical: [a, b, c]}");
    REQUIRE(run.rows.size() == std::size_t(n) + 1);
    rungs.push_back(
        {run.rows[n / 10][0], run.rows[n / 10][1], run.rows[n / 2][0], run.rows[n][0], run.rows[n][1]});
    std::vector<double> errors;
    for (int j = 0; j < 5; ++j) errors.push_back(rungs.back()[j] - exact[j]);
    ladder.add(0.01 / n, errors);
  }
  ladder.print("E1, series RLC");
  ladder.check_second_order(0.05);
  for (int j = 0; j < 5; ++j)
    CHECK(std::abs(richardson(rungs[0][j], rungs[1][j], rungs[2][j]) - exact[j]) < 1e-11 * 13);
}
