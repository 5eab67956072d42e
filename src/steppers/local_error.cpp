// The error of a step, and the motion within it (T-error, T-dense).
#include <algorithm>
#include <cmath>

#include "core/manifold.hpp"
#include "steppers/generalized_alpha.hpp"

namespace escapement {

/// What the formulas of the step leave out: E_q, E_v, E_s (T-error-2), or their leading term alone (T-error-6).
void GeneralizedAlpha::defects(const State& from, ErrorEstimator estimator) {
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const double h = c_.h;
  if (estimator == ErrorEstimator::history) {
    for (int i = 0; i < positions; ++i) {
      const double change = trial_.acceleration[i] - from.acceleration[i];
      defect_q_[i] = -c_.C * h * h * change;
      defect_v_[i] = 0;
    }
    std::fill(defect_s_.begin(), defect_s_.end(), 0.0);
    return;
  }
  const auto bend = [&](int i, double f0, double f1) {  // f[0, h, third]
    return ((f1 - f0) / h - history.third_slope[i]) / (h - history.third);
  };
  for (int i = 0; i < positions; ++i) {
    const double a0 = from.acceleration[i], a1 = trial_.acceleration[i], c = bend(i, a0, a1),
                 v = velocity_start_[i];
    defect_q_[i] = u_[i] - (h * v + h * h / 6 * (2 * a0 + a1) - c * h * h * h * h / 12);
    defect_v_[i] = trial_.rate[i] - v - (h / 2 * (a0 + a1) - c * h * h * h / 6);
  }
  if (!system_.lie_variables().empty()) {  // what the exponential map adds
    lie_bracket(system_, from.rate, from.acceleration, velocity_);
    for (int i = 0; i < positions; ++i) defect_q_[i] -= h * h * h / 12 * velocity_[i];
  }
  for (int i = 0; i < states.size(); ++i) {
    const double f0 = from.rate[states.begin + i], f1 = trial_.rate[states.begin + i];
    const double c = bend(system_.size() + i, f0, f1);
    defect_s_[i] = trial_.store[i] - from.store[i] - (h / 2 * (f0 + f1) - c * h * h * h / 6);
  }
}

LocalError GeneralizedAlpha::local_error(const State& from, const ErrorScales& scales) {
  LocalError error;
  if (scales.estimator == ErrorEstimator::embedded && !third_point()) return {INFINITY, -1, false};
  defects(from, scales.estimator);
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end, n = system_.size();
  const auto at = system_.value_of_row();

  // What the defects do to the solution: the equations of the step with them taken off, solved once with its matrix. It
  // keeps stiff parts, whose rates amplify every error, from deciding the step (T-error-3).
  aside_.t = trial_.t;
  aside_.value = trial_.value;
  aside_.rate = trial_.rate;
  aside_.acceleration = trial_.acceleration;
  aside_.store = trial_.store;
  aside_.memory = trial_.memory;
  for (int i = 0; i < positions; ++i) {
    work_[i] = u_[i] - defect_q_[i];
    aside_.rate[i] -= defect_v_[i];
  }
  move_positions(system_, from.value, work_, aside_.value, {});
  const auto histories = [&] { aside_.history.swap(const_cast<State&>(from).history); };
  histories();
  system_.residual(aside_, shift(), rows_);
  histories();
  for (int i = states.begin; i < states.end; ++i)
    rows_[i] -= s_bar_[i - states.begin] - defect_s_[i - states.begin];
  std::fill(rows_.begin() + system_.rows(Kind::holonomic).begin, rows_.end(), 0.0);
  newton_.solver().solve(rows_);

  const double share = scales.horizon / c_.h;
  const auto count = [&](int row, bool rate, double size, double value,
                         const ErrorScales::Tolerance& tolerance) {
    double& largest = history.largest[rate ? n + row : row];
    largest = std::max(largest, std::abs(value));
    const double scale = tolerance.relative * largest + tolerance.absolute * system_.nominal()[row];
    if (!(scale > 0)) return;
    const double relative = std::abs(size) * share / scale;
    if (!(relative <= error.size)) error = {std::isfinite(relative) ? relative : INFINITY, row, rate};
  };
  for (int i = 0; i < positions; ++i) {
    count(i, false, defect_q_[i] + c_.c0 * rows_[i], turns_[i] ? 0.0 : reach(from, i), scales.positions);
    count(i, true, defect_v_[i] + c_.c1 * rows_[i], from.rate[i], scales.velocities);
  }
  for (int i = positions; i < n; ++i)
    count(i, false, rows_[i], from.value[at[i]],
          i < states.end ? (history.algebraic[i - states.begin] ? scales.signals : scales.states)
          : i < system_.rows(Kind::holonomic).begin ? scales.signals
                                                    : scales.multipliers);
  return error;
}

StepReport GeneralizedAlpha::look_ahead(State& state, double h) {
  const StepReport report = attempt(state, 0.5 * h);
  if (!report.ok()) return report;
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions; ++i)
    history.third_slope[i] = (trial_.acceleration[i] - state.acceleration[i]) / (0.5 * h);
  for (int i = positions; i < system_.size(); ++i)
    history.third_slope[i] = (trial_.value[at[i]] - state.value[at[i]]) / (0.5 * h);
  for (int i = 0; i < states.size(); ++i)
    history.third_slope[system_.size() + i] =
        (trial_.rate[states.begin + i] - state.rate[states.begin + i]) / (0.5 * h);
  history.third = 0.5 * h;
  return report;
}

