#include "steppers/variational.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/signal_loop.hpp"
#include "steppers/hermite.hpp"

namespace escapement {
namespace {

constexpr double spook_regularisation = 1e-10;  // Σ of rigid constraints, relative to Φ_q M⁻¹ Φ_qᵀ

/// Of every block.
void transpose_operators(const System& system, std::span<const double> T, std::span<double> transposed) {
  for (const auto& lie : system.lie_variables()) {
    const int n = lie.dofs();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        transposed[lie.place.tangent + j * n + i] = T[lie.place.tangent + i * n + j];
  }
}

/// The options as they work together. Throws as refuse_scheme().
VariationalOptions consistent(const System& system, VariationalOptions o) {
  refuse_scheme(system, o);
  o.start.proximal = std::max({o.start.proximal, o.proximal, o.quasi_linear ? 1e-9 : 0.0});
  o.start.hold_massless = true;
  if (!o.quasi_linear) return o;
  const int multipliers = system.size() - system.rows(Kind::holonomic).begin;
  if (o.relaxations.empty()) o.relaxations.assign(multipliers, o.relaxation);
  if (static_cast<int>(o.relaxations.size()) != multipliers)
    throw ModelError("E-SCHEME", "spook", "there are not as many relaxations as constraint rows", "");
  return o;
}

EndOfStep::Options end_options(const System& system, const VariationalOptions& o) {
  EndOfStep::Options end{.proximal = std::max(o.proximal, o.quasi_linear ? 1e-9 : 0.0),
                         .newton = o.newton,
                         .renew_always = o.quasi_linear,
                         .soft = {}};
  const int holonomic = system.rows(Kind::holonomic).size();
  const auto is_soft = [](const Relaxation& r) { return r.compliance > 0; };
  if (!o.quasi_linear || std::none_of(o.relaxations.begin(), o.relaxations.begin() + holonomic, is_soft))
    return end;
  end.soft.assign(o.relaxations.size(), 0);
  for (int m = 0; m < holonomic; ++m) end.soft[m] = is_soft(o.relaxations[m]);
  return end;
}

}  // namespace

void refuse_scheme(const System&, const VariationalOptions& options) {
  for (const Relaxation& r : options.relaxations)
    if (!(r.damping >= 0) || !(r.compliance >= 0))
      throw ModelError("E-SCHEME", "spook", "damping and compliance are not negative", "");
}

Variational::Variational(const System& system, VariationalOptions options)
    : Stepper(system),
      options_(consistent(system, std::move(options))),
      n_(system.size()),
      positions_(system.rows(Kind::position).end),
      states_(system.rows(Kind::state)),
      holonomic_(system.rows(Kind::holonomic)),
      sizes_(system),
      newton_(system, 0, options_.newton),
      end_of_step_(system, end_options(system, options_)),
      step_(system),
      equations_(system, options_, step_, end_of_step_, history),
      jumps_(system, options_.start),
      linear_(system.state()) {
  for (const Variable& v : system.variables())
    if (v.kind == Kind::position) position_values_ += v.values;
  next_.state = linear_;
  for (auto* x : {&next_.arriving, &next_.p, &next_.bend, &history.p, &history.half, &history.bend, &force_,
                  &velocity_, &end_velocity_, &way_})
    x->assign(positions_, 0.0);
  for (auto* x : {&next_.impulse, &next_.flow, &history.impulse, &history.slope, &increment_, &momenta_,
                  &store_, &violation_, &end_flow_, &mean_flow_, &unused_})
    x->assign(n_, 0.0);
  if (end_of_step_.any_soft())
    for (auto* x : {&next_.soft_impulses, &next_.soft_multipliers}) x->assign(n_ - holonomic_.begin, 0.0);
  history.largest.assign(sizes_.count(), 0.0);
  for (auto* x : {&T_transposed_, &T_half_transposed_}) x->assign(system.tangent_operators_size(), 0.0);
  flow_tangent_.assign(system.pattern().nonzeros(), 0.0);
  if (options_.quasi_linear) linear_matrix_.reserve(system.pattern().nonzeros());
}

// ------------------------------------------------------------------ one step

StepReport Variational::attempt(State& state, double h) {
  check_step(state, h);
  if (history.bent) {  // it goes with h²
    const double ratio = history.fresh ? 0.0 : h / history.bend_step;
    for (int i = 0; i < positions_; ++i) step_.start.bend[i] = ratio * ratio * history.bend[i];
  }
  StepReport report = compute(state, h);
  if (report.ok() && history.bent && history.fresh) {  // now it is known how velocities bend within the step
    step_.start.bend = next_.bend;
    const NewtonReport first = report.newton;
    report = compute(state, h);
    report.newton.iterations += first.iterations;
    report.newton.factorizations += first.factorizations;
  }
  if (!report.ok()) {
    if (report.newton.status == NewtonStatus::singular)
      report.newton.loop = signal_loop(system_, newton_.matrix(), report.newton);
    newton_.invalidate();
  }
  return report;
}

StepReport Variational::compute(State& state, double h) {
  StepReport report;
  const LentDelays delays(state, step_.mid);
  begin_step(state, h);
  guess(state);
  equations_.begin(state);
  equations_.place();
  if (options_.quasi_linear) {
    report.newton = solve_linear();
    if (report.ok() && options_.tell_left_over) measure_left_over(state, report);
  } else {
    report.newton = solve(state);
  }
  if (!report.ok()) return report;
  equations_.push();
  NewtonReport end = finish(state);
  end.iterations += report.newton.iterations;
  end.factorizations += report.newton.factorizations;
  report.newton = std::move(end);
  return report;
}

/// Momenta, impulses and stores that the step starts with.
void Variational::begin_step(const State& state, double h) {
  VariationalStep::Start& start = step_.start;
  step_.h = h;
  step_.mid.take(state);
  start.p = history.p;
  start.half = history.half;
  start.impulse = history.impulse;
  start.share = 1;
  if (history.fresh) begin_fresh(state);
  else if (history.jumped || h != history.step) {  // λ is right whatever the sizes (T-node-4)
    const double ratio = h / history.step;
    const bool alone = history.jumped || ratio > 4;  // then the last step would show nothing but rounding
    start.share = alone ? 0.5 : 0.5 * (1 + ratio);
    for (int m = holonomic_.begin; m < n_; ++m)
      if (!end_of_step_.is_soft(m)) start.impulse[m] = alone ? 0.0 : ratio * ratio * history.impulse[m];
  }
  if (system_.switches()) system_.open_rows(state, step_.open);
  for (int m = holonomic_.begin; m < n_; ++m)
    start.multiplier_shift[m] = step_.open[m] ? 0.0 : half_ahead() * history.slope[m];
  if (options_.quasi_linear && holonomic_.size() > 0) relax_constraints(state);
  for (int i = 0; i < states_.size(); ++i)
    start.stored[i] = state.store[i] + (0.5 * h - equations_.state_weight()) * state.rate[states_.begin + i];
  step_.mid.t = state.t + 0.5 * h;
  step_.end.take(state);
  step_.end.t = state.t + h;
}

/// After a start or a velocity jump there is no step before.
void Variational::begin_fresh(const State& state) {
  const auto at = system_.value_of_row();
  VariationalStep::Start& start = step_.start;
  const double h = step_.h;
  for (int i = 0; i < positions_; ++i)
    start.half[i] = state.rate[i] - (options_.naive_start ? 0.0 : 0.5 * h * state.acceleration[i]);
  std::fill(start.impulse.begin(), start.impulse.end(), 0.0);
  if (!options_.naive_start) {  // p_0 is after half of the impulse of t_0 (T-spook-5)
    for (int m = holonomic_.begin; m < n_; ++m) start.impulse[m] = 0.5 * h * state.value[at[m]];
    return;
  }
  system_.residual(step_.mid, {.momentum_rate = 0, .reaction = 0}, unused_);
  for (int i = 0; i < positions_; ++i)
    if (end_of_step_.has_momentum(i)) start.p[i] -= 0.5 * h * unused_[i];
}

/// Φ̇ with the velocity of the step before; and how far constraints that pull against each other give way.
void Variational::relax_constraints(const State& state) {
  State& moving = step_.end;
  moving.take(state);
  std::copy(step_.start.half.begin(), step_.start.half.end(), moving.rate.begin());
  const LentDelays delays(step_.mid, moving);
  system_.constraints(moving, 1, -1, step_.start.phi_rate);
  // Constraints that depend on each other do so only where they hold: off by Φ they pull against each other (T-spook-6).
  double off = 0;
  if (options_.proximal > 0)
    for (int m = holonomic_.begin; m < holonomic_.end; ++m)
      off = std::max(off, std::abs(step_.before.phi[m]) / system_.row_nominal()[m]);
  step_.start.softening = std::max(spook_regularisation, std::min(0.1 * off, 1e-4));
}

/// Linearised about v_n, or, where rows read accelerations, about one that has these: they are no small change (T-spook-7).
void Variational::guess(const State& state) {
  const auto at = system_.value_of_row();
  const bool linear = options_.quasi_linear;
  const bool ahead = !linear || history.bent || end_of_step_.own_masses();
  for (int i = 0; i < positions_ && ahead; ++i) step_.mid.rate[i] += 0.5 * step_.h * state.acceleration[i];
  for (int i = positions_; i < n_; ++i)
    if (!linear || i >= holonomic_.begin) step_.mid.value[at[i]] += half_ahead() * history.slope[i];
}

NewtonReport Variational::solve(const State& state) {
  const double h = step_.h, share = step_.start.share;
  if (std::abs(factored_for_ - h) > 0.1 * h || std::abs(factored_share_ - share) > 0.1) newton_.invalidate();
  factored_for_ = h;
  factored_share_ = share;
  NewtonReport report = newton_.solve(equations_);
  if (report.status == NewtonStatus::no_convergence || report.status == NewtonStatus::not_finite) {
    step_.mid.take(state);  // once more, from what stays as it is (T-newton-6)
    step_.mid.t = state.t + 0.5 * h;
    newton_.invalidate();
    equations_.place();
    NewtonReport again = newton_.solve(equations_);
    again.iterations += report.iterations;
    again.factorizations += report.factorizations;
    if (again.ok()) report = std::move(again);
  }
  if (report.ok() && (options_.proximal > 0 || system_.switches())) refuse_contradiction(report);
  return report;
}

/// SPOOK: one factorisation, one solve.
NewtonReport Variational::solve_linear() {
  NewtonReport report;
  equations_.tangent(increment_, newton_.matrix());
  report.iterations = report.factorizations = 1;
  const auto finite = [](std::span<const double> x) {
    double sum = 0;
    for (const double y : x) sum += y * 0.0;
    return sum == 0.0;
  };
  const auto not_finite = [&] {
    report.status = NewtonStatus::not_finite;
    for (int i = 0; i < n_ && report.worst.size() < 5; ++i)
      if (!std::isfinite(increment_[i])) report.worst.push_back({i, increment_[i], 0.0});
    return report;
  };
  if (!finite(increment_) || !finite(newton_.matrix())) return not_finite();
  const auto matrix = newton_.matrix();
  if (newton_.factored() &&
      std::equal(matrix.begin(), matrix.end(), linear_matrix_.begin(), linear_matrix_.end()))
    report.factorizations = 0;  // a linear circuit, say
  const Factorization f = report.factorizations > 0 ? newton_.factor() : Factorization{};
  linear_matrix_.assign(matrix.begin(), matrix.end());
  if (!f.ok) {
    report.status = NewtonStatus::singular;
    for (const int i : f.singular_rows.empty() ? f.singular_columns : f.singular_rows)
      report.worst.push_back({i, increment_[i], 0.0});
    return report;
  }
  for (double& x : increment_) x = -x;
  newton_.solver().solve(increment_);
  if (!finite(increment_)) return not_finite();
  equations_.move(increment_, 1.0);
  return report;
}

void Variational::measure_left_over(const State& state, StepReport& report) {
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  equations_.residual(increment_);
  newton_.solver().solve(increment_);
  for (int i = 0; i < holonomic_.begin; ++i) {
    const double before = i < positions_ ? state.rate[i] : state.value[at[i]],
                 found = i < positions_ ? step_.mid.rate[i] : step_.mid.value[at[i]];
    const double size = nominal[i] + std::max(std::abs(before), std::abs(found));
    const double off = std::abs(increment_[i]) / size;
    if (!(off <= report.left_over)) report.left_over = off, report.left_over_row = i;
  }
  if (report.left_over > 1) measure_against_solution(report);
}

/// Where a second solve leads far off, as behind the exponential of a diode, it does not tell how far the first is from the solution:
/// that is found for comparison; if there is none to be found, by all of its size.
void Variational::measure_against_solution(StepReport& report) {
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  linear_.take(step_.mid);
  newton_.invalidate();
  const bool found = newton_.solve(equations_).ok();
  report.left_over = found ? 0 : 1;
  for (int i = 0; i < holonomic_.begin && found; ++i) {
    const double linear = i < positions_ ? linear_.rate[i] : linear_.value[at[i]],
                 exact = i < positions_ ? step_.mid.rate[i] : step_.mid.value[at[i]];
    const double off = std::abs(linear - exact) / (nominal[i] + std::max(std::abs(linear), std::abs(exact)));
    if (off > report.left_over) report.left_over = off, report.left_over_row = i;
  }
  step_.mid.take(linear_);
  newton_.invalidate();
  equations_.place();
}

/// Regularised multipliers let Newton settle where constraints contradict each other: then it has not converged.
void Variational::refuse_contradiction(NewtonReport& report) {
  const double allowed = std::max(1e-8, 1e3 * options_.newton.tolerance);
  const LentDelays delays(step_.mid, step_.end);
  system_.constraints(step_.end, 0, -1, violation_);
  for (int m = holonomic_.begin; m < holonomic_.end; ++m)
    if (!(std::abs(violation_[m]) <= allowed * system_.row_nominal()[m])) {
      report.status = NewtonStatus::no_convergence;
      report.worst.push_back({m, violation_[m], 0.0});
    }
}

// ------------------------------------------------------------------ its end

/// From the midpoint to the end: momenta and stores, then what the equations say there (T-variational-5, T-node).
NewtonReport Variational::finish(const State& state) {
  next_.state.take(step_.mid);
  next_.state.t = state.t + step_.h;
  carry_momenta();
  guess_end(state);
  carry_stores(state);
  const LentDelays delays(step_.mid, next_.state);  // delays are asked at the end, too
  set_gradient(next_.state, step_.after);
  EndOfStep::Moving moving = end_of_step_.solve_velocities(next_.state, arrival());
  NewtonReport velocities = moving.report();
  if (!velocities.ok()) return velocities;
  take_off_impulses(state, moving);
  if (end_of_step_.any_soft()) set_soft_multipliers();
  if (options_.damped_states && history.driven) count_mean_velocities(state);
  NewtonReport rates = std::move(moving).solve_rates(next_.soft_multipliers);
  rates.iterations += velocities.iterations;
  rates.factorizations += velocities.factorizations;
  if (!rates.ok() || states_.size() == 0) return rates;
  if (!end_of_step_.impulsive().empty() && !options_.damped_states) carry_impulses();
  if (end_of_step_.state_rows().has_driven) set_driven_stores();
  return rates;
}

/// p_{n+1} = T(u)⁻ᵀ (p − T(u/2)ᵀ (h/2) F), with (h/2) F as the balance of the step has it.
void Variational::carry_momenta() {
  const bool turns = !system_.lie_variables().empty();
  if (positions_ > 0) system_.momenta(step_.mid, momenta_);
  for (int i = 0; i < positions_; ++i) force_[i] = step_.pushed[i] - momenta_[i];
  if (turns) {
    remove_operators(system_, step_.back_half, force_);
    transpose_operators(system_, step_.T, T_transposed_);
    transpose_operators(system_, step_.T_half, T_half_transposed_);
    apply_operators(system_, T_half_transposed_, force_);
  }
  for (int i = 0; i < positions_; ++i) next_.arriving[i] = momenta_[i] - force_[i];
  if (turns) remove_operators(system_, T_transposed_, next_.arriving);
}

/// In tiny steps accelerations and multipliers of the midpoint are rounding over h²: those at the beginning are the guess
/// (T-node-2). What has neither mass nor constraint is continued from the last two steps.
void Variational::guess_end(const State& state) {
  const auto at = system_.value_of_row();
  const auto& massless = end_of_step_.massless();
  State& end = next_.state;
  std::copy_n(step_.end.value.begin(), position_values_, end.value.begin());
  std::copy_n(state.acceleration.begin(), positions_, end.acceleration.begin());
  for (int m = holonomic_.begin; m < n_; ++m) end.value[at[m]] = state.value[at[m]];
  for (int i = 0; i < positions_; ++i) {
    const double half = step_.mid.rate[i];
    end.rate[i] = 2 * half - state.rate[i];
    if (massless.empty() || !massless[i]) continue;
    const double change = history.fresh ? 0.0 : half - history.half[i];
    end.rate[i] = half + 0.5 * change;
    end.acceleration[i] = change / step_.h;
  }
}

void Variational::carry_stores(const State& state) {
  if (states_.size() == 0) return;
  const auto at = system_.value_of_row();
  const auto& kinds = end_of_step_.state_rows().kinds;
  State& end = next_.state;
  system_.state_store(step_.mid, store_);
  for (int i = states_.begin; i < states_.end; ++i) {
    const int k = i - states_.begin;
    next_.flow[i] = (step_.start.stored[k] - store_[i]) / equations_.state_weight();
    end.store[k] =
        options_.damped_states ? (4 * store_[i] - state.store[k]) / 3 : 2 * store_[i] - state.store[k];
    if (kinds[k] == StateRow::dynamic && !options_.damped_states)
      end.value[at[i]] = 2 * step_.mid.value[at[i]] - state.value[at[i]];
  }
}

EndOfStep::Arrival Variational::arrival() {
  const auto at = system_.value_of_row();
  for (int m = holonomic_.begin; m < holonomic_.end && end_of_step_.any_soft(); ++m)
    next_.soft_impulses[m - holonomic_.begin] =
        0.5 * step_.h * (step_.mid.value[at[m]] - step_.start.multiplier_shift[m]);
  EndOfStep::Arrival arrival;
  arrival.momentum = next_.arriving;
  arrival.gradient = step_.after.gradient;
  arrival.soft_impulses = next_.soft_impulses;
  arrival.softening = options_.quasi_linear && options_.proximal > 0 ? step_.start.softening : 0.0;
  if (options_.damped_states) arrival.stores = {.weight = step_.h / 3};
  else arrival.stores = {.weight = 0.5 * step_.h, .flow = next_.flow};
  return arrival;
}

void Variational::take_off_impulses(const State& state, const EndOfStep::Moving& moving) {
  const Pattern& p = system_.pattern();
  const auto impulses = moving.impulses();
  std::copy(impulses.begin(), impulses.end(), next_.impulse.begin());
  std::copy(next_.arriving.begin(), next_.arriving.end(), next_.p.begin());
  for (int m = holonomic_.begin; m < n_; ++m) {
    const auto column =
        m < holonomic_.end ? std::span<const double>(step_.after.gradient) : moving.slip_gradient();
    for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < positions_; ++k)
      next_.p[p.row[k]] -= column[k] * impulses[m];
  }
  for (int i = 0; i < positions_; ++i) {
    if (!end_of_step_.has_momentum(i)) next_.p[i] = 0;
    next_.bend[i] = next_.state.rate[i] + state.rate[i] - 2 * step_.mid.rate[i];
  }
}

