// E8: start of a machine with permanent magnets under a ramp of voltage, then a step of load (MSL DCPM_Start). Reference: computed to
// nine digits, and the library's published trace.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("E8: current, angle and speed to 1e-9 by extrapolation") {
  const double k = (100 - 0.05 * 100) / (1425 * 2 * 3.14159265358979323846 / 60);
  const std::string text = fmt::format(
      "  e: {{type: electric.voltage_source, table: [[0, 0], [0.2 s, 0 V], [1 s, 100 V]], between: [a, "
      "ground]}}\n"
      "  m: {{type: electric.dc_motor, resistance: 0.05 ohm, inductance: 1.5 mH, torque_constant: {:.17g} "
      "N*m/A, inertia: 0.15 kg*m^2, initial: {{current: 0 A}}, between: [a, ground], shaft: w}}\n"
      "  w: {{type: rotational.inertia, inertia: 0.15 kg*m^2}}\n"
      "  s: {{type: control.step, time: 1.5 s, after: -63.66 N*m, unit: N*m}}\n"
      "  load: {{type: rotational.torque, at: w, input: s}}\n",
      k);
  const double exact[3][3] = {{92.52738553551, 57.06912626285, 149.81253736567},
                              {0.02085203457, 135.55801015626, 157.07782906188},
                              {99.97436343096, 210.22598366803, 149.22784374991}};
  std::vector<std::vector<double>> rungs;
  for (const int n : {8000, 16000, 32000}) {
    const TextRun run(text, fmt::format("until: 2 s, step: {:.17g} s, newton_tolerance: 1e-13", 2.0 / n),
                      {"m.current", "w.angle", "w.velocity"}, "nodes: {electrical: [a]}");
    rungs.emplace_back();
    for (const int at : {n / 2, 3 * n / 4, n})
      for (int j = 0; j < 3; ++j) rungs.back().push_back(run.rows[at][j]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int q = 3 * i + j;
      const double value = richardson(rungs[0][q], rungs[1][q], rungs[2][q]);
      CAPTURE(q);
      CHECK(std::abs(value - exact[i][j]) < 2e-9 * std::max(100.0, std::abs(exact[i][j])));
      const double ratio = (rungs[0][q] - value) / (rungs[1][q] - value);
      if (std::abs(rungs[1][q] - value) > 1e-9) CHECK(ratio == doctest::Approx(4).epsilon(0.1));
    }
  // Dymola at t = 2 s
  const double dymola[3] = {99.97434664, 210.22598365, 149.22784528};
  for (int j = 0; j < 3; ++j) CHECK(close(rungs[2][6 + j], dymola[j], 3e-7));
}
