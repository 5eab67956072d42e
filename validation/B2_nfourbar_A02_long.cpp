// B2: IFToMM A02 with N = 40 (81 bodies, 971 unknowns) to all digits of the benchmark: about a minute.
#include "problems/nfourbar.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("N = 40") {
  const Extrapolation e = problems::n_four_bar(40, {1250, 2500, 5000, 10000, 20000}, ConstraintForm::index3);
  fmt::print("\nN four-bar mechanisms, N = 40, h = 8 … 0.5 ms:\n");
  check_limit(e, 8, "B0 x(10)", 0.1805122266851, 1e-10);  // benchmarks.yaml, B2_nfourbar_A02
  check_limit(e, 9, "B0 y(10)", 0.9835727405826, 1e-10);
}