/// λ = (Φ + d Φ̇)/compliance at the end.
void Variational::set_soft_multipliers() {
  system_.constraints(next_.state, 1, -1, violation_);
  for (int m = holonomic_.begin; m < holonomic_.end; ++m) {
    const Relaxation& r = options_.relaxations[m - holonomic_.begin];
    if (!(r.compliance > 0)) continue;
    next_.soft_multipliers[m - holonomic_.begin] =
        (step_.after.phi[m] + equations_.damping_time(m) * violation_[m]) / r.compliance;
  }
}

bool Variational::is_stored(int state) const {
  const StateRow kind = end_of_step_.state_rows().kinds[state];
  return kind == StateRow::dynamic || kind == StateRow::mixed;
}

/// Over a step the stores count velocities by v_{n+½} h, which is the way (T-variational-8): at its end by 2 v_{n+½} − v_n.
void Variational::count_mean_velocities(const State& state) {
  State& end = next_.state;
  const double h = step_.h;
  system_.state_flow(end, end_flow_);
  for (int i = 0; i < positions_; ++i) {
    velocity_[i] = end.rate[i];
    end.rate[i] = 2 * step_.mid.rate[i] - state.rate[i];
  }
  system_.state_flow(end, mean_flow_);
  std::copy(velocity_.begin(), velocity_.end(), end.rate.begin());
  for (int i = states_.begin; i < states_.end; ++i) {
    const int k = i - states_.begin;
    if (!is_stored(k)) continue;
    const double fast = h * history.stiffness[k];  // what follows v at once is to follow v_{n+1}
    end.store[k] += h / 3 * (end_flow_[i] - mean_flow_[i]) / (1 + fast * fast);
  }
}

