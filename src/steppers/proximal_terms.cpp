#include "steppers/proximal_terms.hpp"

#include <algorithm>
#include <cmath>

#include "core/projection.hpp"

namespace escapement {

ProximalTerms::ProximalTerms(const System& system, double proximal, double tolerance)
    : system_(system), proximal_(proximal), tolerance_(tolerance) {
  for (auto* x : {&undetermined_, &violation_}) x->assign(system.size(), 0.0);
}

void ProximalTerms::find(std::span<const double> matrix) {
  set_proximal_diagonal(system_, proximal_, matrix, epsilon_);
}

/// (Φ_q S⁻¹ Φ_qᵀ + ε) δ = ε λ, λ −= δ.
void ProximalTerms::drop_undetermined(State& predicted, LinearSolver& solver) {
  const auto at = system_.value_of_row();
  const int first = system_.rows(Kind::holonomic).begin;
  auto& delta = undetermined_;
  for (int i = first; i < system_.size(); ++i) delta[i] = predicted.value[at[i]];
  for (int twice = 0; twice < 2;
       ++twice) {  // what is determined leaves a part ε the first time, ε² the second
    std::fill(delta.begin(), delta.begin() + first, 0.0);
    for (int i = first; i < system_.size(); ++i) delta[i] *= -epsilon_[i];
    solver.solve(delta);
  }
  for (int i = first; i < system_.size(); ++i) predicted.value[at[i]] -= delta[i];
}

void ProximalTerms::refuse_contradiction(const State& end, NewtonReport& report) {
  const Range holonomic = system_.rows(Kind::holonomic), slip = system_.rows(Kind::nonholonomic);
  double allowed = std::max(1e-8, 1e3 * tolerance_);
  system_.constraints(end, 0, -1, violation_);
  refuse(holonomic, allowed, report);
  if (slip.size() == 0) return;
  // Slip that depends on positions' constraints shares the O(h²) that their rates are off by.
  system_.constraints(end, 1, 0, violation_);
  for (int i = holonomic.begin; i < holonomic.end; ++i)
    allowed = std::max(allowed, 10 * std::abs(violation_[i]) / system_.row_nominal()[i]);
  refuse(slip, allowed, report);
}

void ProximalTerms::refuse(Range rows, double allowed, NewtonReport& report) const {
  for (int i = rows.begin; i < rows.end; ++i)
    if (!(std::abs(violation_[i]) <= allowed * system_.row_nominal()[i])) {
      report.status = NewtonStatus::no_convergence;
      report.worst.push_back({i, violation_[i], 0.0});
    }
}

}  // namespace escapement
