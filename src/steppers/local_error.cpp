// The error of a step, and the motion within it (T-error, T-dense).
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/manifold.hpp"
#include "steppers/generalized_alpha.hpp"
#include "steppers/step_control.hpp"

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

/// Of a defect the part across the constraints goes: the step itself removes it (T-constraint-7), so that it is no error of the
/// solution. S (p, η) = (0, Φ_q E), E −= p (T-error-9).
void GeneralizedAlpha::keep_along_constraints(std::span<double> defect, bool velocity) {
  const int positions = system_.rows(Kind::position).end, first = system_.rows(Kind::holonomic).begin;
  const int slip = system_.rows(Kind::nonholonomic).begin;
  std::copy(defect.begin(), defect.end(), work_.begin());
  std::fill(work_.begin() + positions, work_.end(), 0.0);
  if (!velocity) apply_operators(system_, operators_, work_);
  // Φ_q E from the linear Φ̇, with E scaled to the size of a velocity: otherwise only rounding would be left.
  double size = 0, speed = 1;
  for (int i = 0; i < positions; ++i) {
    size = std::max(size, std::abs(work_[i]));
    speed = std::max(speed, std::abs(trial_.rate[i]));
  }
  if (!(size > 0) || !std::isfinite(size)) return;
  aside_.take(trial_);
  std::fill(aside_.rate.begin(), aside_.rate.begin() + positions, 0.0);
  system_.constraints(aside_, 1, 0, rows_);
  for (int i = 0; i < positions; ++i) aside_.rate[i] = speed / size * work_[i];
  system_.constraints(aside_, 1, 0, work_);
  for (int i = first; i < system_.size(); ++i)
    work_[i] = i < slip || velocity ? size / speed * (work_[i] - rows_[i]) : 0.0;
  std::fill(work_.begin(), work_.begin() + first, 0.0);
  newton_.solver().solve(work_);
  if (velocity) apply_operators(system_, operators_, work_);
  for (int i = 0; i < positions; ++i) {
    defect[i] -= work_[i];
    if (!velocity) across_[i] = work_[i];
  }
}

/// What the defects do to the solution: the equations of the step with them taken off, solved once with its matrix. It keeps stiff
/// parts, whose rates amplify every error, from deciding the step (T-error-3).
void GeneralizedAlpha::filter_defects(State& from) {
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  if (constrained_) {
    std::fill(across_.begin(), across_.end(), 0.0);
    keep_along_constraints(defect_q_, false);
    keep_along_constraints(defect_v_, true);
  }
  aside_.take(trial_);
  for (int i = 0; i < positions; ++i) {
    work_[i] = u_[i] - defect_q_[i];
    aside_.rate[i] -= defect_v_[i];
  }
  move_positions(system_, from.value, work_, aside_.value, {});
  {
    LentHistory histories(from, aside_);
    system_.residual(aside_, shift(), rows_);
  }
  for (int i = states.begin; i < states.end; ++i)
    rows_[i] -= s_bar_[i - states.begin] - defect_s_[i - states.begin];
  std::fill(rows_.begin() + system_.rows(Kind::holonomic).begin, rows_.end(), 0.0);
  newton_.solver().solve(rows_);
  for (int i = 0; i < positions; ++i) {
    defect_q_[i] += c_.c0 * rows_[i];
    defect_v_[i] += c_.c1 * rows_[i];
  }
}

/// What Newton may leave of each unknown and what rounding moves it by is no error that a shorter step mends (T-error-7).
void GeneralizedAlpha::find_noise(const State& from, bool rounding_too) {
  constexpr double few = 4 * 2.2e-16;
  const int positions = system_.rows(Kind::position).end, n = system_.size();
  if (rounding_too) rounding_noise(from, noise_);
  else std::fill(noise_.begin(), noise_.end(), 0.0);
  for (int i = 0; i < n; ++i) {
    const double left = weights_[i] > 0 ? options_.newton.tolerance / weights_[i] : 0.0;
    const double moved = std::max(left, noise_[i]);
    if (i >= positions) {
      noise_[i] = moved;
      continue;
    }
    const double v = std::abs(from.rate[i]) + c_.h * std::abs(from.acceleration[i]);
    noise_[i] = few * c_.h * v + c_.c0 * moved;
    noise_[n + i] = few * v + c_.c1 * moved;
  }
}