/// Stores that algebraic rows hold would swing about the values given to them for ever: what holds them moves on with the step (T-node-3).
void Variational::carry_impulses() {
  const auto at = system_.value_of_row();
  const auto& kinds = end_of_step_.state_rows().kinds;
  const Pattern& p = system_.pattern();
  State& end = next_.state;
  system_.tangent(end, {.store = 0, .flow = 1}, {}, unused_, flow_tangent_);
  for (const int j : end_of_step_.impulsive()) {
    const double change = 0.5 * step_.h * (end.value[at[j]] - step_.mid.value[at[j]]);
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (const int i = p.row[k] - states_.begin; i >= 0 && i < states_.size() && kinds[i] == StateRow::mixed)
        end.store[i] -= flow_tangent_[k] * change;
  }
}

void Variational::set_driven_stores() {
  const auto& kinds = end_of_step_.state_rows().kinds;
  system_.state_store(next_.state, store_);
  for (int i = 0; i < states_.size(); ++i)
    if (kinds[i] == StateRow::driven) next_.state.store[i] = store_[states_.begin + i];
}

void Variational::commit(State& state) {
  const auto at = system_.value_of_row();
  const double h = step_.h;
  history.p.swap(next_.p);
  // The bend of a step far shorter than others is rounding: that of the others is kept, for as long as they take.
  history.bend_age += h;
  if (history.fresh || h >= 0.1 * history.bend_step || history.bend_age > history.bend_step) {
    history.bend.swap(next_.bend);
    history.bend_step = h;
    history.bend_age = 0;
  }
  std::copy_n(step_.mid.rate.begin(), positions_, history.half.begin());
  history.impulse.swap(next_.impulse);
  for (int i = positions_; i < n_; ++i)
    history.slope[i] = (next_.state.value[at[i]] - state.value[at[i]]) / h;
  std::swap(step_.before, step_.after);
  history.step = h;
  history.fresh = history.jumped = false;
  sizes_.raise(next_.state, history.largest);
  next_.state.delays.swap(state.delays);
  std::swap(state, next_.state);
  system_.remember(state, false);
}

