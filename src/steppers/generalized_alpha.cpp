#include "steppers/generalized_alpha.hpp"

#include <algorithm>
#include <cmath>

#include "core/manifold.hpp"
#include "core/signal_loop.hpp"
#include "steppers/hermite.hpp"

namespace escapement {

namespace {

/// The options as they work together. Throws as refuse_scheme().
GeneralizedAlphaOptions consistent(const System& system, GeneralizedAlphaOptions o) {
  refuse_scheme(system, o);
  if (o.weighted()) {  // the published recursion, as it is
    o.history = StartHistory::classical;
    o.update_parameters = o.offset_projection = o.settling = o.change_form = false;
  }
  if (system.rows(Kind::holonomic).size() == 0 && o.constraints == ConstraintForm::index2)
    o.constraints = ConstraintForm::index3;  // of slip alone they are the same
  o.start.proximal = std::max(o.start.proximal, o.proximal);
  return o;
}

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(const System& system, GeneralizedAlphaOptions options)
    : Stepper(system),
      history(system.rows(Kind::position).size(), system.rows(Kind::state).size(), system.size(),
              Sizes(system).count()),
      options_(consistent(system, std::move(options))),
      states_(system.rows(Kind::state)),
      positions_(system.rows(Kind::position).end),
      constrained_(system.rows(Kind::holonomic).begin < system.size()),
      sizes_(system),
      newton_(system, constrained_ ? 2 * positions_ : 0, options_.newton),
      step_(system),
      equations_(system, options_, sizes_, step_),
      proximal_(system, options_.proximal, options_.newton.tolerance),
      offset_(system, proximal_.needed()),
      rounding_(system),
      error_(system, sizes_, step_, equations_, newton_, history),
      jumps_(system, options_.start) {
  for (const auto& w : check(options_.mechanics)) warnings_.push_back(w);
  for (const auto& w : check(options_.states)) warnings_.push_back(w);
  if (constrained_ && options_.mechanics.radius_at_infinity() > 1 - 1e-9)
    warnings_.push_back(
        {"A-stability",
         "spectral radius 1 at infinity with constraints: errors of accelerations and multipliers do "
         "not decay, and are of first order under changing steps"});
  step_.form = options_.constraints;
  if (options_.weighted()) step_.predicted.balance.assign(system.size(), 0.0);
  if (SettlingStep::possible(options_)) settling_.emplace(system, options_);
  for (auto* x : {&jump_.acceleration, &jump_.moved, &jump_.slope, &end_velocity_, &way_})
    x->assign(positions_, 0.0);
  jump_.rate.assign(states_.size(), 0.0);
  for (auto* x : {&jump_.third_before, &jump_.third}) x->assign(system.size(), 0.0);
}

std::vector<Warning> GeneralizedAlpha::warnings() const {
  std::vector<Warning> list;
  for (const ParameterWarning& w : warnings_) list.push_back({"W-SCHEME", w.message});
  return list;
}

// ------------------------------------------------------------------ one step

/// In the form of the constraints that suits its size. Far from the origin rounding may keep the index-1 form from converging:
/// then in the form that was chosen (T-constraint-10).
StepReport GeneralizedAlpha::attempt(State& state, double h) {
  check_step(state, h);
  settled_ = settling_ && settling_->is_due(state, h, history.excitation);
  if (settled_) return attempt_settling(state, h);
  const RecursionStart start = recursion_start(state, h);
  step_.c = alpha_coefficients(options_, h, start.D, start.E);
  const ConstraintForm form = suitable_form(state);
  const StepReport report = attempt_in_form(form, start, state);
  if (report.ok() || form == options_.constraints) return report;
  StepReport again = attempt_in_form(options_.constraints, start, state);
  again.newton.iterations += report.newton.iterations;
  again.newton.factorizations += report.newton.factorizations;
  return again;
}

StepReport GeneralizedAlpha::attempt_in_form(ConstraintForm form, const RecursionStart& start, State& state) {
  StepReport report;
  report.restarted = start.anew;
  step_.form = form;
  prepare_proximal(state);
  const LentDelays delays(state, step_.end);
  if (!project_velocity(state, report.newton)) return report;  // (T-constraint-4)
  predict(start, state);                                       // (T-alpha-1…4)
  guess(state);
  correct(state, report.newton);
  if (report.ok()) equations_.follow_stores();  // so what flows is conserved (T-alpha-5)
  else tell_failure(report.newton);
  return report;
}

/// The first step waits for its size. A step that shrinks too much restarts the recursion (T-alpha-8).
GeneralizedAlpha::RecursionStart GeneralizedAlpha::recursion_start(const State& state, double h) const {
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  RecursionStart start{history.a, history.w, history.D, history.E};
  if (history.first) {
    const bool classical = options_.history == StartHistory::classical ||
                           (options_.history == StartHistory::automatic && !constrained_);
    start.D = classical ? (m.alpha_m - m.alpha_f) * h : 0.0;
    start.E = classical && !history.hidden ? (s.delta_m - s.delta_f) * h
                                           : 0.0;  // index 2: w is the rate of the start itself
  }
  if (options_.update_parameters && m.second_order() && beyond_bounds(m, h, start.D)) {
    start.a = state.acceleration;
    start.D = 0;
    start.anew = true;
  }
  if (options_.update_parameters && s.second_order() && beyond_bounds(s, h, start.E)) {
    start.w = std::span(state.rate).subspan(states_.begin);
    start.E = 0;
    start.anew = true;
  }
  return start;
}

/// The form that was asked for, unless rounding would show (T-constraint-10).
ConstraintForm GeneralizedAlpha::suitable_form(const State& state) {
  const ConstraintForm wanted = options_.constraints;
  if (!constrained_ || !options_.change_form || wanted == ConstraintForm::index1) return wanted;
  const double shown = rounding_.shown(state, step_.c, wanted, newton_.matrix(), history.mass);
  return shown > (history.tiny ? 0.3 : 1.0) ? ConstraintForm::index1 : wanted;
}

/// Velocity with the offset that index-3 multipliers need, or without it; only where the offset changes (T-constraint-5).
bool GeneralizedAlpha::project_velocity(const State& state, NewtonReport& report) {
  std::copy_n(state.rate.begin(), positions_, step_.predicted.velocity.begin());
  if (step_.form == ConstraintForm::index2 || !options_.offset_projection ||
      system_.rows(Kind::holonomic).size() == 0)
    return true;
  const double offset = VelocityOffset::of(step_);
  if (std::abs(offset - history.offset) <= 1e-9 * std::abs(offset)) return true;
  return offset_.project(state, step_, equations_, newton_, report);
}

/// Everything but the new acceleration and the new flow.
void GeneralizedAlpha::predict(const RecursionStart& start, const State& state) {
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  const AlphaCoefficients& c = step_.c;
  AlphaStep::Prediction& next = step_.predicted;
  const double h = c.h;
  for (int i = 0; i < positions_; ++i) {
    const double a = start.a[i], v = next.velocity[i];
    next.a[i] =
        options_.weighted() ? 0.0 : (m.alpha_f * state.acceleration[i] - m.alpha_m * a) / (1 - m.alpha_m);
    next.u[i] = h * v + h * h * ((0.5 - c.beta) * a + c.beta * next.a[i]);
    next.v[i] = v + h * ((1 - c.gamma) * a + c.gamma * next.a[i]);
  }
  for (int i = 0; i < states_.size(); ++i) {
    const double rate = state.rate[states_.begin + i];
    next.w[i] = (s.delta_f * rate - s.delta_m * start.w[i]) / (1 - s.delta_m);
    next.s[i] = state.store[i] + h * ((1 - c.theta) * start.w[i] + c.theta * next.w[i]);
  }
  if (options_.weighted())  // α_m ṗ + α_f (F + Φ_qᵀλ + k_vᵀμ) at t_n (T-weighted-1)
    system_.residual(state, {.momentum_rate = m.alpha_m, .force = m.alpha_f, .reaction = m.alpha_f},
                     next.balance);
}

/// Newton starts along a parabola through the last three values, or a line where they do not look smooth.
/// Not further than ten times the last step: differences over a much smaller one are noise.
void GeneralizedAlpha::guess(const State& state) {
  const double h = step_.c.h;
  const auto at = system_.value_of_row();
  State& end = step_.end;
  end.take(state);
  end.t = state.t + h;
  const double ahead = history.last_step > 0 ? std::min(h, 10 * history.last_step) : h;
  const double bend = ahead * (ahead + history.last_step);
  for (int i = 0; i < system_.size(); ++i) {
    const bool smooth = std::abs(history.curve[i] * history.span) < 0.5 * std::abs(history.slope[i]);
    (i < positions_ ? end.acceleration[i] : end.value[at[i]]) +=
        ahead * history.slope[i] + (smooth ? bend * history.curve[i] : 0.0);
  }
  step_.clear_projections();
  if (proximal_.known() && newton_.factored()) proximal_.drop_undetermined(end, newton_.solver());
}

/// … with velocities, states and signals that stay as they are.
void GeneralizedAlpha::guess_steady(const State& state) {
  State& end = step_.end;
  end.take(state);
  end.t = state.t + step_.c.h;
  for (int i = 0; i < positions_; ++i)
    end.acceleration[i] = (step_.predicted.velocity[i] - step_.predicted.v[i]) / step_.c.c1;
  step_.clear_projections();
}

/// The equations hold at t_{n+1}.
void GeneralizedAlpha::correct(const State& state, NewtonReport& report) {
  equations_.begin(state, history.largest);
  if (equations_.outgrew_matrix()) newton_.invalidate();
  equations_.place();
  const int factorizations = report.factorizations;
  report = newton_.solve(equations_);
  // A guess along the last accelerations may lead far off, or where a function has no value (T-newton-6).
  if (report.status == NewtonStatus::no_convergence || report.status == NewtonStatus::not_finite) {
    guess_steady(state);
    newton_.invalidate();
    equations_.place();
    NewtonReport again = newton_.solve(equations_);
    again.iterations += report.iterations;
    again.factorizations += report.factorizations;
    if (again.ok()) report = std::move(again);
  }
  report.factorizations += factorizations;
  if (report.ok() && proximal_.needed()) proximal_.refuse_contradiction(step_.end, report);
  if (report.ok()) refuse_whole_turns(report);
}

/// What holds the axis has no effect on such a step (T-lie-7).
void GeneralizedAlpha::refuse_whole_turns(NewtonReport& report) const {
  const int row = constrained_ ? whole_turn(system_, step_.u) : -1;
  if (row < 0) return;
  report.status = NewtonStatus::singular;
  for (int k = 0; k < 3; ++k) report.worst.push_back({row + k, 0.0, 0.0});
}

void GeneralizedAlpha::prepare_proximal(const State& state) {
  if (!proximal_.needed() || proximal_.known()) return;
  equations_.matrix(state, newton_.matrix());
  proximal_.find(newton_.matrix());
  equations_.regularise(proximal_.diagonal());
  newton_.invalidate();
}

void GeneralizedAlpha::tell_failure(NewtonReport& report) {
  if (report.status == NewtonStatus::singular) report.loop = signal_loop(system_, newton_.matrix(), report);
  newton_.invalidate();
}

// ------------------------------------------------------------------ a step that settles

StepReport GeneralizedAlpha::attempt_settling(State& state, double h) {
  StepReport report;
  step_.c = settling_coefficients(h);
  step_.form = system_.rows(Kind::holonomic).size() > 0 ? ConstraintForm::index2 : options_.constraints;
  prepare_proximal(state);
  const LentDelays delays(state, step_.end);
  std::copy_n(state.rate.begin(), positions_, step_.predicted.velocity.begin());
  step_.end.take(state);
  equations_.begin(state, history.largest);
  if (equations_.outgrew_matrix()) newton_.invalidate();
  settling_->compute(state, step_, equations_, newton_, report.newton);
  if (report.ok() && proximal_.needed()) proximal_.refuse_contradiction(step_.end, report.newton);
  // Accelerations, reactions and currents that the stages know to first order only, from the equations at the end (T-settle-5).
  if (report.ok() && (constrained_ || history.hidden)) {
    try {
      report.newton.iterations += jumps_.solve(step_.end).newton.iterations;
    } catch (const ModelError&) {
      report.newton.status = NewtonStatus::no_convergence;
    }
  }
  if (!report.ok()) tell_failure(report.newton);
  return report;
}

// ------------------------------------------------------------------ taking a step

void GeneralizedAlpha::commit(State& state) {
  if (settled_) start_recursion_anew();
  else carry_on_recursion(state);
  take(state);
}

void GeneralizedAlpha::carry_on_recursion(const State& state) {
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  const auto at = system_.value_of_row();
  const State& end = step_.end;
  const double h = step_.c.h;
  for (int i = 0; i < states_.size(); ++i)
    history.w[i] = step_.predicted.w[i] + (1 - s.delta_f) / (1 - s.delta_m) * end.rate[states_.begin + i];
  for (int i = 0; i < positions_; ++i)
    history.a[i] = options_.weighted()
                       ? end.acceleration[i]
                       : step_.predicted.a[i] + (1 - m.alpha_f) / (1 - m.alpha_m) * end.acceleration[i];
  const double both = h + history.last_step;
  for (int i = 0; i < system_.size(); ++i) {
    const double slope = (i < positions_ ? end.acceleration[i] - state.acceleration[i]
                                         : end.value[at[i]] - state.value[at[i]]) /
                         h;
    history.curve[i] = history.last_step > 0 ? (slope - history.slope[i]) / both : 0.0;
    history.slope[i] = slope;
  }
  third_slope_from(state, h);
  history.third = -h;
  history.span = both;
  history.last_step = h;
  history.D = step_.c.D_next;
  history.E = step_.c.E_next;
  history.first = false;
  history.offset = VelocityOffset::of(step_);
  history.tiny = step_.form != options_.constraints;
}

/// Behind a step that has settled: a := v̇, w := ṡ, D := E := 0 (T-settle-5).
void GeneralizedAlpha::start_recursion_anew() {
  const State& end = step_.end;
  std::copy(end.acceleration.begin(), end.acceleration.end(), history.a.begin());
  std::copy(end.rate.begin() + states_.begin, end.rate.end(), history.w.begin());
  history.D = history.E = 0;
  history.forget_slopes();
  history.span = step_.c.h;
  history.first = false;
  history.offset = INFINITY;
  history.tiny = false;
}

void GeneralizedAlpha::take(State& state) {
  sizes_.raise(step_.end, history.largest);
  step_.end.delays.swap(state.delays);
  std::swap(state, step_.end);
  system_.remember(state, false);
}

/// Slopes from the state to the end of the step, which is so far ahead.
void GeneralizedAlpha::third_slope_from(const State& state, double ahead) {
  const auto at = system_.value_of_row();
  const State& end = step_.end;
  for (int i = 0; i < positions_; ++i)
    history.third_slope[i] = (end.acceleration[i] - state.acceleration[i]) / ahead;
  for (int i = positions_; i < system_.size(); ++i)
    history.third_slope[i] = (end.value[at[i]] - state.value[at[i]]) / ahead;
  for (int i = states_.begin; i < states_.end; ++i)
    history.third_slope[system_.size() + i - states_.begin] = (end.rate[i] - state.rate[i]) / ahead;
}

// ------------------------------------------------------------------ starts and jumps

void GeneralizedAlpha::begin(const State& state, const StartReport& report) {
  std::copy(state.acceleration.begin(), state.acceleration.end(), history.a.begin());
  std::copy(state.rate.begin() + states_.begin, state.rate.end(), history.w.begin());
  history.D = history.E = 0;
  sizes_.raise(state, history.largest);
  find_algebraic(state);
  history.hidden = report.hidden;
  history.forget_slopes();
  history.first = true;
  history.excitation.start(state.t, state.acceleration, std::span(state.rate).subspan(states_.begin));
  history.offset = INFINITY;
  history.tiny = false;
  proximal_.forget();
  equations_.regularise({});
  if (constrained_) find_masses(system_, state, newton_.matrix(), history.mass);
  newton_.invalidate();
}

void GeneralizedAlpha::find_algebraic(const State& state) {
  history.algebraic.assign(states_.size(), 1);
  if (states_.size() == 0) return;
  const Pattern& p = system_.pattern();
  std::vector<double> rows(system_.size()), values(p.nonzeros());
  system_.tangent(state, Shift::stores(), {}, rows, values);
  for (int k = 0; k < p.nonzeros(); ++k)
    if (values[k] != 0 && p.row[k] >= states_.begin && p.row[k] < states_.end)
      history.algebraic[p.row[k] - states_.begin] = 0;
}

void GeneralizedAlpha::discontinuity(State& state, double slack) {
  State& after = jump_.after;
  after.take(state);
  LentDelays delays(state, after);
  system_.pass_breaks(after, slack);
  jumps_.solve(after);
  system_.remember(after, true);
  for (int i = 0; i < positions_; ++i) {
    jump_.acceleration[i] = after.acceleration[i] - state.acceleration[i];
    history.a[i] += jump_.acceleration[i];
  }
  for (int i = 0; i < states_.size(); ++i) {
    jump_.rate[i] = after.rate[states_.begin + i] - state.rate[states_.begin + i];
    history.w[i] += jump_.rate[i];
  }
  history.excitation.add(state.t, jump_.acceleration, jump_.rate);
  if (options_.jump_slopes || history.hidden) {
    jump_slopes(after);
  } else {
    if (constrained_) {
      // a stands for v̇(t + D), and v̈ jumps along the constraints: Φ_q v̈ = Z, k_v v̈ likewise (T-jump-2).
      system_.constraints(state, 3, 2, jump_.third_before);
      system_.constraints(after, 3, 2, jump_.third);
      for (int i = 0; i < system_.size(); ++i)
        jump_.third[i] = history.D * (jump_.third[i] - jump_.third_before[i]);
      const auto shift = jumps_.constrained_increment(after, jump_.third);
      for (int i = 0; i < positions_; ++i) history.a[i] += shift[i];
    }
    history.forget_slopes();
  }
  history.offset = INFINITY;  // Z jumped: the velocity offset must be set anew
  delays.back = false;
  std::swap(state, after);
}

void GeneralizedAlpha::rehearse_jump(const State& state) {
  jump_.after = jump_.later = state;
  jumps_.solve(jump_.later);
  std::fill(jump_.third.begin(), jump_.third.end(), 0.0);
  if (constrained_) jumps_.constrained_increment(jump_.later, jump_.third);
  jump_.after.delays.clear();
}

/// a stands for v̇(t + D) and w for ṡ(t + E): they change by D and E times the jumps of v̈ and s̈ too, or the first step would be
/// off by what its size cannot mend. After the jump from a consistent state a little later, before it from the steps taken.
void GeneralizedAlpha::jump_slopes(const State& after) {
  const double ahead = 0.01 * std::max(std::abs(history.D), std::abs(history.E));
  if (!(ahead > 0)) return history.forget_slopes();
  State& later = jump_.later;
  later = after;
  later.t += ahead;
  for (int i = 0; i < positions_; ++i) {
    jump_.moved[i] = ahead * (after.rate[i] + 0.5 * ahead * after.acceleration[i]);
    later.rate[i] += ahead * after.acceleration[i];
  }
  move_positions(system_, after.value, jump_.moved, later.value, {});
  for (int i = 0; i < states_.size(); ++i) later.store[i] += ahead * after.rate[states_.begin + i];
  jumps_.solve(later);
  const bool known = history.last_step > 0;  // else: the slope right after the last jump
  for (int i = 0; i < positions_; ++i) {
    const double before = history.slope[i] + (known ? history.last_step * history.curve[i] : 0.0);
    jump_.slope[i] = (later.acceleration[i] - after.acceleration[i]) / ahead;
    history.a[i] += history.D * (jump_.slope[i] - before);
  }
  for (int i = 0; i < states_.size(); ++i) {
    double& slope = history.third_slope[system_.size() + i];
    const double now = (later.rate[states_.begin + i] - after.rate[states_.begin + i]) / ahead;
    history.w[i] += history.E * (now - slope);
    slope = now;
  }
  history.forget_slopes();
  std::copy(jump_.slope.begin(), jump_.slope.end(), history.slope.begin());
}

// ------------------------------------------------------------------ errors, and what lies within a step

LocalError GeneralizedAlpha::local_error(State& from, const ErrorScales& scales) {
  if (scales.estimator == ErrorEstimator::embedded && !third_point()) return {INFINITY, -1, false};
  return error_.of(from, scales);
}

std::vector<int> GeneralizedAlpha::uncontrolled(const ErrorScales& scales) const {
  constexpr double nothing =
      1e-12;  // of nominal magnitudes: no motion, but what is left over of that of others
  const auto is_small = [&](int row, double seen) {
    return !system_.nominal_stated()[row] && seen < small_size(system_, row, 0.0);
  };
  std::vector<int> rows;
  for (int i = 0; i < states_.end && scales.learn; ++i) {
    const double size = history.largest[i];
    if (size > nothing * system_.nominal()[i] && is_small(i, size) &&
        (i >= positions_ || is_small(i, history.largest[system_.size() + i])))
      rows.push_back(i);
  }
  return rows;
}

StepReport GeneralizedAlpha::look_ahead(State& state, double h) {
  const StepReport report = attempt(state, 0.5 * h);
  if (!report.ok()) return report;
  third_slope_from(state, 0.5 * h);
  history.third = 0.5 * h;
  return report;
}

std::optional<StepReport> GeneralizedAlpha::look_ahead_if_needed(State& state, double h) {
  if (history.good_third_point(h)) return std::nullopt;
  return look_ahead(state, h);
}

void GeneralizedAlpha::interpolate(const State& from, double s, State& between) const {
  if (settled_) return settling_->interpolate(from, step_, s, between);
  const auto at = system_.value_of_row();
  const State& end = step_.end;
  const double h = step_.c.h, t = s * h;
  const HermiteWeights cubic(s);
  between.t = from.t + t;
  between.value.resize(from.value.size());
  between.rate.resize(from.rate.size());
  between.acceleration.resize(from.acceleration.size());
  between.store.resize(from.store.size());
  between.take_elements(from);
  // Positions: u(t) on the Lie algebra with u(0) = 0, u̇(0) = v_n, u(h) and u̇(h) = T(u)⁻¹ v_{n+1} (T-dense-1).
  std::copy_n(end.rate.begin(), positions_, end_velocity_.begin());
  remove_operators(system_, step_.operators, end_velocity_);
  for (int i = 0; i < positions_; ++i) {
    way_[i] = cubic.h01 * step_.u[i] + h * (cubic.h10 * from.rate[i] + cubic.h11 * end_velocity_[i]);
    between.rate[i] = cubic.h00 * from.rate[i] + cubic.h01 * end.rate[i] +
                      h * (cubic.h10 * from.acceleration[i] + cubic.h11 * end.acceleration[i]);
  }
  move_positions(system_, from.value, way_, between.value, {});
  // Everything else: a parabola through three points, a line where there are but two (T-dense-2).
  const auto along = [&](int i, double z0, double z1) {
    const double slope = (z1 - z0) / h;
    const double curve = third_point() ? (slope - history.third_slope[i]) / (h - history.third) : 0.0;
    return z0 + t * slope + curve * t * (t - h);
  };
  for (int i = 0; i < positions_; ++i)
    between.acceleration[i] = along(i, from.acceleration[i], end.acceleration[i]);
  for (int i = positions_; i < system_.size(); ++i)
    between.value[at[i]] = along(i, from.value[at[i]], end.value[at[i]]);
  for (int i = 0; i < states_.size(); ++i) {
    const double f0 = from.rate[states_.begin + i], f1 = end.rate[states_.begin + i];
    between.rate[states_.begin + i] = f0 + s * (f1 - f0);
    between.store[i] =
        cubic.h00 * from.store[i] + cubic.h01 * end.store[i] + h * (cubic.h10 * f0 + cubic.h11 * f1);
  }
}

void GeneralizedAlpha::iteration_matrix(const State& state, std::span<double> values) {
  std::vector<double> rows(system_.size());
  system_.tangent(state, equations_.shift(), {}, rows, values);
}

void GeneralizedAlpha::archive(Archive& a) {
  a(history, equations_, proximal_, newton_, jumps_);
  if (settling_) a(*settling_);
  if (history.slope.size() != static_cast<std::size_t>(system_.size()))
    throw ArchiveError("the steps of another system");
  equations_.regularise(proximal_.diagonal());
  a(error_);
}

}  // namespace escapement
