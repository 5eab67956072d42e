#include "core/start_problem.hpp"

#include <algorithm>
#include <cmath>

#include "core/sizes.hpp"

namespace escapement {

StartProblem::StartProblem(const System& system, State& state, const StartOptions& options, int extra)
    : system_(system),
      state_(state),
      options_(options),
      scale_(system.size(), 1.0),
      weights_(system.size() + extra, 1.0),
      left_over_(system.size() + extra, INFINITY) {}

bool StartProblem::substitute_signals(const Pattern& p) {
  const Range signals = system_.rows(Kind::algebraic);
  const auto at = system_.value_of_row();
  std::vector<double> r(p.n), values(p.nonzeros()), usable;
  for (int sweep = 0; sweep < 200; ++sweep) {
    tangent(r, values);
    std::vector<char> known(p.n, 1);
    for (int i = 0; i < p.n; ++i) known[i] = std::isfinite(r[i]);
    for (int k = 0; k < p.nonzeros(); ++k) known[p.row[k]] = known[p.row[k]] && std::isfinite(values[k]);
    const bool all = std::find(known.begin(), known.end(), 0) == known.end();
    if (all && usable.empty()) usable = state_.value;
    double moved = 0;
    for (int i = signals.begin; i < signals.end; ++i) {
      const int diagonal = p.find(i, i);
      if (!known[i] || diagonal < 0 || values[diagonal] == 0) continue;
      const double increment = -r[i] / values[diagonal] * scale_[i];
      state_.value[at[i]] += increment;
      moved = std::max(moved, std::abs(increment) / (system_.nominal()[i] + std::abs(state_.value[at[i]])));
    }
    if (all && moved < 1e-9) return true;
  }
  if (!usable.empty()) state_.value = usable;
  return !usable.empty();
}

void StartProblem::move(std::span<const double> du, double scale) {
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions; ++i) state_.acceleration[i] += scale * scale_[i] * du[i];
  for (int i = positions; i < system_.size(); ++i) state_.value[at[i]] += scale * scale_[i] * du[i];
}

void StartProblem::magnitudes(std::span<double> size, std::span<double> noise) const {
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (int i = 0; i < system_.size(); ++i)
    size[i] = std::abs(i < positions ? state_.acceleration[i] : state_.value[at[i]]) / scale_[i];
  double fastest =
      0;  // ω² is a part of Φ̈ and of the balances: its rounding comes back through them (T-newton-3)
  for (const LieVariable& lie : system_.lie_variables())
    for (int k = lie.dofs() - 3; k < lie.dofs(); ++k)
      fastest = std::max(fastest, std::abs(state_.rate[lie.place.row + k]));
  for (int i = 0; i < positions; ++i)
    noise[i] += 16 * 2.2e-16 * system_.nominal()[i] * fastest * fastest / scale_[i];
  for (int i = system_.rows(Kind::holonomic).begin; i < system_.size(); ++i) noise[i] = INFINITY;
}

void StartProblem::rounded_sizes(std::span<double> size) const {
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (int i = 0; i < system_.size(); ++i)
    size[i] = std::abs(i < positions ? state_.acceleration[i] : state_.value[at[i]]) / scale_[i];
}

void StartProblem::set_weights() {
  const int positions = system_.rows(Kind::position).end;
  const auto nominal = system_.nominal();
  const auto at = system_.value_of_row();
  const int multipliers = system_.rows(Kind::holonomic).begin;
  double top = 0;
  for (const double a : state_.acceleration) top = std::max(top, std::abs(a));
  for (int i = 0; i < system_.size(); ++i) {
    const double size = i < positions ? top : std::abs(state_.value[at[i]]);
    weights_[i] = scale_[i] / (nominal[i] + size);
    if (positions <= i && i < multipliers)
      left_over_[i] = escapement::most_left_over(system_, i, size) / scale_[i];
  }
  if (options_.proximal > 0 || system_.switches())
    std::fill(weights_.begin() + system_.rows(Kind::holonomic).begin, weights_.begin() + system_.size(), 0.0);
}

}  // namespace escapement
