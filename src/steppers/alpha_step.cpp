#include "steppers/alpha_step.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

AlphaStep::AlphaStep(const System& system) : end(system.state()) {
  const int positions = system.rows(Kind::position).size(), states = system.rows(Kind::state).size();
  for (auto* x : {&predicted.velocity, &predicted.a, &predicted.u, &predicted.v, &u, &d, &e})
    x->assign(positions, 0.0);
  for (auto* x : {&predicted.w, &predicted.s}) x->assign(states, 0.0);
  operators.assign(system.tangent_operators_size(), 0.0);
}

void AlphaStep::clear_projections() {
  for (auto* x : {&d, &e}) std::fill(x->begin(), x->end(), 0.0);
}

AlphaEquations::AlphaEquations(const System& system, const GeneralizedAlphaOptions& options,
                               const Sizes& sizes, AlphaStep& step)
    : system_(system),
      options_(options),
      sizes_(sizes),
      step_(step),
      states_(system.rows(Kind::state)),
      positions_(system.rows(Kind::position).end),
      multipliers_(system.rows(Kind::holonomic).begin),
      constrained_(multipliers_ < system.size()),
      regularised_(options.proximal > 0 || system.switches()),
      coordinate_size_(system) {
  const int n = system.size();
  weights_.assign(n + (constrained_ ? 2 * positions_ : 0), 0.0);
  left_over_.assign(n, INFINITY);
  expected_.assign(sizes.count(), 0.0);
  for (auto* x : {&projection_, &flow_, &unused_}) x->assign(n, 0.0);
  stiffness_.assign(system.pattern().nonzeros(), 0.0);
}

void AlphaEquations::begin(const State& from, std::span<const double> largest) {
  from_ = &from;
  largest_ = largest;
  set_weights();
}

void AlphaEquations::place() {
  const AlphaStep::Prediction& known = step_.predicted;
  for (int i = 0; i < positions_; ++i) {
    step_.u[i] = known.u[i] + step_.c.c0 * step_.end.acceleration[i] + step_.d[i];
    step_.end.rate[i] = known.v[i] + step_.c.c1 * step_.end.acceleration[i] + step_.e[i];
  }
  move_positions(system_, from_->value, step_.u, step_.end.value, step_.operators);
}

void AlphaEquations::follow_stores() {
  if (states_.size() > 0) system_.state_flow(step_.end, flow_);
  for (int i = 0; i < states_.size(); ++i) {
    const double rate = -flow_[states_.begin + i];
    step_.end.rate[states_.begin + i] = rate;
    step_.end.store[i] = step_.predicted.s[i] + step_.c.kappa * rate;
  }
}

// ------------------------------------------------------------------ rows and their matrix

Shift AlphaEquations::shift() const {
  Shift s;
  s.position = step_.c.c0;
  s.velocity = step_.c.c1;
  s.acceleration = 1;
  s.store = 1;
  s.flow = step_.c.kappa;
  if (options_.weighted()) {  // (T-weighted-1)
    s.momentum_rate = 1 - options_.mechanics.alpha_m;
    s.force = s.reaction = 1 - options_.mechanics.alpha_f;
    s.acceleration = 1;
  }
  if (step_.form == ConstraintForm::index1) {
    s.constraint_accelerations = true;
    return s;
  }
  s.holonomic_scale = step_.c.c0 > 0 ? 1 / step_.c.c0 : 1.0;
  s.nonholonomic_scale = 1 / step_.c.c1;
  return s;
}

void AlphaEquations::residual(std::span<double> r) {
  system_.residual(step_.end, shift(), r);
  subtract_history(r);
}

void AlphaEquations::tangent(std::span<double> r, std::span<double> values) {
  system_.tangent(step_.end, shift(), step_.operators, r, values);
  add_proximal(system_, epsilon_, values);
  factored_for_ = step_.c;
  subtract_history(r);
}

void AlphaEquations::subtract_history(std::span<double> r) const {
  for (int i = states_.begin; i < states_.end; ++i) r[i] -= step_.predicted.s[i - states_.begin];
  if (options_.weighted())
    for (int i = 0; i < positions_; ++i) r[i] += step_.predicted.balance[i];
}

void AlphaEquations::matrix(const State& at, std::span<double> values) {
  system_.tangent(at, shift(), {}, unused_, values);
  add_proximal(system_, epsilon_, values);
  factored_for_ = step_.c;
}

bool AlphaEquations::outgrew_matrix() const {
  const auto changed = [](double a, double b) { return std::abs(a - b) > 0.1 * std::abs(b); };
  return changed(step_.c.c0, factored_for_.c0) || changed(step_.c.c1, factored_for_.c1) ||
         changed(step_.c.kappa, factored_for_.kappa);
}

// ------------------------------------------------------------------ increments

