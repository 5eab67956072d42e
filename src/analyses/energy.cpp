#include "analyses/energy.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"

namespace escapement {
namespace {

Vector3 vector(const std::vector<double>& x, int i) { return {{x[i], x[i + 1], x[i + 2]}}; }
Rotation<double> rotation(const std::vector<double>& x, int i) { return {x[i], vector(x, i + 1)}; }

}  // namespace

EnergyAccount::EnergyAccount(const System& system)
    : system_(system), rows_(system.size()), before_(system.size()), ways_(system.rows(Kind::position).end) {
  const State state = system.state();
  for (const auto& group : system.groups()) {
    if (group->power(state).stated) accounted_.push_back(group.get());
  }
}

void EnergyAccount::look(const State& state) {
  double energy = 0, loss = 0, supply = 0, along = 0;
  before_.swap(rows_);
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (const Group* g : accounted_) {
    const Group::Power p = g->power(state);
    energy += p.energy;
    loss += p.loss;
    g->residual(state, {.store = 0, .flow = 1}, rows_);
  }
  // All rows together are zero: what these take, the others supply (T-energy-2).
  double load = 0;
  for (int i = 0; i < system_.rows(Kind::position).end; ++i) {
    supply += rows_[i] * state.rate[i];
    load += std::abs(rows_[i]) * system_.nominal()[i];
  }

  EnergyBalance& b = balance_;
  b.load = std::max(b.load, load);
  if (!begun_) {
    b.start = energy;
    begun_ = true;
  } else {
    const double h = state.t - time_;
    b.dissipated += 0.5 * h * (loss_ + loss);
    b.supplied += 0.5 * h * (supply_ + supply);
    if (h > 0) {
      find_ways(state);
      for (int i = 0; i < system_.rows(Kind::position).end; ++i)
        along += 0.5 * (before_[i] + rows_[i]) * ways_[i];
      b.unseen += along - 0.5 * h * (supply_ + supply);
    }
  }
  b.end = energy;
  b.largest = std::max({b.largest, std::abs(energy), std::abs(b.supplied), std::abs(b.dissipated)});
  time_ = state.t;
  loss_ = loss;
  supply_ = supply;
  values_ = state.value;
}

/// How far positions have come since values_, along their rates, to second order.
void EnergyAccount::find_ways(const State& state) {
  const auto at = system_.value_of_row();
  for (int i = 0; i < system_.rows(Kind::position).end; ++i)
    if (at[i] >= 0) ways_[i] = state.value[at[i]] - values_[at[i]];
  for (const LieVariable& lie : system_.lie_variables()) {
    const bool frame = lie.manifold != Manifold::so3;
    const Rotation<double> from = rotation(values_, lie.place.value),
                           to = rotation(state.value, lie.place.value);
    const Vector3 turned = log_so3(from.inverse() * to);
    const int row = lie.place.row;
    for (int k = 0; k < 3; ++k) ways_[row + (frame ? 3 : 0) + k] = turned[k];
    if (!frame) continue;
    const Vector3 moved = vector(state.value, lie.place.value + 4) - vector(values_, lie.place.value + 4);
    const Rotation<double> half = from * exp_so3(0.5 * turned);
    const Vector3 way = lie.manifold == Manifold::se3 ? half.inverse() * moved : moved;
    for (int k = 0; k < 3; ++k) ways_[row + k] = way[k];
  }
}

void EnergyAccount::impact(const State& state) {
  const double before = balance_.end;
  look(state);
  balance_.dissipated += before - balance_.end;
}

}  // namespace escapement
