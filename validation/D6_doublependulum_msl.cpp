// D6: the double pendulum of the Modelica Standard Library with a damper in its first joint, as two boxes on revolute
// joints: joint angles and rates by extrapolation, order 2.
#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// φ1 from +x, φ2 relative, and their rates: Lagrange's equations in the angles.
ReferenceOde<4> motion() {
  return {[](Real, const std::array<Real, 4>& y) -> std::array<Real, 4> {
            const Real l = 0.5L, width = 0.06L, g = 9.80665L, damping = 0.1L;
            const Real m = 7700 * l * width * width, J = m * (l * l + width * width) / 12 + m * l * l / 4;
            const Real a = y[0], b = y[0] + y[1], wa = y[2], wb = y[2] + y[3];
            const Real M11 = J + m * l * l, M12 = m * l * l / 2 * std::cos(a - b), M22 = J;
            const Real c = m * l * l / 2 * std::sin(a - b);
            const Real Q1 = -g * m * 1.5L * l * std::cos(a) - c * wb * wb - damping * wa;
            const Real Q2 = -g * m * l / 2 * std::cos(b) + c * wa * wa;
            const Real det = M11 * M22 - M12 * M12;
            const Real da = (Q1 * M22 - M12 * Q2) / det, db = (M11 * Q2 - M12 * Q1) / det;
            return {y[2], y[3], da, db - da};
          },
          {},
          0.004L};
}

// DOP853 at 2e-14 (benchmarks.yaml, D6_doublependulum_msl). Dymola's own figures at t = 3 are -2.317928561646,
// -1.736491669163, 4.094110197278, -0.050376704634, good to 4e-5.
const double expected[] = {-1.5108021669606, -0.5521434004018, -2.9150720116314, -0.5166644144668,
                           -2.317915675443,  -1.73653457296,   4.0941647322,     -0.050394531658};
const char* const names[] = {"phi1(0.4998)", "phi2(0.4998)", "phi1(1.0002)", "phi2(1.0002)",
                             "phi1(3)",      "phi2(3)",      "w1(3)",        "w2(3)"};

}  // namespace

TEST_CASE("joint angles at t = 0.4998, 1.0002, 3") {
  Mechanism p("D6_doublependulum_msl");
  p.options.newton.tolerance = 1e-14;  // what Newton leaves over is magnified by the extrapolation
  p.options.constraints = ConstraintForm::index2;  // rounding of v is not divided by h
  p.options.newton.keep_matrix = false;            // terms beyond h² do not depend on when it was renewed
  const std::vector<std::string> channels = {"first.angle", "second.angle", "first.velocity",
                                             "second.velocity"};
  Extrapolation e;
  for (int k : {1, 2, 4, 8}) {  // steps of 0.6 ms / k
    std::vector<double> values;
    long step = 0;
    p.run(constant_steps(3, 5000 * k), [&](const State& s) {
      if (step == 833 * k || step == 1667 * k) {
        values.push_back(p(s, "first.angle"));
        values.push_back(p(s, "second.angle"));
      }
      if (step == 5000 * k)
        for (double x : p(s, channels)) values.push_back(x);
      ++step;
    });
    e.add(0.6e-3 / k, values);
  }
  // The benchmark has ten certain digits; the motion in the angles, in extended precision, has more.
  auto exact = motion();
  std::vector<double> reference;
  for (Real t : {0.4998L, 1.0002L})
    for (int i = 0; i < 2; ++i) reference.push_back(static_cast<double>(exact.at(t)[i]));
  for (Real x : exact.at(3)) reference.push_back(static_cast<double>(x));
  fmt::print("\ndouble pendulum with damper, h = 0.6 … 0.075 ms\n");
  for (std::size_t i = 0; i < 8; ++i) check_limit(e, i, names[i], expected[i], 1e-10);  // 10 certain digits
  fmt::print("against the motion in the angles\n");
  for (std::size_t i = 0; i < 8; ++i) {
    check_limit(e, i, names[i], reference[i], i < 6 ? 1e-11 : 1e-10);  // index 3: rounding of v is ε/h
    CHECK(std::abs(expected[i] - reference[i]) < 1e-10);
  }

  Ladder ladder({"phi1", "phi2", "w1", "w2"});
  for (std::size_t r = 0; r < e.h.size(); ++r) {
    std::vector<double> errors;
    for (std::size_t i = 4; i < 8; ++i) errors.push_back(e.values[r][i] - reference[i]);
    ladder.add(e.h[r], errors);
  }
  ladder.print("errors at t = 3");
  ladder.check_second_order(0.05);
}