void AlphaEquations::move(std::span<const double> du, double scale) {
  const int n = system_.size();
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i) step_.end.acceleration[i] += scale * du[i];
  for (int i = positions_; i < n; ++i) step_.end.value[at[i]] += scale * du[i];
  const double unit = step_.form == ConstraintForm::index2 ? step_.c.c0 : 1.0;
  for (int i = 0; i < positions_ && constrained_; ++i) {
    step_.d[i] += scale * unit * du[n + i];
    step_.e[i] += scale * du[n + positions_ + i];
  }
  place();
}

void AlphaEquations::complete(LinearSolver& solver, std::span<const double>, std::span<double> du) {
  if (!constrained_) return;
  std::fill(du.begin() + system_.size(), du.end(), 0.0);
  if (step_.form == ConstraintForm::index2) stabilise(solver, du);
  if (step_.form == ConstraintForm::index1) project(solver, du);
}

/// Stabilised index 2: after the index-3 increment, the velocity increment p that makes Φ̇ = 0 there, with the same
/// factored matrix: S (p, η) = −(0, Φ̇/c1); v̇ += p, λ += η, and d −= c0 p keeps the position (T-constraint-7).
void AlphaEquations::stabilise(LinearSolver& solver, std::span<double> du) {
  const int n = system_.size();
  solve_for(solver, du, {1, -1}, projection_);
  for (double& x : projection_) x /= step_.c.c1;
  apply_operators(system_, step_.operators, projection_);  // the matrix holds Φ_q T(u), velocities need Φ_q
  for (int i = 0; i < n; ++i) du[i] += projection_[i];
  for (int i = 0; i < positions_; ++i) du[n + i] = -projection_[i];
}

/// Index 1: after the increment of v̇ and λ, which these leave alone, the position onto Φ = 0, then the velocity onto
/// Φ̇ = 0 and k = 0, along S⁻¹Φ_qᵀ and S⁻¹k_vᵀ (T-constraint-9).
void AlphaEquations::project(LinearSolver& solver, std::span<double> du) {
  const int n = system_.size();
  if (system_.rows(Kind::holonomic).size() > 0) {
    solve_for(solver, du, {0, -1}, projection_);
    remove_operators(system_, step_.operators, projection_);
    std::copy_n(projection_.begin(), positions_, du.begin() + n);
  }
  solve_for(solver, du, {1, 0}, projection_);
  std::copy_n(projection_.begin(), positions_, du.begin() + n + positions_);
}

/// S x = −(0, these derivatives of Φ and k) after the increment.
void AlphaEquations::solve_for(LinearSolver& solver, std::span<const double> du, Levels levels,
                               std::span<double> x) {
  move(du, 1.0);
  system_.constraints(step_.end, levels.holonomic, levels.nonholonomic, x);
  move(du, -1.0);
  for (double& e : x) e = -e;
  solver.solve(x);
}

// ------------------------------------------------------------------ when an increment is small

/// Weight of each increment: over the step size for positions, so that what Newton leaves over sums up to the
/// tolerance per second, whatever the step (T-newton-1).
void AlphaEquations::set_weights() {
  const State& from = *from_;
  const AlphaCoefficients& c = step_.c;
  const int n = system_.size();
  const auto nominal = system_.nominal();
  const auto at = system_.value_of_row();
  if (options_.horizon > 0) {
    std::copy(largest_.begin(), largest_.end(), expected_.begin());
    sizes_.look_ahead(from, foresight * options_.horizon, expected_);
  }
  const auto small = [&](int row, int size) {
    return options_.horizon > 0 ? small_size(system_, row, expected_[size]) : nominal[row];
  };
  for (int i = 0; i < positions_; ++i) {
    const double speed = small(i, n + i) + std::abs(from.rate[i]);
    weights_[i] = std::max(c.c0 / small(i, i), c.c1 / speed) / c.h;
    if (!constrained_) continue;
    // Index 2: d is in units of v̇ too. Index 1: d and e are what they are, and do not add up from step to step.
    double &d = weights_[n + i], &e = weights_[n + positions_ + i];
    d = step_.form == ConstraintForm::index2 ? weights_[i]
                                             : 1 / std::max(nominal[i], coordinate_size_(from, i));
    e = 1 / speed;
  }
  for (int i = positions_; i < n; ++i)
    weights_[i] = 1 / ((i < states_.end ? small(i, i) : nominal[i]) + std::abs(from.value[at[i]]));
  for (int i = 0; i < multipliers_; ++i) {
    const double value = escapement::most_left_over(system_, i, largest_[i]);
    left_over_[i] =
        i >= positions_
            ? value
            : c.h * std::min(value / c.c0, escapement::most_left_over(system_, i, largest_[n + i]) / c.c1);
  }
  // … of states likewise where the error of steps is controlled, as far as rounding allows; junctions are iterated alike (T-error-7).
  const double least = options_.state_tolerance, per_second = options_.newton.tolerance;
  const double wanted =
      system_.has_networks() ? least : std::max(1e-2 * least, per_second * std::min(1.0, 30 * c.h));
  if (wanted < per_second)
    for (int i = states_.begin; i < states_.end; ++i) weights_[i] *= per_second / wanted;
  if (regularised_)  // redundant multipliers are not determined: their forces are judged through v̇
    std::fill(weights_.begin() + multipliers_, weights_.begin() + n, 0.0);
}

