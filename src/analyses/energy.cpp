#include "analyses/energy.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

EnergyAccount::EnergyAccount(const System& system) : system_(system), rows_(system.size()) {
  const State state = system.state();
  for (const auto& group : system.groups()) {
    if (group->power(state).stated) accounted_.push_back(group.get());
  }
}

void EnergyAccount::look(const State& state) {
  double energy = 0, loss = 0, supply = 0;
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (const GroupBase* g : accounted_) {
    const GroupBase::Power p = g->power(state);
    energy += p.energy;
    loss += p.loss;
    g->residual(state, {.store = 0, .flow = 1}, rows_);
  }
  // All rows together are zero: what these take, the others supply (T-energy-2).
  for (int i = 0; i < system_.rows(Kind::position).end; ++i) supply += rows_[i] * state.rate[i];

  EnergyBalance& b = balance_;
  if (!begun_) {
    b.start = energy;
    begun_ = true;
  } else {
    const double h = state.t - time_;
    b.dissipated += 0.5 * h * (loss_ + loss);
    b.supplied += 0.5 * h * (supply_ + supply);
  }
  b.end = energy;
  b.largest = std::max({b.largest, std::abs(energy), std::abs(b.supplied), std::abs(b.dissipated)});
  time_ = state.t;
  loss_ = loss;
  supply_ = supply;
}

void EnergyAccount::impact(const State& state) {
  const double before = balance_.end;
  look(state);
  balance_.dissipated += before - balance_.end;
}

}  // namespace escapement
