// E7: step response of a DC motor (parameters of the Michigan control tutorials); closed form.
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("E7: speed and current to 1e-12 by extrapolation, second order") {
  const std::string text =
      "  e: {type: electric.voltage_source, value: 1 V, between: [a, ground]}\n"
      "  m: {type: electric.dc_motor, resistance: 1 ohm, inductance: 0.5 H, torque_constant: 0.01 N*m/A, "
      "damping: 0.1 N*m*s/rad, initial: {current: 0 A}, between: [a, ground], shaft: w}\n"
      "  w: {type: rotational.inertia, inertia: 0.01 kg*m^2}\n";
  const double exact[3] = {0.0830371111708124, 0.864130154822579, 0.0995927636417564};  // w(1), i(1), w(3)
  std::vector<std::vector<double>> rungs;
  Ladder ladder({"w(1)", "i(1)", "w(3)"});
  for (const int n : {3000, 6000, 12000}) {
    const TextRun run(text, fmt::format("until: 3 s, step: {:.17g} s, newton_tolerance: 1e-14", 3.0 / n),
                      {"w.velocity", "m.current"}, "nodes: {electrical: [a]}");
    rungs.push_back({run.rows[n / 3][0], run.rows[n / 3][1], run.rows[n][0]});
    std::vector<double> errors;
    for (int j = 0; j < 3; ++j) errors.push_back(rungs.back()[j] - exact[j]);
    ladder.add(3.0 / n, errors);
  }
  ladder.print("E7, DC motor");
  ladder.check_second_order(0.05);
  for (int j = 0; j < 3; ++j)
    CHECK(std::abs(richardson(rungs[0][j], rungs[1][j], rungs[2][j]) - exact[j]) < 1e-11);
}
