#include "steppers/variational_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/signal_loop.hpp"

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

}  // namespace

void refuse_scheme(const System&, const VariationalOptions& options) {
  for (const Relaxation& r : options.relaxations)
    if (!(r.damping >= 0) || !(r.compliance >= 0))
      throw ModelError("E-SCHEME", "spook", "damping and compliance are not negative", "");
}

Variational::Variational(const System& system, VariationalOptions options)
    : Stepper(system),
      options_(std::move(options)),
      n_(system.size()),
      positions_(system.rows(Kind::position).end),
      states_(system.rows(Kind::state)),
      holonomic_(system.rows(Kind::holonomic)),
      newton_(system, 0, options_.newton),
      node_(system, std::max(options_.proximal, options_.quasi_linear ? 1e-9 : 0.0), options_.newton),
      mid_(system.state()),
      end_(mid_),
      trial_(mid_),
      linear_(mid_),
      reach_(system),
      sizes_(system) {
  refuse_scheme(system, options_);
  for (const Variable& v : system.variables())
    if (v.kind == Kind::position) position_values_ += v.values;
  options_.start.proximal =
      std::max({options_.start.proximal, options_.proximal, options_.quasi_linear ? 1e-9 : 0.0});
  options_.start.hold_massless = true;
  jumps_.emplace(system, options_.start);
  for (auto* x : {&u_, &u_half_, &pushed_, &unturned_, &force_, &momentum_, &p_start_, &half_start_, &bend_,
                  &next_p_, &next_bend_, &history.p, &history.half, &history.bend})
    x->assign(positions_, 0.0);
  stored_.assign(states_.size(), 0.0);
  for (auto* x : {&phi_, &end_phi_, &phi_rate_, &flow_, &work_, &rows_, &rows_linear_, &weights_,
                  &impulse_start_, &multiplier_shift_, &history.impulse, &history.slope})
    x->assign(n_, 0.0);
  history.largest.assign(sizes_.count(), 0.0);
  left_over_.assign(n_, INFINITY);
  for (auto* x : {&T_, &T_half_, &back_, &back_half_}) x->assign(system.tangent_operators_size(), 0.0);
  const Pattern& p = system.pattern();
  for (auto* x : {&gradient_, &end_gradient_, &end_values_, &stiffness_}) x->assign(p.nonzeros(), 0.0);
  open_.assign(n_, 0);
  for (int k = 0; k < p.nonzeros(); ++k)
    if (p.row[k] >= holonomic_.begin && p.row[k] < holonomic_.end) holonomic_entries_.push_back(k);
  lie_of_row_.assign(positions_, -1);
  for (std::size_t l = 0; l < system.lie_variables().size(); ++l) {
    const LieVariable& lie = system.lie_variables()[l];
    for (int k = 0; k < turning_rows(lie); ++k) lie_of_row_[first_turning_row(lie) + k] = static_cast<int>(l);
  }
  if (options_.quasi_linear) {
    linear_matrix_.reserve(p.nonzeros());
    node_.renew_always();
    const int multipliers = n_ - holonomic_.begin;
    std::vector<Relaxation>& r = options_.relaxations;
    if (r.empty()) r.assign(multipliers, options_.relaxation);
    if (static_cast<int>(r.size()) != multipliers)
      throw ModelError("E-SCHEME", "spook", "there are not as many relaxations as constraint rows", "");
    for (int m = 0; m < holonomic_.size(); ++m)
      if (r[m].compliance > 0 && node_.soft.empty()) {
        node_.soft.assign(multipliers, 0);
        node_.soft_rows.assign(multipliers, {});
      }
    for (int m = 0; m < holonomic_.size() && !node_.soft.empty(); ++m) node_.soft[m] = r[m].compliance > 0;
  }
}