void GeneralizedAlpha::interpolate(const State& from, double s, State& between) const {
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end, n = system_.size();
  const auto at = system_.value_of_row();
  const double h = c_.h, t = s * h;
  const double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s), h10 = s * (1 - s) * (1 - s),
               h11 = -s * s * (1 - s);
  between.t = from.t + t;
  between.value.resize(from.value.size());
  between.rate.resize(from.rate.size());
  between.acceleration.resize(from.acceleration.size());
  between.store.resize(from.store.size());
  between.memory = from.memory;
  // Positions: u(t) on the Lie algebra with u(0) = 0, u̇(0) = v_n, u(h) and u̇(h) = T(u)⁻¹ v_{n+1} (T-dense-1).
  auto &end = dense_end_, &u = dense_u_;
  end.assign(trial_.rate.begin(), trial_.rate.begin() + positions);
  u.resize(positions);
  remove_operators(system_, operators_, end);
  for (int i = 0; i < positions; ++i) {
    u[i] = h01 * u_[i] + h * (h10 * from.rate[i] + h11 * end[i]);
    between.rate[i] = h00 * from.rate[i] + h01 * trial_.rate[i] +
                      h * (h10 * from.acceleration[i] + h11 * trial_.acceleration[i]);
  }
  move_positions(system_, from.value, u, between.value, {});
  // Everything else: a parabola through three points, a line where there are but two (T-dense-2).
  const auto along = [&](int i, double z0, double z1) {
    const double slope = (z1 - z0) / h;
    const double curve = third_point() ? (slope - history.third_slope[i]) / (h - history.third) : 0.0;
    return z0 + t * slope + curve * t * (t - h);
  };
  for (int i = 0; i < positions; ++i)
    between.acceleration[i] = along(i, from.acceleration[i], trial_.acceleration[i]);
  for (int i = positions; i < n; ++i) between.value[at[i]] = along(i, from.value[at[i]], trial_.value[at[i]]);
  for (int i = 0; i < states.size(); ++i) {
    const double f0 = from.rate[states.begin + i], f1 = trial_.rate[states.begin + i];
    between.rate[states.begin + i] = f0 + s * (f1 - f0);
    between.store[i] = h00 * from.store[i] + h01 * trial_.store[i] + h * (h10 * f0 + h11 * f1);
  }
}

}  // namespace escapement
