// Small motion where signals come back after delays (T-modes-7).
#pragma once
#include "analyses/small_motion.hpp"
#include "sparse/delayed_eigenvalues.hpp"

namespace escapement {

/// An unknown that comes back, `time` later, in the row of another.
struct DelayedPath {
  int from, row;
  double time;  // s
};

/// The same state with every delay holding its output.
State with_delays_held(const System& system, const State& state);
/// Of all delays, whatever they remember.
std::vector<DelayedPath> delayed_paths(const System& system, const State& held);

/// What a motion with the delays held becomes when they let through what they read.
class DelayedMotion {
 public:
  DelayedMotion(DampedMotion& problem, const System& system, std::vector<DelayedPath> paths);
  const DelayedEigenvalues& eigenvalues() const { return *eigenvalues_; }
  /// Of all unknowns.
  std::vector<std::complex<double>> shape(std::complex<double> s, const DelayedEigenvalues::Motion& motion);

 private:
  DampedMotion& problem_;
  const System& system_;
  std::vector<DelayedPath> paths_;
  std::vector<double> basis_;  // of what the constraints leave, vector after vector
  std::unique_ptr<DelayedEigenvalues> eigenvalues_;
};

}  // namespace escapement
