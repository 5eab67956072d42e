// MSL ElastoGap as a model file: spring-dampers, and stops that push but never pull. Reference: the trace published with
// the library (Dymola DASSL, trusted to 1e-4), and for the linear half the exact damped oscillation.
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("M14: the published trace at t = 2.5 s and t = 5 s") {
  const auto at = run_model("M14_elasto_gap", 1e-3, {2.5, 5.0},
                            {"mass2.velocity", "mass2.position", "mass1.velocity", "mass1.position"});
  const double published[2][4] = {
      {1.7905898841986823, 1.316852188725468, 0.19979366396897902, 2.0359881547425114},
      {0.5375297096809893, 2.7078870235576407, -0.004193237487737571, 2.0003503785615258}};
  for (int i = 0; i < 2; ++i) {
    const double value[4] = {at[i][0], 2 - at[i][1], at[i][2],
                             2 - at[i][3]};  // the library measures from the wall
    for (int j = 0; j < 4; ++j)
      CHECK(std::abs(value[j] - published[i][j]) < 1e-4 * (1 + std::abs(published[i][j])));
  }
}

TEST_CASE("M14: the linear half is a damped oscillation, 1 kg, 20 N/m, 3 N s/m") {
  const double decay = 1.5, frequency = std::sqrt(20 - decay * decay);
  const auto exact = [&](double t) {
    return 2 * std::exp(-decay * t) * (std::cos(frequency * t) + decay / frequency * std::sin(frequency * t));
  };
  Ladder ladder({"s1(2.5)", "s1(5)"});
  for (const double h : {0.02, 0.01, 0.005}) {
    const auto at = run_model("M14_elasto_gap", h, {2.5, 5.0}, {"mass1.position"});
    ladder.add(h, {std::abs(at[0][0] - exact(2.5)), std::abs(at[1][0] - exact(5))});
  }
  ladder.print("M14: linear half");
  ladder.check_second_order(0.15);
}