LocalError GeneralizedAlpha::local_error(State& from, const ErrorScales& scales) {
  if (scales.estimator == ErrorEstimator::embedded && !third_point()) return {INFINITY, -1, false};
  defects(from, scales.estimator);
  filter_defects(from);
  find_noise(from, false);
  LocalError error = largest_error(from, scales);
  if (error.size > StepControl::accept) {  // before it is told to be shorter: would that help?
    find_noise(from, true);
    error = largest_error(from, scales);
  }
  return error;
}

bool GeneralizedAlpha::Forgetting::is_due(double error) {
  constexpr int patience = 16;
  if (error <= 0.1) return false;  // two sizes of the step below what is aimed at
  return pays || error > StepControl::accept || ++waited > patience;
}

/// The error that counts most, over its scale and over the share of the step (T-error-1).
LocalError GeneralizedAlpha::largest_error(State& from, const ErrorScales& scales) {
  LocalError error;
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end, n = system_.size();
  const auto at = system_.value_of_row();
  const double share = scales.horizon / c_.h;
  // What noise makes of the error does not count, and as much again is allowed beside the share of the step: it asks for no
  // shorter one (T-error-7).
  std::copy(history.largest.begin(), history.largest.end(), sizes_now_.begin());
  sizes_.raise(trial_, sizes_now_);
  std::copy(sizes_now_.begin(), sizes_now_.end(), expected_.begin());
  for (const State* s : {&from, &trial_}) sizes_.look_ahead(*s, foresight * scales.horizon, expected_);
  // The error of a quantity of several parts is that of all together, relative to its norm.
  const auto count_all = [&](int first, int parts, bool rate, const auto& size,
                             const ErrorScales::Tolerance& tolerance) {
    const int place = rate ? n + first : first;
    const bool turns = !rate && first < positions && turns_[first];  // the size of an angle says nothing
    double heard = 0, most = 0, noise = 0, nominal = 0;
    int row = first;
    for (int i = first; i < first + parts; ++i) {
      const double its_noise = noise_[rate ? n + i : i], its = std::abs(size(i)) - its_noise;
      noise = std::max(noise, its_noise);
      nominal =
          std::max(nominal, scales.learn ? small_size(system_, i, expected_[place]) : system_.nominal()[i]);
      if (its > 0 || std::isnan(its)) heard += its * its;
      if (its > most) most = its, row = i;
    }
    const double scale =
        tolerance.relative * (turns ? 0.0 : sizes_now_[place]) + tolerance.absolute * nominal;
    if (!(scale > 0)) return;
    error.noise = std::max(error.noise, noise / scale);
    if (heard == 0) return;
    const double relative = (parts == 1 ? most : std::sqrt(heard)) / (scale / share + 2 * noise);
    if (!(relative <= error.size))
      error = {std::isfinite(relative) ? relative : INFINITY, row, rate, error.noise};
  };
  const auto count = [&](int row, double size, const ErrorScales::Tolerance& tolerance) {
    count_all(
        row, 1, false, [size](int) { return size; }, tolerance);
  };
  for (const Sizes::Vector& v : sizes_.vectors()) {
    count_all(
        v.row, v.parts, false, [&](int i) { return defect_q_[i]; }, scales.positions);
    count_all(
        v.row, v.parts, true, [&](int i) { return defect_v_[i]; }, scales.velocities);
  }
  if (error.rate && history.velocities.is_due(error.size) && forget_velocities(scales.horizon)) {
    const double all = std::exchange(error, {}).size;
    const auto left_behind = [&](int i) {
      const bool swings = carried_[0][i] > 0;  // then its velocity counts in full
      return std::abs(defect_q_[i]) + (swings ? 0.0 : scales.horizon * scratch_[i]);
    };
    const auto not_forgotten = [&](int i) {
      return std::max(std::abs(defect_v_[i]) / share, scratch_[i] + carried_[0][i]);
    };
    for (const Sizes::Vector& v : sizes_.vectors()) {
      count_all(v.row, v.parts, false, left_behind, scales.positions);
      count_all(v.row, v.parts, true, not_forgotten, scales.velocities);
    }
    history.velocities.found(error.size < 0.5 * all);
  }
  // What constraints remove does not add up, but such a step does not follow what drives them (T-error-11).
  if (constrained_ && scales.estimator == ErrorEstimator::embedded)
    for (const Sizes::Vector& v : sizes_.vectors())
      count_all(
          v.row, v.parts, false, [&](int i) { return across_[i] / share; }, scales.positions);
  const LocalError mechanical = error;
  for (int i = states.begin; i < states.end; ++i)
    count(i, rows_[i], history.algebraic[i - states.begin] ? scales.signals : scales.states);
  if (error.row >= states.begin && history.states.is_due(error.size) && forget(scales.horizon)) {
    const double all = std::exchange(error, mechanical).size;
    for (int i = states.begin; i < states.end; ++i)
      count(i, std::max(std::abs(rows_[i]) / share, std::abs(scratch_[i])),
            history.algebraic[i - states.begin] ? scales.signals : scales.states);
    history.states.found(error.size < 0.5 * all);
  }
  // Circuits follow their sources, however long the step: what lies between its ends should be right too (T-error-8).
  for (const int i : nodes_)
    count(i, between_ends(i, trial_.value[at[i]] - from.value[at[i]]) / share, scales.states);
  for (int i = states.end; i < n; ++i)
    count(i, rows_[i], i < system_.rows(Kind::holonomic).begin ? scales.signals : scales.multipliers);
  return error;
}

