// M8: RollingWheelSetDriving of the Modelica Standard Library: two driven wheels that roll without slipping,
// against Dymola's figures at t = 1.5 and 3 s and against the exact motion, order 2.
#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const std::vector<std::string> channels = {"bearing1.velocity", "bearing2.velocity", "level.angle",
                                           "bearing1.angle",    "bearing2.angle",    "axle.position.x",
                                           "axle.position.y"};

/// θ1', θ2', φ, θ1, θ2, x, y. With v = r (θ1' + θ2')/2 and φ' = r (θ2' − θ1')/(2 b), b half the track, the energy is
/// ½ m v² + ½ J φ'² + ½ I (θ1'² + θ2'²); the body in front, at a, adds the force m_b a φ'² to v and the moment
/// −m_b a v φ' to φ'.
ReferenceOde<7> motion() {
  return {[](Real t, const std::array<Real, 7>& s) -> std::array<Real, 7> {
            const Real r = 0.1L, b = 0.25L, a = 0.2L, pi = std::acos(-1.0L);
            const Real small = 0.01L, wheel = 0.5L, I = 0.01L, across = 0.02L;
            const Real m = small + 2 * wheel, J = 0.001L + small * a * a + 2 * (across + wheel * b * b);
            const Real v = r * (s[0] + s[1]) / 2, w = r * (s[1] - s[0]) / (2 * b);
            // Generalised forces of θ1, θ2: torques, and those of the body in front.
            const Real along = small * a * w * w, turning = -small * a * v * w;
            const Real Q1 = -2 * std::sin(2 * pi * t) + along * r / 2 - turning * r / (2 * b);
            const Real Q2 = -2 * std::cos(2 * pi * t) + along * r / 2 + turning * r / (2 * b);
            const Real same = I + m * r * r / 4 + J * r * r / (4 * b * b),
                       other = m * r * r / 4 - J * r * r / (4 * b * b);
            const Real det = same * same - other * other;
            return {(same * Q1 - other * Q2) / det,
                    (same * Q2 - other * Q1) / det,
                    w,
                    s[0],
                    s[1],
                    v * std::cos(s[2]),
                    v * std::sin(s[2])};
          },
          {0, 0, 0, 0, 0, 0.1L, 0.1L},
          0.01L};
}

}  // namespace

TEST_CASE("wheels, heading and position at t = 1.5 and 3") {
  // msl_v4.0.0_reference/RollingWheelSetDriving.csv.gz (benchmarks.yaml, M8), good to 1e-4.
  const double dymola[14] = {
      -38.46169278535549,   -3.455868413596398, 4.1409463600154615,  -29.436348730163484, -8.731616930086163,
      -0.10217231870155735, 0.1649838428266634, 0.2522240680060421,  0.7277010745076387,  10.573190647551405,
      -57.485140897848524,  -4.619187660091483, -0.6127153076572687, -0.3868036121766255};
  auto exact = motion();
  std::vector<double> expected;
  for (Real t : {1.5L, 3.0L})
    for (Real x : exact.at(t)) expected.push_back(static_cast<double>(x));
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    Mechanism m("M8_wheelset");
    m.options.constraints = form;
    m.options.newton.keep_matrix = form == ConstraintForm::index3;
    Extrapolation e;
    for (int n : {750, 1500, 3000, 6000}) {
      std::vector<double> values;
      int step = 0;
      m.run(constant_steps(3, n), [&](const State& s) {
        if (step * 2 == n || step == n)
          for (double x : m(s, channels)) values.push_back(x);
        ++step;
      });
      e.add(3.0 / n, values);
    }
    fmt::print("\nwheel set, {}, h = 4 … 0.5 ms\n  {:24} {:>15} {:>10} {:>10}\n",
               form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2", "", "",
               "Dymola", "exact");
    Ladder ladder({"rates", "angles", "position"});
    for (std::size_t i = 0; i < 14; ++i) {
      const double x = e.limit(i);
      fmt::print("  {:24} {:15.10f} {:10.1e} {:10.1e}\n",
                 fmt::format("{}({})", channels[i % 7], i < 7 ? 1.5 : 3.0), x, x - dymola[i],
                 x - expected[i]);
      const double size[7] = {38, 38, 10, 57, 57, 1, 1};  // magnitudes over the run
      CHECK(std::abs(x - dymola[i]) < 1e-4 * size[i % 7]);
      CHECK(std::abs(x - expected[i]) < 1e-8 * size[i % 7]);
    }
    for (std::size_t r = 0; r < e.h.size(); ++r) {
      std::vector<double> errors(3, 0.0);
      for (std::size_t i = 7; i < 14; ++i) {
        double& sum = errors[i < 9 ? 0 : i < 12 ? 1 : 2];
        sum = std::hypot(sum, e.values[r][i] - expected[i]);
      }
      ladder.add(e.h[r], errors);
    }
    ladder.print("errors at t = 3");
    ladder.check_second_order(0.1);
  }
}
