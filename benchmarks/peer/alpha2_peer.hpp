// PETSc TSALPHA2 (generalized-α with constant steps) on a problem of second order.
#pragma once
#include "ida_peer.hpp"

namespace escapement::benchmarks {

/// At ρ∞ = 1. Throws std::runtime_error when PETSc gives up.
PeerRun run_alpha2(const SecondOrderProblem& problem, int steps, double until);

}  // namespace escapement::benchmarks
