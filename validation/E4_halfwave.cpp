// E4: half-wave rectifier with an exponential diode and an RC load. Reference: computed to eight digits and more; ngspice agrees to
// seven.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("E4: the output to 1e-8 with adaptive steps") {
  const std::string text =
      "  e: {type: electric.voltage_source, sine: {amplitude: 10 V, frequency: 50 Hz}, between: [in, "
      "ground]}\n"
      "  d: {type: electric.diode, temperature: 300.15 K, between: [in, out]}\n"
      "  r: {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}\n"
      "  c: {type: electric.capacitor, capacitance: 10 uF, initial: {voltage: 0 V}, between: [out, "
      "ground]}\n";
  const double exact[4] = {9.28652782701, 5.945913505353, 8.77983459643, 2.187379337594};
  const TextRun run(text,
                    "until: 60 ms, adaptive: true, tolerance: 3e-9, newton_tolerance: 1e-13, output_at: [5 "
                    "ms, 10 ms, 24 ms, 40 ms]",
                    {"out.voltage"}, "nodes: {electrical: [in, out]}");
  double worst = 0;
  int found = 0;
  for (std::size_t k = 0; k < run.t.size(); ++k)
    for (int i = 0; i < 4; ++i)
      if (std::abs(run.t[k] - std::vector{5e-3, 10e-3, 24e-3, 40e-3}[i]) < 1e-12) {
        worst = std::max(worst, std::abs(run.rows[k][0] - exact[i]));
        ++found;
      }
  fmt::print("E4: {} steps, largest difference to the reference {:.2e} V\n", run.statistics.steps, worst);
  CHECK(found == 4);
  CHECK(worst < 1e-7);
  // … and by extrapolation of constant steps.
  std::vector<std::vector<double>> rungs;
  for (const int n : {24000, 48000, 96000}) {
    const TextRun fixed(text, fmt::format("until: 60 ms, step: {:.17g} s, newton_tolerance: 1e-13", 0.06 / n),
                        {"out.voltage"}, "nodes: {electrical: [in, out]}");
    rungs.emplace_back();
    for (const double t : {5e-3, 10e-3, 24e-3, 40e-3})
      rungs.back().push_back(fixed.rows[std::lround(t * n / 0.06)][0]);
  }
  for (int i = 0; i < 4; ++i) {
    fmt::print("  {:.12f} {:.12f} {:.12f}: {:.2e} from the reference\n", rungs[0][i], rungs[1][i],
               rungs[2][i], richardson(rungs[0][i], rungs[1][i], rungs[2][i]) - exact[i]);
    CHECK(std::abs(richardson(rungs[0][i], rungs[1][i], rungs[2][i]) - exact[i]) < 1e-8 * 9.3);
  }
}
