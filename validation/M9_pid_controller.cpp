// MSL PID_Controller as a model file: an elastic drive under load, PI control with limits and anti-windup, a reference
// whose acceleration jumps. Reference: the trace published with the library (Dymola DASSL, trusted to 1e-4).
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {
const std::vector<std::string> channels = {"controller.integral", "inertia1.angle", "inertia1.velocity",
                                           "speed.output",        "spring.angle",   "damper.velocity"};
}

TEST_CASE("M9: the published trace at t = 2 s and t = 4 s") {
  const auto at = run_model("M9_pid_controller", 2.5e-4, {2.0, 4.0}, channels);
  const double published[2][6] = {{-0.10000854869806546, 1.0000008548750334, 0.9999884866907481,
                                   0.9999999999999993, 0.0009999824712589042, -3.5514210765423137e-07},
                                  {-0.10000419482946532, 1.8363387923024694, -8.734197633846922e-06, 0,
                                   0.000999965119678185, 4.896051459521059e-07}};
  const double scale[6] = {0.1, 1.8, 1.0, 1.0, 1e-3, 2.4e-3};  // largest values of the run
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 6; ++j) {
      const double value =
          j == 0 ? at[i][j] / 100 : at[i][j];  // the library's integral is before the gain k = 100
      CAPTURE(channels[j]);
      CHECK(std::abs(value - published[i][j]) < 1e-4 * scale[j] + 1e-4 * std::abs(published[i][j]));
    }
}

TEST_CASE("M9: second order through jumps of the reference and of the limiter's slope") {
  const std::vector<double> times = {0.6, 1.0, 1.7, 2.5, 3.5, 4.0};
  const auto difference = [&](double h) {
    const auto a = run_model("M9_pid_controller", h, times, channels),
               b = run_model("M9_pid_controller", h / 2, times, channels);
    double worst = 0;
    for (std::size_t i = 0; i < times.size(); ++i) worst = std::max(worst, std::abs(a[i][1] - b[i][1]));
    return worst;
  };
  // At 2 ms steps settle after the jumps (T-settle), at 1 ms they do not.
  const double d1 = difference(1e-3), d2 = difference(5e-4), d3 = difference(2.5e-4);
  fmt::print("M9: change of the angle when the step is halved from 1, 0.5, 0.25 ms: {:.2e} {:.2e} {:.2e}\n",
             d1, d2, d3);
  CHECK(d2 < d1 / 2.5);
  CHECK(d3 < d2 / 2.5);
}
