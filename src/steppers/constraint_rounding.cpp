#include "steppers/constraint_rounding.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

ConstraintRounding::ConstraintRounding(const System& system) : system_(system), coordinate_size_(system) {
  for (auto* x : {&pushed_, &seen_, &noise_}) x->assign(system.size(), 0.0);
}

double ConstraintRounding::shown(const State& state, const AlphaCoefficients& c, ConstraintForm form,
                                 std::span<const double> matrix, std::span<const double> masses) {
  constexpr double of_own = 2e-8, of_largest = 1e-8, of_reactions = 0.01;
  constexpr double rounding = AlphaEquations::rounding;
  const Pattern& p = system_.pattern();
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  const Range holonomic = system_.rows(Kind::holonomic);
  for (auto* x : {&pushed_, &seen_, &noise_}) std::fill(x->begin(), x->end(), 0.0);
  for (int j = holonomic.begin; j < system_.size(); ++j) {
    const double force = std::abs(state.value[at[j]]);
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      pushed_[p.row[k]] += std::abs(matrix[k]) * force;
  }
  for (int j = 0; j < system_.rows(Kind::position).end; ++j) {
    const double mass = masses[j];
    const double a = std::abs(state.acceleration[j]) + (mass > 0 ? of_reactions * pushed_[j] / mass : 0.0);
    const double slip = rounding * std::abs(state.rate[j]) / c.c1;
    const double shift = form == ConstraintForm::index3
                             ? rounding * std::max(nominal[j], coordinate_size_(state, j)) / c.c0
                             : slip;
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      const int i = p.row[k];
      if (i < holonomic.begin) continue;
      seen_[i] = std::max(seen_[i], std::abs(matrix[k]) * a);
      noise_[i] = std::max(noise_[i], std::abs(matrix[k]) * (i < holonomic.end ? shift : slip));
    }
  }
  double largest = 0, most = 0;
  for (int i = holonomic.begin; i < system_.size(); ++i) largest = std::max(largest, seen_[i]);
  for (int i = holonomic.begin; i < system_.size(); ++i)
    if (noise_[i] > 0) most = std::max(most, noise_[i] / std::max(of_own * seen_[i], of_largest * largest));
  return most;
}

void find_masses(const System& system, const State& state, std::span<double> matrix,
                 std::vector<double>& masses) {
  const Pattern& p = system.pattern();
  std::vector<double> rows(system.size());
  system.tangent(state, {.acceleration = 1, .constraint_accelerations = true}, {}, rows, matrix);
  for (int j = 0; j < system.rows(Kind::position).end; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (p.row[k] == j) masses[j] = std::abs(matrix[k]);
}

}  // namespace escapement
