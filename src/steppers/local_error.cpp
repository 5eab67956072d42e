#include "steppers/local_error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steppers/step_control.hpp"

namespace escapement {

AlphaError::AlphaError(const System& system, const Sizes& sizes, const AlphaStep& step,
                       AlphaEquations& equations, Newton& newton, AlphaHistory& history)
    : system_(system),
      sizes_(sizes),
      step_(step),
      equations_(equations),
      newton_(newton),
      history_(history),
      states_(system.rows(Kind::state)),
      positions_(system.rows(Kind::position).end),
      constrained_(system.rows(Kind::holonomic).begin < system.size()),
      is_angle_(positions_, 0),
      decaying_(system) {
  for (auto* x : {&defect_.q, &defect_.v, &defect_.across, &bracket_, &moved_}) x->assign(positions_, 0.0);
  defect_.s.assign(states_.size(), 0.0);
  for (auto* x : {&errors_, &at_rest_, &removed_}) x->assign(system.size(), 0.0);
  noise_.assign(system.size() + positions_, 0.0);
  for (auto* x : {&sizes_now_, &expected_}) x->assign(sizes.count(), 0.0);
  for (const Variable& v : system.variables()) {
    if (v.network == Network::node) circuit_nodes_.push_back(v.row);
    if (v.kind != Kind::position) continue;
    for (int k = 0; k < v.dofs; ++k) is_angle_[v.row + k] = v.extent_of(k) == Extent::angle;
  }
}

LocalError AlphaError::of(State& from, const ErrorScales& scales) {
  find_defects(from, scales.estimator);
  filter_defects(from);
  find_noise(from, false);
  find_sizes(from, scales.horizon);
  LocalError error = largest(from, scales);
  if (error.size > StepControl::accept) {  // before the step is shortened: would that help?
    find_noise(from, true);
    error = largest(from, scales);
  }
  return error;
}

// ------------------------------------------------------------------ defects

/// … or their leading term alone (T-error-6).
void AlphaError::find_defects(const State& from, ErrorEstimator estimator) {
  const State& end = step_.end;
  const double h = step_.c.h;
  if (estimator == ErrorEstimator::history) {
    for (int i = 0; i < positions_; ++i) {
      const double change = end.acceleration[i] - from.acceleration[i];
      defect_.q[i] = -step_.c.C * h * h * change;
      defect_.v[i] = 0;
    }
    std::fill(defect_.s.begin(), defect_.s.end(), 0.0);
    return;
  }
  const auto bend = [&](int i, double f0, double f1) {  // f[0, h, third]
    return ((f1 - f0) / h - history_.third_slope[i]) / (h - history_.third);
  };
  for (int i = 0; i < positions_; ++i) {
    const double a0 = from.acceleration[i], a1 = end.acceleration[i], c = bend(i, a0, a1),
                 v = step_.predicted.velocity[i];
    defect_.q[i] = step_.u[i] - (h * v + h * h / 6 * (2 * a0 + a1) - c * h * h * h * h / 12);
    defect_.v[i] = end.rate[i] - v - (h / 2 * (a0 + a1) - c * h * h * h / 6);
  }
  if (!system_.lie_variables().empty()) {  // what the exponential map adds
    lie_bracket(system_, from.rate, from.acceleration, bracket_);
    for (int i = 0; i < positions_; ++i) defect_.q[i] -= h * h * h / 12 * bracket_[i];
  }
  for (int i = 0; i < states_.size(); ++i) {
    const double f0 = from.rate[states_.begin + i], f1 = end.rate[states_.begin + i];
    const double c = bend(system_.size() + i, f0, f1);
    defect_.s[i] = end.store[i] - from.store[i] - (h / 2 * (f0 + f1) - c * h * h * h / 6);
  }
}

/// Of a defect the part across the constraints goes: the step itself removes it (T-constraint-7), so that it is no error of the
/// solution. S (p, η) = (0, Φ_q E), E −= p (T-error-9).
void AlphaError::keep_along_constraints(std::span<double> defect, bool velocity) {
  const int first = system_.rows(Kind::holonomic).begin, slip = system_.rows(Kind::nonholonomic).begin;
  const State& end = step_.end;
  std::copy(defect.begin(), defect.end(), removed_.begin());
  std::fill(removed_.begin() + positions_, removed_.end(), 0.0);
  if (!velocity) apply_operators(system_, step_.operators, removed_);
  // Φ_q E from the linear Φ̇, with E scaled to the size of a velocity: otherwise only rounding would be left.
  double size = 0, speed = 1;
  for (int i = 0; i < positions_; ++i) {
    size = std::max(size, std::abs(removed_[i]));
    speed = std::max(speed, std::abs(end.rate[i]));
  }
  if (!(size > 0) || !std::isfinite(size)) return;
  beside_.take(end);
  std::fill(beside_.rate.begin(), beside_.rate.begin() + positions_, 0.0);
  system_.constraints(beside_, 1, 0, at_rest_);
  for (int i = 0; i < positions_; ++i) beside_.rate[i] = speed / size * removed_[i];
  system_.constraints(beside_, 1, 0, removed_);
  for (int i = first; i < system_.size(); ++i)
    removed_[i] = i < slip || velocity ? size / speed * (removed_[i] - at_rest_[i]) : 0.0;
  std::fill(removed_.begin(), removed_.begin() + first, 0.0);
  newton_.solver().solve(removed_);
  if (velocity) apply_operators(system_, step_.operators, removed_);
  for (int i = 0; i < positions_; ++i) {
    defect[i] -= removed_[i];
    if (!velocity) defect_.across[i] = removed_[i];
  }
}

/// What the defects do to the solution: the equations of the step with them taken off, solved once with its matrix. It keeps stiff
/// parts, whose rates amplify every error, from deciding the step (T-error-3).
void AlphaError::filter_defects(State& from) {
  if (constrained_) {
    std::fill(defect_.across.begin(), defect_.across.end(), 0.0);
    keep_along_constraints(defect_.q, false);
    keep_along_constraints(defect_.v, true);
  }
  beside_.take(step_.end);
  for (int i = 0; i < positions_; ++i) {
    moved_[i] = step_.u[i] - defect_.q[i];
    beside_.rate[i] -= defect_.v[i];
  }
  move_positions(system_, from.value, moved_, beside_.value, {});
  {
    LentDelays delays(from, beside_);
    system_.residual(beside_, equations_.shift(), errors_);
  }
  for (int i = states_.begin; i < states_.end; ++i)
    errors_[i] -= step_.predicted.s[i - states_.begin] - defect_.s[i - states_.begin];
  std::fill(errors_.begin() + system_.rows(Kind::holonomic).begin, errors_.end(), 0.0);
  newton_.solver().solve(errors_);
  for (int i = 0; i < positions_; ++i) {
    defect_.q[i] += step_.c.c0 * errors_[i];
    defect_.v[i] += step_.c.c1 * errors_[i];
  }
}

/// What Newton may leave of each unknown and what rounding moves it by is no error that a shorter step mends (T-error-7).
void AlphaError::find_noise(const State& from, bool rounding_too) {
  constexpr double few = 4 * 2.2e-16;
  const int n = system_.size();
  const auto weights = equations_.weights();
  if (rounding_too) equations_.rounding_along_constraints(newton_, noise_);
  else std::fill(noise_.begin(), noise_.end(), 0.0);
  for (int i = 0; i < n; ++i) {
    const double left = weights[i] > 0 ? newton_.options().tolerance / weights[i] : 0.0;
    const double moved = std::max(left, noise_[i]);
    if (i >= positions_) {
      noise_[i] = moved;
      continue;
    }
    const double v = std::abs(from.rate[i]) + step_.c.h * std::abs(from.acceleration[i]);
    noise_[i] = few * step_.c.h * v + step_.c.c0 * moved;
    noise_[n + i] = few * v + step_.c.c1 * moved;
  }
}

void AlphaError::find_sizes(const State& from, double horizon) {
  std::copy(history_.largest.begin(), history_.largest.end(), sizes_now_.begin());
  sizes_.raise(step_.end, sizes_now_);
  std::copy(sizes_now_.begin(), sizes_now_.end(), expected_.begin());
  for (const State* s : {&from, &step_.end}) sizes_.look_ahead(*s, foresight * horizon, expected_);
}

// ------------------------------------------------------------------ the one that counts most

/// The largest error so far, over its scale and over the share of the step (T-error-1).
class AlphaError::Largest {
 public:
  Largest(const AlphaError& of, const ErrorScales& scales)
      : share(scales.horizon / of.step_.c.h), of_(of), learn_(scales.learn) {}

