// Consistent start: accelerations, store rates, multipliers and algebraic unknowns from given q, v, x (T-start).
#pragma once
#include "core/newton.hpp"
#include "core/projection.hpp"

namespace escapement {

struct StartReport {
  NewtonReport newton;
  bool hidden = false;  // rates of stores follow from derivatives of algebraic rows (T-start-7)
};

/// Fills v̇, ṡ, s, λ, μ, y (and states that nobody stores in) so that every row holds at state.t.
/// Throws ModelError E-START naming the constraint when q or v violate one, E-SINGULAR naming dependent rows.
StartReport make_consistent(const System& system, State& state, const StartOptions& options = {});

}  // namespace escapement
