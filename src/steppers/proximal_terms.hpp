// Constraints that may depend on each other: a little −ε on the diagonal of their rows, and what that asks of a step (T-proximal).
#pragma once
#include "core/newton.hpp"

namespace escapement {

class ProximalTerms {
 public:
  /// `tolerance`: of Newton's method.
  ProximalTerms(const System& system, double proximal, double tolerance);
  /// May constraints depend on each other?
  bool needed() const { return proximal_ > 0 || system_.switches(); }
  bool known() const { return !epsilon_.empty(); }
  void forget() { epsilon_.clear(); }
  /// From an iteration matrix without them.
  void find(std::span<const double> matrix);
  std::span<const double> diagonal() const { return epsilon_; }
  /// What the equations do not determine of predicted multipliers goes. `solver`: with an iteration matrix.
  void drop_undetermined(State& predicted, LinearSolver& solver);
  /// Regularised multipliers let Newton settle where constraints contradict each other: then it has not converged.
  void refuse_contradiction(const State& end, NewtonReport& report);
  void archive(Archive& a) { a(epsilon_); }

 private:
  void refuse(Range rows, double allowed, NewtonReport& report) const;

  const System& system_;
  double proximal_, tolerance_;
  std::vector<double> epsilon_;       // by row; empty: not known, or none is needed
  std::vector<double> undetermined_;  // of the multipliers
  std::vector<double> violation_;
};

}  // namespace escapement