void AlphaEquations::magnitudes(std::span<double> size, std::span<double> noise) const {
  const auto nominal = system_.nominal();
  const bool holonomic = system_.rows(Kind::holonomic).size() > 0;
  const bool slip = system_.rows(Kind::nonholonomic).size() > 0;
  const bool index1 = constrained_ && step_.form == ConstraintForm::index1;
  unknowns(size);
  for (int i = 0; i < positions_; ++i) {  // rounding of q and v comes back through Φ and k (T-newton-3)
    const double speed = std::abs(step_.end.rate[i]);
    if (index1) {
      noise[i] += rounding * speed * speed / nominal[i];
      continue;
    }
    if (holonomic) noise[i] += rounding * std::max(nominal[i], coordinate_size_(step_.end, i)) / step_.c.c0;
    if (slip || (holonomic && step_.form == ConstraintForm::index2))
      noise[i] += rounding * std::max(nominal[i], speed) / step_.c.c1;
  }
  // Multipliers sum up the rounding of all they hold: they are judged by the accelerations they cause.
  for (int i = multipliers_; i < system_.size(); ++i) noise[i] = INFINITY;
}

void AlphaEquations::unknowns(std::span<double> size) const {
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i) size[i] = std::abs(step_.end.acceleration[i]);
  for (int i = positions_; i < system_.size(); ++i) size[i] = std::abs(step_.end.value[at[i]]);
}

void AlphaEquations::rounded_sizes(std::span<double> size) const {
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i)
    size[i] = std::abs(step_.end.acceleration[i]) + std::abs(step_.end.rate[i]) / step_.c.c1 +
              (step_.c.c0 > 0 ? coordinate_size_(step_.end, i) / step_.c.c0 : 0.0);
  for (int i = positions_; i < system_.size(); ++i) size[i] = std::abs(step_.end.value[at[i]]);
}

void AlphaEquations::add_rounding(std::span<double> rows) {
  const auto nominal = system_.nominal();
  add_stiff_rounding(rows, [&](int j) { return nominal[j]; });
}

/// 16 ε|q| through K = ∂R/∂q: forces are differences of positions times their stiffness (T-newton-3).
template <class Size>
void AlphaEquations::add_stiff_rounding(std::span<double> rows, const Size& size) {
  const Pattern& p = system_.pattern();
  system_.tangent(step_.end, Shift::stiffness(), {}, unused_, stiffness_);
  for (int j = 0; j < positions_; ++j) {
    const double moved = rounding * std::max(size(j), coordinate_size_(step_.end, j));
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (p.row[k] < positions_) rows[p.row[k]] += std::abs(stiffness_[k]) * moved;
  }
}

/// The same equations, where what rounding of q and v does through Φ and k does not count.
class AlphaEquations::AlongConstraints final : public NewtonProblem {
 public:
  explicit AlongConstraints(AlphaEquations& all) : all_(all) {}
  void residual(std::span<double> r) override { all_.residual(r); }
  void tangent(std::span<double> r, std::span<double> values) override { all_.tangent(r, values); }
  void move(std::span<const double> du, double scale) override { all_.move(du, scale); }
  std::span<const double> weights() const override { return all_.weights(); }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    all_.unknowns(size);
    if (!all_.constrained_ || all_.step_.form != ConstraintForm::index1) return;
    const auto nominal = all_.system_.nominal();
    for (int i = 0; i < all_.positions_; ++i) {
      const double speed = std::abs(all_.step_.end.rate[i]);
      noise[i] += rounding * speed * speed / nominal[i];
    }
  }
  /// What has an orientation has points that are far from its origin; others are where their coordinates say.
  void add_rounding(std::span<double> rows) override {
    const System& system = all_.system_;
    const auto at = system.value_of_row();
    all_.add_stiff_rounding(rows, [&](int j) {
      return at[j] >= 0 ? small_size(system, j, all_.largest_[j]) : system.nominal()[j];
    });
  }

 private:
  AlphaEquations& all_;
};

void AlphaEquations::rounding_along_constraints(Newton& newton, std::span<double> noise) {
  AlongConstraints along(*this);
  newton.rounding(along, noise);
}

}  // namespace escapement