// ------------------------------------------------------------------ starts and jumps

void Variational::begin(const State& state, const StartReport&) {
  sizes_.raise(state, history.largest);
  end_of_step_.begin(state);
  std::vector<double> momenta(n_);
  system_.momenta(state, momenta);
  std::copy_n(momenta.begin(), positions_, history.p.begin());
  std::fill(history.bend.begin(), history.bend.end(), 0.0);
  std::fill(step_.start.bend.begin(), step_.start.bend.end(), 0.0);
  std::fill(history.slope.begin(), history.slope.end(), 0.0);
  history.fresh = history.started = true;
  examine(state);
  set_gradient(state, step_.before);
  equations_.forget_proximal();
  newton_.invalidate();
}

/// Which rows read accelerations, which velocities?
void Variational::examine(const State& state) {
  const Pattern& p = system_.pattern();
  std::vector<double> r(n_), values(p.nonzeros());
  State at = state;
  history.bent = history.driven = false;
  history.stiffness.assign(states_.size(), 0.0);
  const auto reads = [&](const Shift& c, int end) {  // in the rows of states, and on to the end
    system_.tangent(at, c, {}, r, values);
    for (int k = 0; k < p.column_begin[positions_]; ++k)
      if (!(values[k] == 0) && p.row[k] >= positions_ && p.row[k] < end) return true;
    return false;
  };
  for (int twice = 0; twice < 2; ++twice) {
    history.bent |= reads({.acceleration = 1, .momentum_rate = 0, .reaction = 0, .store_rate = 1}, n_);
    history.driven |= reads({.velocity = 1, .momentum_rate = 0, .reaction = 0}, states_.end);
    if (states_.size() > 0) {
      std::vector<double> stored(p.nonzeros());
      system_.tangent(at, {.momentum_rate = 0, .reaction = 0, .store = 1, .flow = 0}, {}, r, stored);
      system_.tangent(at, {.momentum_rate = 0, .reaction = 0}, {}, r, values);
      for (int i = states_.begin; i < states_.end; ++i) {
        const int k = p.find(i, i);
        double& fastest = history.stiffness[i - states_.begin];
        fastest = std::max(fastest, k < 0 || stored[k] == 0 ? INFINITY : std::abs(values[k] / stored[k]));
      }
    }
    move_aside(system_, at);
    at.t += 0.37;
  }
}

