// B2: IFToMM A02, N four-bar mechanisms through the positions where all bars lie on one line, as bodies in space: the top
// of the first upright by extrapolation, for N = 1 and 2 to all digits, for N = 40 to the benchmark's level (to all digits:
// B2_nfourbar_A02_long).
#include "problems/nfourbar.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("N = 1 and N = 2") {
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    // benchmarks.yaml, B2_nfourbar_A02: the motion that stays a parallelogram, good to 1e-10.
    const bool index3 = form == ConstraintForm::index3;
    fmt::print("\nN four-bar mechanisms, {}, N = 2, h = {} ms\n",
               index3 ? "index 3 with offset" : "stabilised index 2", index3 ? "8 … 0.5" : "4 … 0.25");
    const std::vector<int> ladder_of[] = {{1250, 2500, 5000, 10000, 20000},
                                          {2500, 5000, 10000, 20000, 40000}};
    const Extrapolation two = problems::n_four_bar(2, ladder_of[index3 ? 0 : 1], form);
    check_limit(two, 0, "B0 x(1)", -0.1950203019495, 1e-10);
    check_limit(two, 1, "B0 y(1)", -0.9807992056622, 1e-10);
    check_limit(two, 4, "B0 x(5)", -0.8113104610038, 1e-10);
    check_limit(two, 5, "B0 y(5)", -0.5846155453508, 1e-10);
    check_limit(two, 8, "B0 x(10)", 0.3284581115391, 1e-10);
    check_limit(two, 9, "B0 y(10)", 0.9445185381792, 1e-10);
    check_limit(two, 10, "B0 vx(10)", 1.423051470203, 1e-10);
    check_limit(two, 11, "B0 vy(10)", -0.4948688454827, 1e-10);

    Ladder ladder({"x", "y", "vx", "vy"});
    for (std::size_t r = 1; r < 5; ++r)
      ladder.add(two.h[r], {two.values[r][8] - 0.3284581115391, two.values[r][9] - 0.9445185381792,
                            two.values[r][10] - 1.423051470203, two.values[r][11] + 0.4948688454827});
    ladder.print("N = 2, errors of B0 at t = 10");
    ladder.check_second_order(0.1);
  }
  const Extrapolation one = problems::n_four_bar(1, {1250, 2500, 5000, 10000, 20000}, ConstraintForm::index3);
  fmt::print("\nN = 1\n");
  check_limit(one, 8, "B0 x(10)", 0.4783850577585, 1e-10);
  check_limit(one, 9, "B0 y(10)", 0.8781501787925, 1e-10);
}

TEST_CASE("N = 40 to the level of the benchmark") {
  const Extrapolation e = problems::n_four_bar(40, {1250, 2500, 5000}, ConstraintForm::index3);
  fmt::print("\nN = 40, h = 8 … 2 ms:\n");
  check_limit(e, 8, "B0 x(10)", 0.1805122266851, 1e-6);
  check_limit(e, 9, "B0 y(10)", 0.9835727405826, 1e-6);
}
