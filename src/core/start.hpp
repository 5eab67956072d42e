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

/// Consistent values after jumps in mid run, again and again in the room of the first time: stores are kept, q and v are not
/// looked at (T-jump).
class JumpSolver {
 public:
  JumpSolver(const System& system, StartOptions options);
  ~JumpSolver();
  /// As make_consistent(). If it throws, the state is no longer what it was.
  StartReport solve(State& state);
  /// As the function of that name; valid until the next one.
  std::span<const double> constrained_increment(const State& state, std::span<const double> rows);
  /// So often its matrices had new pivots.
  long pivotings() const;
  void archive(Archive& a);

 private:
  struct Parts;
  Parts& parts();  // made when they are needed
  const System& system_;
  StartOptions options_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace escapement
