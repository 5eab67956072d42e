// Steps that settle: four implicit stages with the step's own kind of matrix, rates from the equations at their end (T-settle).
#include <algorithm>
#include <cmath>

#include "core/signal_loop.hpp"
#include "steppers/generalized_alpha_step.hpp"

namespace escapement {

/// Explicit schemes and constants that do not follow the steps have no way back from settling.
void GeneralizedAlpha::prepare_settling() {
  constexpr double damped = 1 - 1e-9;
  if (!options_.settling || !options_.update_parameters || options_.mechanics.beta == 0) return;
  if (!options_.mechanics.second_order() || !options_.states.second_order()) return;
  excitation_test_.emplace(
      system_, ExcitationTest::Options{options_.proximal, options_.mechanics.radius_at_infinity() < damped,
                                       options_.states.radius_at_infinity() < damped});
  const int positions = system_.rows(Kind::position).size(), states = system_.rows(Kind::state).size();
  for (auto& x : stage_v_) x.assign(positions, 0.0);
  for (auto& x : stage_a_) x.assign(positions, 0.0);
  for (auto& x : stage_w_) x.assign(states, 0.0);
  within_ = trial_;
  within_u_.assign(positions, 0.0);
}

/// In the two steps after a start or a jump, if what has jumped is not resolved by a step of this size (T-settle-1).
bool GeneralizedAlpha::settles(const State& state, double h) {
  Excitation& jump = history.excitation;
  if (!excitation_test_ || !(state.t - jump.time < 1.99 * h)) return false;
  const bool judged = jump.judged > 0 && h < 1.5 * jump.judged && jump.judged < 1.5 * h;
  if (!judged) {
    jump.unresolved = excitation_test_->unresolved(state, h, jump);
    jump.judged = h;
  }
  return jump.unresolved;
}

/// One stage: (T-settle-2) says where it starts from, its own rate is what Newton finds. False: there is no solution.
bool GeneralizedAlpha::settling_stage(Step& step, const State& state, int stage, NewtonReport& report) {
  const SettlingStages& stages = settling_stages();
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const double h = c_.h;
  for (int i = 0; i < positions; ++i) {
    double way = 0, change = 0;
    for (int j = 0; j < stage; ++j) {
      way += stages.a[stage][j] * stage_v_[j][i];
      change += stages.a[stage][j] * stage_a_[j][i];
    }
    v_bar_[i] = state.rate[i] + h * change;
    u_bar_[i] = h * way + c_.c1 * v_bar_[i];
    trial_.acceleration[i] = (trial_.rate[i] - v_bar_[i]) / c_.c1;  // velocities of the stage before
  }
  for (int i = 0; i < states.size(); ++i) {
    double change = 0;
    for (int j = 0; j < stage; ++j) change += stages.a[stage][j] * stage_w_[j][i];
    s_bar_[i] = state.store[i] + h * change;
  }
  trial_.t = state.t + stages.c[stage] * h;
  for (auto* x : {&d_, &e_}) std::fill(x->begin(), x->end(), 0.0);
  step.place();
  NewtonReport solved = newton_.solve(step);
  solved.iterations += report.iterations;
  solved.factorizations += report.factorizations;
  report = std::move(solved);
  if (!report.ok()) return false;
  if (states.size() > 0) system_.state_flow(trial_, work_);
  for (int i = 0; i < states.size(); ++i) {
    const double rate = -work_[states.begin + i];
    stage_w_[stage][i] = trial_.rate[states.begin + i] = rate;
    trial_.store[i] = s_bar_[i] + c_.kappa * rate;
  }
  std::copy_n(trial_.rate.begin(), positions, stage_v_[stage].begin());
  std::copy_n(trial_.acceleration.begin(), positions, stage_a_[stage].begin());
  return true;
}

/// Accelerations, reactions and currents that the stages know to first order only, from the equations at the end (T-settle-5).
void GeneralizedAlpha::finish_settling(NewtonReport& report) {
  if (!constrained_ && !history.hidden) return;
  try {
    report.iterations += jumps_->solve(trial_).newton.iterations;
  } catch (const ModelError&) {
    report.status = NewtonStatus::no_convergence;
  }
}

StepReport GeneralizedAlpha::attempt_settling(State& state, double h) {
  constexpr double g = SettlingStages::gamma;
  StepReport report;
  c_ = {};
  c_.h = h;
  c_.c0 = g * g * h * h;
  c_.c1 = c_.kappa = g * h;
  form_ = system_.rows(Kind::holonomic).size() > 0 ? ConstraintForm::index2 : options_.constraints;
  prepare_proximal(state);
  LentHistory histories(state, trial_);
  std::copy_n(state.rate.begin(), velocity_start_.size(), velocity_start_.begin());
  trial_.take(state);
  set_weights(state);
  renew_matrix_if_changed();
  Step step(*this, state);
  bool solved = true;
  for (int stage = 0; stage < SettlingStages::count && solved; ++stage) {
    solved = settling_stage(step, state, stage, report.newton);
    if (stage > 0) continue;
    within_.take(trial_);
    within_u_ = u_;
  }
  if (solved && regularised()) refuse_contradiction(report.newton);
  if (report.newton.ok()) finish_settling(report.newton);
  if (!report.newton.ok()) {
    if (report.newton.status == NewtonStatus::singular)
      report.newton.loop = signal_loop(system_, newton_.matrix(), report.newton);
    newton_.invalidate();
  }
  return report;
}

/// The recursion starts anew behind it: a := v̇, w := ṡ, D := E := 0 (T-settle-5).
void GeneralizedAlpha::commit_settling(State& state) {
  const double h = c_.h;
  std::copy(trial_.acceleration.begin(), trial_.acceleration.end(), history.a.begin());
  std::copy(trial_.rate.begin() + system_.rows(Kind::state).begin, trial_.rate.end(), history.w.begin());
  history.D = history.E = 0;
  forget_slopes();
  history.last_step = 0;
  history.span = h;
  history.first = false;
  history.offset = INFINITY;
  history.tiny = false;
  sizes_.raise(trial_, history.largest);
  trial_.history.swap(state.history);
  std::swap(state, trial_);
  system_.remember(state, false);
}

/// What decays within the step has rates at its beginning that lead far off: in two pieces, by way of the first stage, between
/// whose ends nothing overshoots (T-settle-6).
void GeneralizedAlpha::interpolate_settling(const State& from, double s, State& between) const {
  const double middle = settling_stages().c[0];
  const bool first = s < middle;
  const State &a = first ? from : within_, &b = first ? within_ : trial_;
  const double length = (first ? middle : 1 - middle) * c_.h, p = (s - (first ? 0 : middle)) * c_.h / length;
  const double h00 = (1 + 2 * p) * (1 - p) * (1 - p), h01 = p * p * (3 - 2 * p), h10 = p * (1 - p) * (1 - p),
               h11 = -p * p * (1 - p);
  // A cubic whose slopes are at most thrice that of the chord, and not against it, stays between its ends.
  const auto cubic = [&](double f0, double f1, double slope0, double slope1) {
    const double chord = (f1 - f0) / length;
    const auto limited = [&](double slope) {
      return slope * chord > 0 ? std::copysign(std::min(std::abs(slope), 3 * std::abs(chord)), chord) : 0.0;
    };
    return h00 * f0 + h01 * f1 + length * (h10 * limited(slope0) + h11 * limited(slope1));
  };
  const auto line = [&](double f0, double f1) { return f0 + p * (f1 - f0); };
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  between.value.resize(from.value.size());
  between.rate.resize(from.rate.size());
  between.acceleration.resize(from.acceleration.size());
  between.store.resize(from.store.size());
  between.t = from.t + s * c_.h;
  between.memory = from.memory;
  dense_u_.resize(positions);
  for (int i = 0; i < positions; ++i) {
    dense_u_[i] = cubic(first ? 0.0 : within_u_[i], first ? within_u_[i] : u_[i], a.rate[i], b.rate[i]);
    between.rate[i] = cubic(a.rate[i], b.rate[i], a.acceleration[i], b.acceleration[i]);
    between.acceleration[i] = line(a.acceleration[i], b.acceleration[i]);
  }
  move_positions(system_, from.value, dense_u_, between.value, {});
  for (int i = positions; i < system_.size(); ++i)
    between.value[at[i]] = line(a.value[at[i]], b.value[at[i]]);
  for (int i = 0; i < states.size(); ++i) {
    const double f0 = a.rate[states.begin + i], f1 = b.rate[states.begin + i];
    between.rate[states.begin + i] = line(f0, f1);
    between.store[i] = cubic(a.store[i], b.store[i], f0, f1);
  }
}

}  // namespace escapement