  LocalError error;
  double share;  // of steps of this size in the horizon

  /// The error of a quantity of several parts is that of all together, relative to its norm. What noise makes of it does not
  /// count, and as much again is allowed beside the share of the step: it asks for no shorter one (T-error-7).
  template <class Error>
  void count(int first, int parts, bool rate, const Error& error_of,
             const ErrorScales::Tolerance& tolerance) {
    const int n = of_.system_.size(), place = rate ? n + first : first;
    const bool is_angle = !rate && first < of_.positions_ && of_.is_angle_[first];  // its size says nothing
    double heard = 0, most = 0, noise = 0, nominal = 0;
    int row = first;
    for (int i = first; i < first + parts; ++i) {
      const double its_noise = of_.noise_[rate ? n + i : i], its = std::abs(error_of(i)) - its_noise;
      noise = std::max(noise, its_noise);
      nominal = std::max(
          nominal, learn_ ? small_size(of_.system_, i, of_.expected_[place]) : of_.system_.nominal()[i]);
      if (its > 0 || std::isnan(its)) heard += its * its;
      if (its > most) most = its, row = i;
    }
    const double scale =
        tolerance.relative * (is_angle ? 0.0 : of_.sizes_now_[place]) + tolerance.absolute * nominal;
    if (!(scale > 0)) return;
    error.noise = std::max(error.noise, noise / scale);
    if (heard == 0) return;
    const double relative = (parts == 1 ? most : std::sqrt(heard)) / (scale / share + 2 * noise);
    if (!(relative <= error.size))
      error = {std::isfinite(relative) ? relative : INFINITY, row, rate, error.noise};
  }
  void count(int row, double size, const ErrorScales::Tolerance& tolerance) {
    count(
        row, 1, false, [size](int) { return size; }, tolerance);
  }

