// MSL First as a model file: inertias, an ideal gear, a spring, a damper. Reference: the equations integrated anew to 11
// digits, and the traces published with the library (Dymola DASSL, trusted to 1e-4).
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("M2: angles and speeds against 11 digits, second order") {
  const std::vector<std::string> channels = {"inertia2.angle", "inertia2.velocity", "inertia3.angle",
                                             "inertia3.velocity"};
  const std::vector<std::vector<double>> exact = {
      {0.02214325456016, 0.42961620532185, 0.02289901652782, 0.494685357106},
      {0.16232822702741, -0.11224930920321, 0.16286164287996, -0.13814527991783}};
  Ladder ladder({"phi2(0.1)", "w2(0.1)", "phi3(0.1)", "w3(0.1)", "phi2(1)", "w2(1)", "phi3(1)", "w3(1)"});
  std::vector<std::vector<double>> coarse, fine;
  for (const double h : {5e-4, 2.5e-4, 1.25e-4, 6.25e-5}) {
    coarse = fine;
    fine = run_model("M2_first", h, {0.1, 1.0}, channels);
    std::vector<double> errors;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) errors.push_back(std::abs(fine[i][j] - exact[i][j]));
    ladder.add(h, errors);
  }
  ladder.print("M2: errors");
  ladder.check_second_order(0.1);
  for (int i = 0; i < 2; ++i)  // Richardson's extrapolation of the two finest
    for (int j = 0; j < 4; ++j) {
      const double value = (4 * fine[i][j] - coarse[i][j]) / 3;
      CHECK(std::abs(value - exact[i][j]) < 2e-8 * (1 + std::abs(exact[i][j])));
    }
}

TEST_CASE("M2: the published traces") {
  const auto at = run_model("M2_first", 1.25e-4, {0.5, 1.0},
                            {"inertia2.angle", "damper.velocity", "inertia3.angle", "inertia3.velocity"});
  const double published[2][4] = {
      {0.09581282303087237, -0.37201687172752795, 0.0962001193484458, 0.47193077324544286},
      {0.1623281810820793, 0.11221860229049774, 0.16286001199358532, -0.1383323790831503}};
  // 1e-4 of the largest value of each channel over the run (angles 0.17 rad, speeds about 0.8 rad/s); the trace itself
  // is off the 11-digit values by up to 2e-4 in the speeds.
  const double scale[4] = {0.17, 0.8, 0.17, 0.8};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) CHECK(std::abs(at[i][j] - published[i][j]) < 3e-4 * scale[j]);
}