std::vector<int> GeneralizedAlpha::uncontrolled(const ErrorScales& scales) const {
  constexpr double nothing =
      1e-12;  // of nominal magnitudes: no motion, but what is left over of that of others
  const int positions = system_.rows(Kind::position).end, n = system_.size();
  const auto is_small = [&](int row, double seen) {
    return !system_.nominal_stated()[row] && seen < small_size(system_, row, 0.0);
  };
  std::vector<int> rows;
  for (int i = 0; i < system_.rows(Kind::state).end && scales.learn; ++i) {
    const double size = history.largest[i];
    if (size > nothing * system_.nominal()[i] && is_small(i, size) &&
        (i >= positions || is_small(i, history.largest[n + i])))
      rows.push_back(i);
  }
  return rows;
}

/// How far the interpolant of this unknown (T-dense-2) may be off within the step, by the next divided difference; after a
/// start or a corner, how far a straight line is.
double GeneralizedAlpha::between_ends(int i, double change) const {
  const double h = c_.h, slope = change / h;
  if (!(history.last_step > much_smaller * h && history.span > history.last_step)) {
    const double third = history.third, bend = (slope - history.third_slope[i]) / (h - third);
    return third_point() ? 0.25 * std::abs(bend) * h * h : 0.0;
  }
  const double bend = (slope - history.slope[i]) / (h + history.last_step);
  const double third = (bend - history.curve[i]) / (h + history.span);
  return 0.25 * std::abs(third) * h * h * (h + history.last_step);  // (t − t_n)(t_{n+1} − t)(t − t_{n−1})
}

void GeneralizedAlpha::prepare_slow() {
  slow_ = make_solver(system_.size());
  slow_->analyze(system_.pattern(), system_.elimination_order());
  slow_values_.assign(system_.pattern().nonzeros(), 0.0);
  at_rest_.assign(system_.size(), 1);
  std::fill(at_rest_.begin() + system_.rows(Kind::state).begin,
            at_rest_.begin() + system_.rows(Kind::algebraic).end, 0);
}

void GeneralizedAlpha::archive(Archive& a) {
  a(history, factored_for_, epsilon_, newton_, *jumps_);
  if (excitation_test_) a(*excitation_test_);
  if (history.slope.size() != static_cast<std::size_t>(system_.size()))
    throw ArchiveError("the steps of another system");
  bool slow = slow_ != nullptr;  // its pivots are those of its first matrix
  a(slow);
  if (!slow) return;
  if (!slow_) prepare_slow();
  a(slow_values_);
  if (slow_values_.size() != static_cast<std::size_t>(system_.pattern().nonzeros()))
    throw ArchiveError("a matrix of another system");
  slow_->archive(a, slow_values_);
}

