// Unknowns without memory that follow from everything else: signals y with q, v, v̇, x, λ, μ as they are (T-sample-1), and where
// wanted the states that nobody stores in, such as voltages of nodes without capacitance (T-dense-3).
#pragma once
#include "core/newton.hpp"
#include "core/system.hpp"

namespace escapement {

class SignalSettler {
 public:
  /// Signals alone.
  explicit SignalSettler(const System& system);
  /// … and the states of `algebraic` (by row, 1: it is one).
  SignalSettler(const System& system, std::span<const char> algebraic);
  /// Throws ModelError E-LOOP if there are none.
  void settle(State& state);
  /// The same; if there are none the state is as before.
  NewtonReport try_settle(State& state);
  bool empty() const { return rows_.empty(); }
  Newton& newton() { return newton_; }

 private:
  class Problem;
  const System& system_;
  Newton newton_;
  std::vector<char> still_;
  std::vector<int> rows_;  // that are solved for
  std::vector<double> weights_, left_over_, before_;
};

/// Rows of states that nobody stores in, and whose own store is none (1), at this state.
std::vector<char> states_without_store(const System& system, const State& state);

}  // namespace escapement