void Variational::set_gradient(const State& at, VariationalStep::Constraints& constraints) {
  if (holonomic_.begin == n_) return;
  system_.constraint_tangent(
      at, {.position = 1, .momentum_rate = 0, .force = 0, .flow = 0, .nonholonomic_scale = 0}, {},
      constraints.phi, constraints.gradient);
}

void Variational::discontinuity(State& state, double slack) {
  State& after = after_jump_;
  after.take(state);
  LentDelays delays(state, after);
  system_.pass_breaks(after, slack);
  jumps_.solve(after);
  system_.remember(after, true);
  delays.back = false;
  std::swap(state, after);
  set_gradient(state, step_.before);  // constraints may have come or gone
  history.jumped = true;
  corner();
}

void Variational::rehearse_jump(const State& state) {
  after_jump_ = state;
  jumps_.solve(after_jump_);
  after_jump_.delays.clear();
}

// ------------------------------------------------------------------ what lies within a step

/// Does the step not resolve what decays in it? The cubic through its ends then leads far off its middle, and that off its ends
/// (T-dense-5).
bool Variational::overshoots(const State& from) const {
  if (!options_.damped_states) return false;
  const State& end = next_.state;
  for (int k = 0; k < states_.size(); ++k) {
    const int i = states_.begin + k;
    const double z0 = from.store[k], z1 = end.store[k],
                 middle = step_.start.stored[k] - next_.flow[i] * equations_.state_weight();
    const double cubic = 0.5 * (z0 + z1) + 0.125 * step_.h * (from.rate[i] - end.rate[i]);
    if (std::abs(cubic - middle) > 0.25 * std::max(std::abs(z1 - z0), std::abs(middle - z0))) return true;
  }
  return false;
}

