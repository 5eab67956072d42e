// SUNDIALS IDA (BDF of order 1 to 5, chosen steps) on a problem in implicit form.
#pragma once
#include "problems.hpp"

namespace escapement::benchmarks {

struct PeerRun {
  std::vector<double> observed;
  long steps = 0, iterations = 0;
};

/// Absolute tolerances are `tolerance` times the usual sizes; multipliers are left out of the error test, and in Newton's
/// iteration they are held to the fourth root of the tolerance, as steps become too small for more. `order`: the highest.
/// Throws std::runtime_error when IDA gives up.
PeerRun run_ida(const ImplicitProblem& problem, double tolerance, int order, double until);

}  // namespace escapement::benchmarks
