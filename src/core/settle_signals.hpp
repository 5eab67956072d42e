// Signals that follow from everything else: y with q, v, v̇, x, λ, μ as they are (T-sample-1).
#pragma once
#include "core/newton.hpp"
#include "core/system.hpp"

namespace escapement {

class SignalSettler {
 public:
  explicit SignalSettler(const System& system);
  /// Throws ModelError E-LOOP if there are none.
  void settle(State& state);
  Newton& newton() { return newton_; }

 private:
  class Problem;
  const System& system_;
  Newton newton_;
  std::vector<char> still_;
  std::vector<double> weights_;
};

}  // namespace escapement