void Variational::begin(const State& state, const StartReport&) {
  sizes_.raise(state, history.largest);
  node_.begin(state);
  system_.momenta(state, rows_);
  std::copy(rows_.begin(), rows_.begin() + positions_, history.p.begin());
  std::fill(history.bend.begin(), history.bend.end(), 0.0);
  std::fill(bend_.begin(), bend_.end(), 0.0);
  std::fill(history.slope.begin(), history.slope.end(), 0.0);
  history.fresh = history.started = true;
  examine(state);
  set_gradient(state, gradient_, phi_);
  epsilon_.clear();
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

void Variational::set_gradient(const State& at, std::span<double> gradient, std::span<double> phi) {
  if (holonomic_.begin == n_) return;
  system_.constraint_tangent(
      at, {.position = 1, .momentum_rate = 0, .force = 0, .flow = 0, .nonholonomic_scale = 0}, {}, phi,
      gradient);
}

void Variational::discontinuity(State& state, double slack) {
  State& after = after_;
  after.take(state);
  LentHistory histories(state, after);
  system_.pass_breaks(after, slack);
  jumps_->solve(after);
  system_.remember(after, true);
  histories.back = false;
  std::swap(state, after);
  set_gradient(state, gradient_, phi_);  // constraints may have come or gone
  history.jumped = true;
  corner();
}

void Variational::rehearse_jump(const State& state) {
  after_ = state;
  jumps_->solve(after_);
  after_.history.clear();
}

// ------------------------------------------------------------------ one step

double Variational::damping_time(int row) const {
  const Relaxation& r = options_.relaxations[row - holonomic_.begin];
  return r.in_seconds ? r.damping : r.damping * std::max(h_, options_.step);
}
double Variational::relax(int row) const { return 1 / (1 + 4 * damping_time(row) / h_); }  // (T-spook-2)

/// Σ of a constraint row under SPOOK (T-spook-3).
double Variational::softness(int row) const {
  return 4 * options_.relaxations[row - holonomic_.begin].compliance * relax(row) / (h_ * h_);
}

void Variational::begin_step(const State& state, double h) {
  h_ = h;
  mid_.take(state);
  p_start_ = history.p;
  half_start_ = history.half;
  impulse_start_ = history.impulse;
  const auto at = system_.value_of_row();
  if (history.fresh) {
    for (int i = 0; i < positions_; ++i)
      half_start_[i] = state.rate[i] - (options_.naive_start ? 0.0 : 0.5 * h * state.acceleration[i]);
    std::fill(impulse_start_.begin(), impulse_start_.end(), 0.0);
    if (!options_.naive_start) {  // p_0 is after half of the impulse of t_0 (T-spook-5)
      for (int m = holonomic_.begin; m < n_; ++m) impulse_start_[m] = 0.5 * h * state.value[at[m]];
    } else {
      system_.residual(mid_, {.momentum_rate = 0, .reaction = 0}, rows_);
      for (int i = 0; i < positions_; ++i)
        if (node_.has_momentum(i)) p_start_[i] -= 0.5 * h * rows_[i];
    }
  }
  share_ = 1;
  if (!history.fresh && (history.jumped || h != history.step)) {  // λ is right whatever the sizes (T-node-4)
    const double ratio = h / history.step;
    const bool alone = history.jumped || ratio > 4;  // then rounding would be all that the last step tells
    share_ = alone ? 0.5 : 0.5 * (1 + ratio);
    for (int m = holonomic_.begin; m < n_; ++m)
      if (!is_soft(m)) impulse_start_[m] = alone ? 0.0 : ratio * ratio * history.impulse[m];
  }
  if (system_.switches()) system_.open_rows(state, open_);
  for (int m = holonomic_.begin; m < n_; ++m)
    multiplier_shift_[m] = open_[m] ? 0.0 : half_ahead(h) * history.slope[m];
  if (options_.quasi_linear && holonomic_.size() > 0) {  // Φ̇ with the velocity of the step before
    end_.take(state);
    std::copy(half_start_.begin(), half_start_.end(), end_.rate.begin());
    const LentHistory histories(mid_, end_);
    system_.constraints(end_, 1, -1, phi_rate_);
    // Constraints that depend on each other do so only where they hold: off by Φ they pull against each other (T-spook-6).
    double off = 0;
    if (options_.proximal > 0)
      for (int m = holonomic_.begin; m < holonomic_.end; ++m)
        off = std::max(off, std::abs(phi_[m]) / system_.row_nominal()[m]);
    softening_ = std::max(spook_regularisation, std::min(0.1 * off, 1e-4));
  }
  for (int i = 0; i < states_.size(); ++i)
    stored_[i] = state.store[i] + (0.5 * h - state_weight()) * state.rate[states_.begin + i];
  const auto nominal = system_.nominal();
  for (int i = 0; i < positions_; ++i) weights_[i] = 1 / (h * (nominal[i] + std::abs(state.rate[i])));
  for (int i = positions_; i < n_; ++i)
    weights_[i] = 1 / ((nominal[i] + std::abs(state.value[at[i]])) * (i < holonomic_.begin ? 1.0 : h));
  for (int i = 0; i < holonomic_.begin; ++i) {
    const double most = most_left_over(system_, i, history.largest[i]);
    left_over_[i] =
        i >= positions_ ? most : h * std::min(most / h, most_left_over(system_, i, history.largest[n_ + i]));
  }
  if (options_.proximal > 0 || system_.switches())
    std::fill(weights_.begin() + holonomic_.begin, weights_.end(), 0.0);

  mid_.t = state.t + 0.5 * h;
  end_.take(state);
  end_.t = state.t + h;
}

/// SPOOK: one factorisation, one solve.
NewtonReport Variational::solve_linear(Step& step) {
  NewtonReport report;
  step.tangent(rows_linear_, newton_.matrix());
  report.iterations = report.factorizations = 1;
  const auto finite = [](std::span<const double> x) {
    double sum = 0;
    for (const double y : x) sum += y * 0.0;
    return sum == 0.0;
  };
  const auto not_finite = [&] {
    report.status = NewtonStatus::not_finite;
    for (int i = 0; i < n_ && report.worst.size() < 5; ++i)
      if (!std::isfinite(rows_linear_[i])) report.worst.push_back({i, rows_linear_[i], 0.0});
    return report;
  };
  if (!finite(rows_linear_) || !finite(newton_.matrix())) return not_finite();
  const auto matrix = newton_.matrix();
  if (newton_.factored() &&
      std::equal(matrix.begin(), matrix.end(), linear_matrix_.begin(), linear_matrix_.end()))
    report.factorizations = 0;  // a linear circuit, say
  const Factorization f = report.factorizations > 0 ? newton_.factor() : Factorization{};
  linear_matrix_.assign(matrix.begin(), matrix.end());
  if (!f.ok) {
    report.status = NewtonStatus::singular;
    for (const int i : f.singular_rows.empty() ? f.singular_columns : f.singular_rows)
      report.worst.push_back({i, rows_linear_[i], 0.0});
    return report;
  }
  for (double& x : rows_linear_) x = -x;
  newton_.solver().solve(rows_linear_);
  if (!finite(rows_linear_)) return not_finite();
  step.move(rows_linear_, 1.0);
  return report;
}

void Variational::measure_left_over(Step& step, const State& state, StepReport& report) {
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  step.residual(rows_linear_);
  newton_.solver().solve(rows_linear_);
  for (int i = 0; i < holonomic_.begin; ++i) {
    const double before = i < positions_ ? state.rate[i] : state.value[at[i]],
                 found = i < positions_ ? mid_.rate[i] : mid_.value[at[i]];
    const double size = nominal[i] + std::max(std::abs(before), std::abs(found));
    const double off = std::abs(rows_linear_[i]) / size;
    if (!(off <= report.left_over)) report.left_over = off, report.left_over_row = i;
  }
  if (report.left_over > 1) measure_against_solution(step, report);
}

/// Where a second solve leads far off, as behind the exponential of a diode, it does not tell how far the first is from the solution:
/// that is found for comparison; if there is none to be found, by all of its size.
void Variational::measure_against_solution(Step& step, StepReport& report) {
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  linear_.take(mid_);
  newton_.invalidate();
  const bool found = newton_.solve(step).ok();
  report.left_over = found ? 0 : 1;
  for (int i = 0; i < holonomic_.begin && found; ++i) {
    const double linear = i < positions_ ? linear_.rate[i] : linear_.value[at[i]],
                 exact = i < positions_ ? mid_.rate[i] : mid_.value[at[i]];
    const double off = std::abs(linear - exact) / (nominal[i] + std::max(std::abs(linear), std::abs(exact)));
    if (off > report.left_over) report.left_over = off, report.left_over_row = i;
  }
  mid_.take(linear_);
  newton_.invalidate();
  step.place();
}

StepReport Variational::attempt(State& state, double h) {
  check_step(state, h);
  if (history.bent) {  // it goes with h²
    const double ratio = history.fresh ? 0.0 : h / history.bend_step;
    for (int i = 0; i < positions_; ++i) bend_[i] = ratio * ratio * history.bend[i];
  }
  StepReport report = compute(state, h);
  if (report.ok() && history.bent && history.fresh) {  // now it is known how velocities bend within the step
    bend_ = next_bend_;
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
  LentHistory histories(state, mid_);
  begin_step(state, h);
  const auto at = system_.value_of_row();
  const bool linear = options_.quasi_linear;
  // Linearised about v_n, or, where rows read accelerations, about one that has these: they are no small change (T-spook-7).
  const bool ahead = !linear || history.bent || node_.own_masses();
  for (int i = 0; i < positions_ && ahead; ++i) mid_.rate[i] += 0.5 * h * state.acceleration[i];
  for (int i = positions_; i < n_; ++i)
    if (!linear || i >= holonomic_.begin) mid_.value[at[i]] += half_ahead(h) * history.slope[i];
  Step step(*this, state);
  step.place();
  if (linear) {
    report.newton = solve_linear(step);
    if (report.ok() && options_.tell_left_over) measure_left_over(step, state, report);
  } else {
    if (std::abs(factored_for_ - h) > 0.1 * h || std::abs(factored_share_ - share_) > 0.1)
      newton_.invalidate();
    factored_for_ = h;
    factored_share_ = share_;
    report.newton = newton_.solve(step);
    if (report.newton.status == NewtonStatus::no_convergence ||
        report.newton.status == NewtonStatus::not_finite) {
      const int iterations = report.newton.iterations, factorizations = report.newton.factorizations;
      mid_.take(state);
      mid_.t = state.t + 0.5 * h;
      newton_.invalidate();
      step.place();
      NewtonReport again = newton_.solve(step);
      again.iterations += iterations;
      again.factorizations += factorizations;
      if (again.ok()) report.newton = std::move(again);
    }
    if (report.newton.ok() && (options_.proximal > 0 || system_.switches()))
      refuse_contradiction(report.newton);
  }
  if (!report.newton.ok()) return report;
  step.push();
  NewtonReport node = finish_node(state);
  node.iterations += report.newton.iterations;
  node.factorizations += report.newton.factorizations;
  report.newton = std::move(node);
  return report;
}

/// Regularised multipliers let Newton settle where constraints contradict each other: then it has not converged.
void Variational::refuse_contradiction(NewtonReport& report) {
  const double allowed = std::max(1e-8, 1e3 * options_.newton.tolerance);
  const LentHistory histories(mid_, end_);
  system_.constraints(end_, 0, -1, rows_);
  for (int m = holonomic_.begin; m < holonomic_.end; ++m)
    if (!(std::abs(rows_[m]) <= allowed * system_.row_nominal()[m])) {
      report.status = NewtonStatus::no_convergence;
      report.worst.push_back({m, rows_[m], 0.0});
    }
}

/// From the midpoint to the node at the end: momenta and stores, then what the equations say there (T-variational-5, T-node).
NewtonReport Variational::finish_node(const State& state) {
  const auto at = system_.value_of_row();
  const auto& kinds = node_.state_rows().kinds;
  const double h = h_;
  trial_.take(mid_);
  trial_.t = state.t + h;
  // (h/2) F as the balance of the step has it; p_{n+1} = T(u)⁻ᵀ (p − T(u/2)ᵀ (h/2) F).
  if (positions_ > 0) system_.momenta(mid_, work_);
  for (int i = 0; i < positions_; ++i) force_[i] = pushed_[i] - work_[i];
  if (!system_.lie_variables().empty()) {
    remove_operators(system_, back_half_, force_);
    transpose_operators(system_, T_, back_);
    transpose_operators(system_, T_half_, back_half_);
    apply_operators(system_, back_half_, force_);
  }
  for (int i = 0; i < positions_; ++i) momentum_[i] = work_[i] - force_[i];
  if (!system_.lie_variables().empty()) remove_operators(system_, back_, momentum_);
  std::copy(end_.value.begin(), end_.value.begin() + position_values_, trial_.value.begin());

  // Guesses, and what has neither mass nor constraint.
  // In tiny steps accelerations and multipliers of the midpoint are rounding over h²: those of the last node are the guess (T-node-2).
  std::copy_n(state.acceleration.begin(), positions_, trial_.acceleration.begin());
  for (int m = holonomic_.begin; m < n_; ++m) trial_.value[at[m]] = state.value[at[m]];
  for (int i = 0; i < positions_; ++i) {
    const double half = mid_.rate[i];
    trial_.rate[i] = 2 * half - state.rate[i];
    if (node_.massless().empty() || !node_.massless()[i]) continue;
    const double change = history.fresh ? 0.0 : half - history.half[i];
    trial_.rate[i] = half + 0.5 * change;
    trial_.acceleration[i] = change / h;
  }
  if (states_.size() > 0) {
    system_.state_store(mid_, work_);
    for (int i = states_.begin; i < states_.end; ++i) {
      const int k = i - states_.begin;
      flow_[i] = (stored_[k] - work_[i]) / state_weight();
      trial_.store[k] =
          options_.damped_states ? (4 * work_[i] - state.store[k]) / 3 : 2 * work_[i] - state.store[k];
      if (kinds[k] == StateRow::dynamic && !options_.damped_states)
        trial_.value[at[i]] = 2 * mid_.value[at[i]] - state.value[at[i]];
    }
  }
  // Velocities, on the constraints.
  LentHistory histories(mid_, trial_);  // delays are asked at the node, too
  set_gradient(trial_, end_gradient_, end_phi_);
  if (!node_.soft.empty())
    for (int m = holonomic_.begin; m < holonomic_.end; ++m)
      node_.soft_rows[m - holonomic_.begin].impulse = 0.5 * h * (mid_.value[at[m]] - multiplier_shift_[m]);
  node_.softening = options_.quasi_linear && options_.proximal > 0 ? softening_ : 0.0;
  if (options_.damped_states) node_.expect(h / 3, {});
  else node_.expect(0.5 * h, flow_);
  NewtonReport report = node_.velocities(trial_, momentum_, end_gradient_);
  if (!report.ok()) return report;
  const Pattern& p = system_.pattern();
  const auto impulses = node_.impulses();
  std::copy(momentum_.begin(), momentum_.end(), next_p_.begin());
  for (int m = holonomic_.begin; m < n_; ++m) {
    const auto column = m < holonomic_.end ? std::span<const double>(end_gradient_) : node_.slip_gradient();
    for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < positions_; ++k)
      next_p_[p.row[k]] -= column[k] * impulses[m];
  }
  for (int i = 0; i < positions_; ++i) {
    if (!node_.has_momentum(i)) next_p_[i] = 0;
    next_bend_[i] = trial_.rate[i] + state.rate[i] - 2 * mid_.rate[i];
  }
  if (!node_.soft.empty()) {
    system_.constraints(trial_, 1, -1, work_);
    for (int m = holonomic_.begin; m < holonomic_.end; ++m) {
      const Relaxation& r = options_.relaxations[m - holonomic_.begin];
      if (!(r.compliance > 0)) continue;
      node_.soft_rows[m - holonomic_.begin].multiplier =
          (end_phi_[m] + damping_time(m) * work_[m]) / r.compliance;
    }
  }
  // Everything else.
  if (options_.damped_states && history.driven) count_mean_velocities(state);
  NewtonReport rest =
      options_.damped_states ? node_.implicit_rates(trial_, h / 3) : node_.rates(trial_, 0.5 * h, flow_);
  rest.iterations += report.iterations;
  rest.factorizations += report.factorizations;
  if (!rest.ok()) return rest;
  if (states_.size() > 0) {
    if (!options_.damped_states) {
      system_.state_flow(trial_, work_);
      for (int i = states_.begin; i < states_.end; ++i) trial_.rate[i] = -work_[i];
    }
    if (!node_.impulsive().empty() && !options_.damped_states) carry_impulses();
    if (node_.state_rows().has_driven) {
      system_.state_store(trial_, work_);
      for (int i = states_.begin; i < states_.end; ++i)
        if (kinds[i - states_.begin] == StateRow::driven) trial_.store[i - states_.begin] = work_[i];
    }
  }
  return rest;
}

/// Over a step the stores count velocities by v_{n+½} h, which is the way (T-variational-8): at its end by 2 v_{n+½} − v_n.
void Variational::count_mean_velocities(const State& state) {
  const auto& kinds = node_.state_rows().kinds;
  system_.state_flow(trial_, work_);
  for (int i = 0; i < positions_; ++i) {
    force_[i] = trial_.rate[i];
    trial_.rate[i] = 2 * mid_.rate[i] - state.rate[i];
  }
  system_.state_flow(trial_, rows_);
  std::copy(force_.begin(), force_.end(), trial_.rate.begin());
  for (int i = states_.begin; i < states_.end; ++i)
    if (const StateRow kind = kinds[i - states_.begin];
        kind == StateRow::dynamic || kind == StateRow::mixed) {
      const double fast =
          h_ * history.stiffness[i - states_.begin];  // what follows v at once is to follow v_{n+1}
      trial_.store[i - states_.begin] += h_ / 3 * (work_[i] - rows_[i]) / (1 + fast * fast);
    }
}

/// Stores that algebraic rows hold would swing about what they are told, for ever: what holds them moves on with the node (T-node-3).
void Variational::carry_impulses() {
  const auto at = system_.value_of_row();
  const auto& kinds = node_.state_rows().kinds;
  const Pattern& p = system_.pattern();
  system_.tangent(trial_, {.store = 0, .flow = 1}, {}, rows_, end_values_);
  for (const int j : node_.impulsive()) {
    const double change = 0.5 * h_ * (trial_.value[at[j]] - mid_.value[at[j]]);
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (const int i = p.row[k] - states_.begin; i >= 0 && i < states_.size() && kinds[i] == StateRow::mixed)
        trial_.store[i] -= end_values_[k] * change;
  }
}

void Variational::commit(State& state) {
  const auto at = system_.value_of_row();
  history.p.swap(next_p_);
  // The bend of a step far shorter than others is rounding: that of the others is kept, for as long as they take.
  history.bend_age += h_;
  if (history.fresh || h_ >= 0.1 * history.bend_step || history.bend_age > history.bend_step) {
    history.bend.swap(next_bend_);
    history.bend_step = h_;
    history.bend_age = 0;
  }
  std::copy(mid_.rate.begin(), mid_.rate.begin() + positions_, history.half.begin());
  const auto impulses = node_.impulses();
  std::copy(impulses.begin(), impulses.end(), history.impulse.begin());
  for (int i = positions_; i < n_; ++i) history.slope[i] = (trial_.value[at[i]] - state.value[at[i]]) / h_;
  gradient_.swap(end_gradient_);
  phi_.swap(end_phi_);
  history.step = h_;
  history.fresh = history.jumped = false;
  sizes_.raise(trial_, history.largest);
  trial_.history.swap(state.history);
  std::swap(state, trial_);
  system_.remember(state, false);
}

/// Does the step not resolve what decays in it? The cubic through its ends then leads far off its middle, and that off its ends
/// (T-dense-5).
bool Variational::overshoots(const State& from) const {
  if (!options_.damped_states) return false;
  for (int k = 0; k < states_.size(); ++k) {
    const int i = states_.begin + k;
    const double z0 = from.store[k], z1 = trial_.store[k], middle = stored_[k] - flow_[i] * state_weight();
    const double cubic = 0.5 * (z0 + z1) + 0.125 * h_ * (from.rate[i] - trial_.rate[i]);
    if (std::abs(cubic - middle) > 0.25 * std::max(std::abs(z1 - z0), std::abs(middle - z0))) return true;
  }
  return false;
}

void Variational::interpolate(const State& from, double s, State& between) const {
  const auto at = system_.value_of_row();
  const double h = h_;
  const double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s), h10 = s * (1 - s) * (1 - s),
               h11 = -s * s * (1 - s);
  between.take(from);
  between.t = from.t + s * h;
  auto &end = dense_end_, &u = dense_u_;
  end.assign(trial_.rate.begin(), trial_.rate.begin() + positions_);
  u.resize(positions_);
  remove_operators(system_, T_, end);
  for (int i = 0; i < positions_; ++i) {
    u[i] = h01 * u_[i] + h * (h10 * from.rate[i] + h11 * end[i]);
    between.rate[i] = h00 * from.rate[i] + h01 * trial_.rate[i] +
                      h * (h10 * from.acceleration[i] + h11 * trial_.acceleration[i]);
    between.acceleration[i] = from.acceleration[i] + s * (trial_.acceleration[i] - from.acceleration[i]);
  }
  move_positions(system_, from.value, u, between.value, {});
  const bool straight = overshoots(from);
  for (int i = positions_; i < n_; ++i) {
    const double z0 = from.value[at[i]], z1 = trial_.value[at[i]], zm = mid_.value[at[i]];
    between.value[at[i]] = straight || i >= holonomic_.begin
                               ? z0 + s * (z1 - z0)
                               : (1 - s) * (1 - 2 * s) * z0 + 4 * s * (1 - s) * zm + s * (2 * s - 1) * z1;
  }
  for (int i = 0; i < states_.size(); ++i) {
    const double f0 = from.rate[states_.begin + i], f1 = trial_.rate[states_.begin + i];
    between.rate[states_.begin + i] = f0 + s * (f1 - f0);
    between.store[i] = straight ? from.store[i] + s * (trial_.store[i] - from.store[i])
                                : h00 * from.store[i] + h01 * trial_.store[i] + h * (h10 * f0 + h11 * f1);
  }
}

void Variational::archive(Archive& a) {
  a(history, gradient_, phi_, epsilon_, factored_for_, factored_share_, linear_matrix_, newton_, node_,
    *jumps_);
  if (history.p.size() != static_cast<std::size_t>(positions_) ||
      history.slope.size() != static_cast<std::size_t>(n_) ||
      gradient_.size() != static_cast<std::size_t>(system_.pattern().nonzeros()))
    throw ArchiveError("the steps of another system");
}

}  // namespace escapement