 private:
  const AlphaError& of_;
  bool learn_;
};

LocalError AlphaError::largest(const State& from, const ErrorScales& scales) {
  const auto at = system_.value_of_row();
  Largest largest(*this, scales);
  count_positions(largest, scales);
  // What constraints remove does not add up, but such a step does not follow what drives them (T-error-11).
  if (constrained_ && scales.estimator == ErrorEstimator::embedded)
    for (const Sizes::Vector& v : sizes_.vectors())
      largest.count(
          v.row, v.parts, false, [&](int i) { return defect_.across[i] / largest.share; }, scales.positions);
  count_states(largest, scales);
  // Circuits follow their sources, however long the step: what lies between its ends should be right too (T-error-8).
  for (const int i : circuit_nodes_)
    largest.count(i, between_ends(i, step_.end.value[at[i]] - from.value[at[i]]) / largest.share,
                  scales.states);
  for (int i = states_.end; i < system_.size(); ++i)
    largest.count(i, errors_[i],
                  i < system_.rows(Kind::holonomic).begin ? scales.signals : scales.multipliers);
  return largest.error;
}

void AlphaError::count_positions(Largest& largest, const ErrorScales& scales) {
  for (const Sizes::Vector& v : sizes_.vectors()) {
    largest.count(
        v.row, v.parts, false, [&](int i) { return defect_.q[i]; }, scales.positions);
    largest.count(
        v.row, v.parts, true, [&](int i) { return defect_.v[i]; }, scales.velocities);
  }
  const LocalError all = largest.error;
  if (!all.rate || !history_.velocities.is_due(all.size) ||
      !decaying_.of_velocities(step_.end, newton_.solver(), defect_.v, scales.horizon))
    return;
  const auto left = decaying_.left(), swinging = decaying_.swinging();
  const auto left_behind = [&](int i) {
    const bool swings = swinging[i] > 0;  // then its velocity counts in full
    return std::abs(defect_.q[i]) + (swings ? 0.0 : scales.horizon * left[i]);
  };
  const auto not_forgotten = [&](int i) {
    return std::max(std::abs(defect_.v[i]) / largest.share, left[i] + swinging[i]);
  };
  largest.error = {};
  for (const Sizes::Vector& v : sizes_.vectors()) {
    largest.count(v.row, v.parts, false, left_behind, scales.positions);
    largest.count(v.row, v.parts, true, not_forgotten, scales.velocities);
  }
  history_.velocities.found(largest.error.size < 0.5 * all.size);
}

void AlphaError::count_states(Largest& largest, const ErrorScales& scales) {
  const auto tolerance = [&](int i) {
    return history_.algebraic[i - states_.begin] ? scales.signals : scales.states;
  };
  const LocalError mechanical = largest.error;
  for (int i = states_.begin; i < states_.end; ++i) largest.count(i, errors_[i], tolerance(i));
  const LocalError all = largest.error;
  if (all.row < states_.begin || !history_.states.is_due(all.size) ||
      !decaying_.of_states(step_.end, newton_.solver(), errors_, scales.horizon))
    return;
  largest.error = mechanical;
  for (int i = states_.begin; i < states_.end; ++i)
    largest.count(i, std::max(std::abs(errors_[i]) / largest.share, std::abs(decaying_.left()[i])),
                  tolerance(i));
  history_.states.found(largest.error.size < 0.5 * all.size);
}

/// How far the interpolant of this unknown (T-dense-2) may be off within the step, by the next divided difference; after a
/// start or a corner, how far a straight line is.
double AlphaError::between_ends(int i, double change) const {
  const AlphaHistory& past = history_;
  const double h = step_.c.h, slope = change / h;
  if (!(past.last_step > AlphaHistory::much_smaller * h && past.span > past.last_step)) {
    const double bend = (slope - past.third_slope[i]) / (h - past.third);
    return past.third_point(h) ? 0.25 * std::abs(bend) * h * h : 0.0;
  }
  const double bend = (slope - past.slope[i]) / (h + past.last_step);
  const double third = (bend - past.curve[i]) / (h + past.span);
  return 0.25 * std::abs(third) * h * h * (h + past.last_step);  // (t − t_n)(t_{n+1} − t)(t − t_{n−1})
}

}  // namespace escapement