void Variational::interpolate(const State& from, double s, State& between) const {
  const auto at = system_.value_of_row();
  const State& end = next_.state;
  const double h = step_.h;
  const HermiteWeights cubic(s);
  between.take(from);
  between.t = from.t + s * h;
  std::copy_n(end.rate.begin(), positions_, end_velocity_.begin());
  remove_operators(system_, step_.T, end_velocity_);
  for (int i = 0; i < positions_; ++i) {
    way_[i] = cubic.h01 * step_.u[i] + h * (cubic.h10 * from.rate[i] + cubic.h11 * end_velocity_[i]);
    between.rate[i] = cubic.h00 * from.rate[i] + cubic.h01 * end.rate[i] +
                      h * (cubic.h10 * from.acceleration[i] + cubic.h11 * end.acceleration[i]);
    between.acceleration[i] = from.acceleration[i] + s * (end.acceleration[i] - from.acceleration[i]);
  }
  move_positions(system_, from.value, way_, between.value, {});
  const bool straight = overshoots(from);
  for (int i = positions_; i < n_; ++i) {
    const double z0 = from.value[at[i]], z1 = end.value[at[i]], zm = step_.mid.value[at[i]];
    between.value[at[i]] = straight || i >= holonomic_.begin
                               ? z0 + s * (z1 - z0)
                               : (1 - s) * (1 - 2 * s) * z0 + 4 * s * (1 - s) * zm + s * (2 * s - 1) * z1;
  }
  for (int i = 0; i < states_.size(); ++i) {
    const double f0 = from.rate[states_.begin + i], f1 = end.rate[states_.begin + i];
    between.rate[states_.begin + i] = f0 + s * (f1 - f0);
    between.store[i] = straight ? from.store[i] + s * (end.store[i] - from.store[i])
                                : cubic.h00 * from.store[i] + cubic.h01 * end.store[i] +
                                      h * (cubic.h10 * f0 + cubic.h11 * f1);
  }
}

void Variational::archive(Archive& a) {
  VariationalStep::Constraints& constraints = step_.before;
  a(history, constraints.gradient, constraints.phi, equations_, factored_for_, factored_share_,
    linear_matrix_, newton_, end_of_step_, jumps_);
  if (history.p.size() != static_cast<std::size_t>(positions_) ||
      history.slope.size() != static_cast<std::size_t>(n_) ||
      constraints.gradient.size() != static_cast<std::size_t>(system_.pattern().nonzeros()))
    throw ArchiveError("the steps of another system");
}

}  // namespace escapement