/// Errors of states do not all add up: what decays forgets them. Of an error ε in rows_ that every step makes again, this is left
/// at the end of the horizon H, per share of it: (M + H A)⁻¹ M ε, into scratch_ (T-error-5). False where the errors oscillate,
/// which that would take for decay.
bool GeneralizedAlpha::forget(double horizon) {
  const Range states = system_.rows(Kind::state);
  const std::size_t entries = system_.pattern().nonzeros();
  stores_.resize(entries);
  system_.tangent(trial_, Shift::stores(), {}, work_, stores_);
  const auto only_states = [&](std::vector<double>& x) {
    std::fill(x.begin(), x.begin() + states.begin, 0.0);
    std::fill(x.begin() + states.end, x.end(), 0.0);
  };
  const auto step_of = [&](LinearSolver& solver, std::vector<double>& x) {
    multiply(system_.pattern(), stores_, x, work_);
    x = work_;
    only_states(x);
    solver.solve(x);
    only_states(x);
  };
  // The errors after three short implicit steps, in which stiff parts vanish, and their first and second differences over two
  // more: what decays has both along itself, what oscillates has the second against itself, measured by the energy xᵀMx.
  const auto energy = [&](const std::vector<double>& x, auto y) {
    for (int i = 0; i < system_.size(); ++i) scratch_[i] = y(i);
    multiply(system_.pattern(), stores_, scratch_, work_);
    double sum = 0;
    for (int i = states.begin; i < states.end; ++i) sum += x[i] * work_[i];
    return sum;
  };
  auto& [y0, y1, y2] = carried_;
  y0 = rows_;
  only_states(y0);
  for (int k = 0; k < 3; ++k) step_of(newton_.solver(), y0);
  step_of(newton_.solver(), y1 = y0);
  step_of(newton_.solver(), y2 = y1);
  const double square = energy(y0, [&](int i) { return y0[i]; });
  const double first = energy(y0, [&](int i) { return y0[i] - y1[i]; });
  const double second = energy(y0, [&](int i) { return y0[i] - 2 * y1[i] + y2[i]; });
  if (second < 0 && first < 0.3 * std::sqrt(-second * std::abs(square))) return false;

  if (!slow_) prepare_slow();
  system_.tangent(trial_, {.acceleration = 1, .store = 1, .flow = horizon}, {}, work_, slow_values_);
  hold(system_, at_rest_, slow_values_);
  if (!slow_->factor(slow_values_).ok) return false;
  scratch_ = rows_;
  step_of(*slow_, scratch_);
  return true;
}

/// The same for velocities: what errors of theirs, made again in every step, leave at the end of the horizon goes into scratch_,
/// what swings and so does not decay into carried_[0] (T-error-10).
bool GeneralizedAlpha::forget_velocities(double horizon) {
  const int positions = system_.rows(Kind::position).end;
  const auto product = [&](const Shift& shift, const std::vector<double>& x) {  // of the rows of positions
    stores_.resize(system_.pattern().nonzeros());
    system_.tangent(trial_, shift, {}, work_, stores_);
    multiply(system_.pattern(), stores_, x, work_);
    std::fill(work_.begin() + positions, work_.end(), 0.0);
    return std::span<const double>(work_);
  };
  if (!slow_) prepare_slow();
  Shift at_end{
      .position = horizon * horizon, .velocity = horizon, .acceleration = 1, .store = 1, .flow = horizon};
  at_end.holonomic_scale = 1 / at_end.position;
  at_end.nonholonomic_scale = 1 / horizon;
  system_.tangent(trial_, at_end, {}, work_, slow_values_);
  if (!slow_->factor(slow_values_).ok) return false;
  auto& y = carried_[0];
  y.assign(system_.size(), 0.0);
  std::copy_n(defect_v_.begin(), positions, y.begin());
  const auto start = product(Shift::mass(), y);
  scratch_.assign(start.begin(), start.end());
  slow_->solve(scratch_);
  for (int k = 0; k < 3; ++k) {  // what a step does not resolve goes
    const auto momentum = product(Shift::mass(), y);
    std::copy(momentum.begin(), momentum.end(), y.begin());
    newton_.solver().solve(y);
    std::fill(y.begin() + positions, y.end(), 0.0);
  }
  auto &damped = carried_[1], &stiff = carried_[2];
  const auto damping = product(Shift::damping(), y);
  damped.assign(damping.begin(), damping.end());
  const auto stiffness = product(Shift::stiffness(), y);
  stiff.assign(stiffness.begin(), stiffness.end());
  const auto momentum = product(Shift::mass(), y);
  for (int i = 0; i < positions; ++i) {
    const double m = y[i] * momentum[i], c = y[i] * damped[i], k = y[i] * stiff[i];
    scratch_[i] = std::abs(scratch_[i]);
    y[i] = c > 0 && c * c >= 4 * std::abs(k * m) ? 0.0 : std::abs(y[i]);
  }
  return true;
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

std::optional<StepReport> GeneralizedAlpha::look_ahead_if_needed(State& state, double h) {
  const double third = history.third;  // one that is very near to the end, or far beyond, is of no use
  if (third < -much_smaller * h || (third > 0.2 * h && third < 0.8 * h)) return std::nullopt;
  return look_ahead(state, h);
}

void GeneralizedAlpha::interpolate(const State& from, double s, State& between) const {
  if (settled_) return interpolate_settling(from, s, between);
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
