// B3: IFToMM A04, Bricard's mechanism with its redundant constraint: point P3 to the digits of the benchmark by
// extrapolation, order 2, constraints and energy.
#include "mechanism.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

double energy(const Mechanism& m, const State& s) {
  double sum = 0;
  for (int i = 1; i <= 5; ++i) sum += m(s, fmt::format("bar{}.energy", i));
  return sum;
}

}  // namespace

TEST_CASE("P3 at t = 0.5, 1, 2, 5, 10") {
  const double times[5] = {0.5, 1, 2, 5, 10};
  // Joint coordinates, null space by singular values, DOP853, projection; good to 1e-9 (benchmarks.yaml, B3_bricard_A04).
  const double expected[5][3] = {{0.968283679107, -1.224625159436, 0.750146609438},
                                 {0.510501461187, -1.649167599395, 0.140123114553},
                                 {-0.969340344778, -1.221246894956, 0.75427801078},
                                 {0.9999999977, -1.0000672577, 0.99993274},
                                 {0.9999999638, -1.0002690127, 0.9997309511}};
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    Mechanism m("B3_bricard");
    m.options.constraints = form;
    m.options.newton.keep_matrix = form == ConstraintForm::index3;
    const double start = energy(m, m.initial());
    Extrapolation e;
    Ladder ladder({"P3(2) x", "P3(2) y", "P3(2) z", "P3(10) y", "energy"});
    double violation = 0;
    for (int n : {2500, 5000, 10000, 20000}) {
      std::vector<double> values;
      double drift = 0;
      int step = 0;
      m.run(constant_steps(10, n), [&](const State& s) {
        for (double t : times)
          if (step == std::lround(t * n / 10)) {
            const Vector3 p = m.vector(s, "bar3.P3.position");
            values.insert(values.end(), {p[0], p[1], p[2]});
          }
        if (step % 10 == 0) {
          drift = std::max(drift, std::abs(energy(m, s) - start));
          violation = std::max(violation, m.violation(s));
        }
        ++step;
      });
      e.add(10.0 / n, values);
      ladder.add(10.0 / n, {values[6] - expected[2][0], values[7] - expected[2][1],
                            values[8] - expected[2][2], values[13] - expected[4][1], drift});
    }
    fmt::print("\nBricard's mechanism, {}, h = 4 … 0.5 ms; largest violation of a constraint {:.1e}\n",
               form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2", violation);
    for (std::size_t i = 0; i < 15; ++i)
      check_limit(e, i, fmt::format("P3({}) {}", times[i / 3], "xyz"[i % 3]), expected[i / 3][i % 3], 1e-9);
    CHECK(violation < 1e-10);
    ladder.print("errors, and the largest error of the energy (J)");
    ladder.check_second_order(0.1);
  }
}
