// Interior: what lies within the step just computed, and how much of it the step resolves (T-dense, T-phase).
#pragma once
#include <optional>
#include <vector>

#include "core/settle_signals.hpp"
#include "steppers/stepper.hpp"

namespace escapement {

class Interior {
 public:
  explicit Interior(const System& system) : system_(system) {}
  /// Which unknowns have no memory is found at this consistent state; from then on nothing is allocated.
  void begin(State& state);
  /// The state at the fraction s of the step: what moves or is stored lies on the interpolant of the scheme, what has no memory
  /// follows from its equations there (T-dense-3).
  void at(const Stepper& stepper, State& from, double s, State& between);
  /// Does everything without memory follow so? Not where currents follow from derivatives alone.
  bool complete() const { return complete_; }
  /// How far the angles turn whose sines elements take, and with `bodies` the bodies: rad in the step just computed (T-phase-1).
  double turn(const Stepper& stepper, const State& from, bool bodies);
  void archive(Archive& a);

 private:
  const System& system_;
  std::optional<SignalSettler> settler_;
  std::vector<char> algebraic_;  // rows of states that it settles, beside signals
  bool complete_ = true;
  std::vector<double> before_, half_, after_;  // angles
  State middle_;
};

}  // namespace escapement
