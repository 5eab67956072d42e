#include "steppers/generalized_alpha_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/manifold.hpp"
#include "core/signal_loop.hpp"
#include "core/state_rows.hpp"

namespace escapement {

namespace {

/// Weighted means need inertia that is constant, M a: then the means of M a and of the forces belong to one instant (T-weighted-2).
void refuse_weighted(const System& system) {
  const auto refuse = [](const std::string& what, const char* why) {
    throw ModelError("E-SCHEME", what, why, "form: exact");
  };
  for (const auto& g : system.groups())
    for (int element = 0; element < g->size(); ++element)
      if (g->crossings_of(element) > 0)
        refuse("form",
               "weighted means satisfy the equations at no instant, and so do not tell when something "
               "switches or has a corner");
  if (!system.lie_variables().empty())
    refuse(system.unknown_name(system.lie_variables()[0].place.row),
           "weighted means need a constant mass matrix: the inertia of what turns in space is not");
  const Pattern& p = system.pattern();
  const int positions = system.rows(Kind::position).end;
  std::vector<double> rows(system.size()), values(p.nonzeros());
  State at = system.state();
  move_aside(system, at);
  const auto refuse_entries = [&](const Shift& along, const char* why) {
    system.tangent(at, along, {}, rows, values);
    for (int j = 0; j < positions; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] < positions && values[k] != 0) refuse(system.row_name(p.row[k]), why);
  };
  Shift momenta = Shift::momenta();
  momenta.position = 1;
  refuse_entries(momenta, "weighted means need a constant mass matrix: here it depends on positions");
  refuse_entries({.acceleration = 1, .momentum_rate = 0, .reaction = 0},
                 "weighted means need to know masses from forces: equations of the user do not tell");
}

}  // namespace

void refuse_scheme(const System& system, const GeneralizedAlphaOptions& options) {
  if (options.balance == BalanceForm::weighted) refuse_weighted(system);
  const Range rows = system.rows(Kind::holonomic);
  if (rows.size() == 0) return;
  if (options.mechanics.beta == 0)
    throw ModelError("E-SCHEME", system.row_name(rows.begin),
                     "beta = 0 cannot satisfy a holonomic constraint", "choose a scheme with beta > 0");
  const double radius = options.mechanics.radius_at_infinity();
  if (radius > 1 - 1e-9 && options.constraints == ConstraintForm::index3)
    throw ModelError(
        "E-SCHEME", system.row_name(rows.begin),
        fmt::format("spectral radius at infinity {:g}: the multipliers of index-3 rows would grow "
                    "without bound",
                    radius),
        "choose rho below 1 (0.9 is fine)");
}

GeneralizedAlpha::GeneralizedAlpha(const System& system, GeneralizedAlphaOptions options)
    : Stepper(system),
      options_(options),
      constrained_(system.rows(Kind::holonomic).size() > 0 || system.rows(Kind::nonholonomic).size() > 0),
      form_(options.constraints),
      newton_(system, constrained_ ? 2 * system.rows(Kind::position).size() : 0, options.newton),
      trial_(system.state()),
      reach_(system),
      sizes_(system) {
  for (const auto& w : check(options.mechanics)) warnings_.push_back(w);
  for (const auto& w : check(options.states)) warnings_.push_back(w);
  refuse_scheme(system, options);
  if (weighted()) {  // the published recursion, as it is
    options_.history = StartHistory::classical;
    options_.update_parameters = options_.offset_projection = options_.settling = options_.change_form =
        false;
    balance_start_.assign(system.size(), 0.0);
  }
  if (system.rows(Kind::holonomic).size() == 0 && options.constraints == ConstraintForm::index2)
    options_.constraints = form_ = ConstraintForm::index3;  // of slip alone they are the same
  if (constrained_ && options.mechanics.radius_at_infinity() > 1 - 1e-9)
    warnings_.push_back(
        {"A-stability",
         "spectral radius 1 at infinity with constraints: errors of accelerations and multipliers do "
         "not decay, and are of first order under changing steps"});
  const int n = system.size(), positions = system.rows(Kind::position).size();
  const int states = system.rows(Kind::state).size();
  for (auto* x : {&u_bar_, &v_bar_, &a_bar_, &u_, &d_, &e_, &velocity_, &velocity_start_})
    x->assign(positions, 0.0);
  for (auto* x : {&s_bar_, &w_bar_, &defect_s_}) x->assign(states, 0.0);
  for (auto* x : {&defect_q_, &across_, &defect_v_}) x->assign(positions, 0.0);
  history.largest.assign(sizes_.count(), 0.0);
  sizes_now_.assign(sizes_.count(), 0.0);
  expected_.assign(sizes_.count(), 0.0);
  turns_.assign(positions, 0);
  for (const Variable& v : system.variables())
    if (v.kind == Kind::position)
      for (int k = v.manifold == Manifold::vector ? 0 : v.dofs - 3; k < v.dofs; ++k)
        turns_[v.row + k] = v.manifold != Manifold::vector || v.unit == "rad";
  for (auto* x : {&work_, &rows_, &scratch_}) x->assign(n, 0.0);
  operators_.assign(system.tangent_operators_size(), 0.0);
  stiffness_.assign(system.pattern().nonzeros(), 0.0);
  weights_.assign(n + (constrained_ ? 2 * positions : 0), 0.0);
  left_over_.assign(n, INFINITY);
  history.a.assign(positions, 0.0);
  history.mass.assign(positions, 0.0);
  history.w.assign(states, 0.0);
  history.slope.assign(n, 0.0);
  history.curve.assign(n, 0.0);
  history.third_slope.assign(n + states, 0.0);
  noise_.assign(n + positions, 0.0);
  for (const Variable& v : system.variables())
    if (v.steady == Steady::node) nodes_.push_back(v.row);
  options_.start.proximal = std::max(options_.start.proximal, options_.proximal);
  jumps_.emplace(system, options_.start);
  prepare_settling();
}

std::vector<Warning> GeneralizedAlpha::warnings() const {
  std::vector<Warning> list;
  for (const ParameterWarning& w : warnings_) list.push_back({"W-SCHEME", w.message});
  return list;
}

void GeneralizedAlpha::begin(const State& state, const StartReport& report) {
  std::copy(state.acceleration.begin(), state.acceleration.end(), history.a.begin());
  std::copy(state.rate.begin() + system_.rows(Kind::state).begin, state.rate.end(), history.w.begin());
  history.D = history.E = 0;
  sizes_.raise(state, history.largest);
  find_algebraic(state);
  history.hidden = report.hidden;
  forget_slopes();
  history.first = true;
  history.excitation.start(state.t, state.acceleration,
                           std::span(state.rate).subspan(system_.rows(Kind::state).begin));
  history.offset = INFINITY;
  history.tiny = false;
  epsilon_.clear();
  if (constrained_) find_masses(state);
  newton_.invalidate();
}

/// Masses of the positions, and the gradients of the constraints for the choice of the first step's form.
void GeneralizedAlpha::find_masses(const State& state) {
  const Pattern& p = system_.pattern();
  system_.tangent(state, {.acceleration = 1, .constraint_accelerations = true}, {}, work_, newton_.matrix());
  for (int j = 0; j < system_.rows(Kind::position).end; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (p.row[k] == j) history.mass[j] = std::abs(newton_.matrix()[k]);
}

void GeneralizedAlpha::find_algebraic(const State& state) {
  const Range states = system_.rows(Kind::state);
  history.algebraic.assign(states.size(), 1);
  if (states.size() == 0) return;
  const Pattern& p = system_.pattern();
  std::vector<double> values(p.nonzeros());
  system_.tangent(state, Shift::stores(), {}, work_, values);
  for (int k = 0; k < p.nonzeros(); ++k)
    if (values[k] != 0 && p.row[k] >= states.begin && p.row[k] < states.end)
      history.algebraic[p.row[k] - states.begin] = 0;
}

void GeneralizedAlpha::forget_slopes() {
  std::fill(history.slope.begin(), history.slope.end(), 0.0);
  std::fill(history.curve.begin(), history.curve.end(), 0.0);
  history.last_step = 0;
  history.third = NAN;
}

void GeneralizedAlpha::discontinuity(State& state, double slack) {
  const int first_state = system_.rows(Kind::state).begin;
  State& after = after_;
  after.take(state);
  LentHistory histories(state, after);
  system_.pass_breaks(after, slack);
  jumps_->solve(after);
  system_.remember(after, true);
  for (std::size_t i = 0; i < history.a.size(); ++i) {
    a_bar_[i] = after.acceleration[i] - state.acceleration[i];
    history.a[i] += a_bar_[i];
  }
  for (std::size_t i = 0; i < history.w.size(); ++i) {
    w_bar_[i] = after.rate[first_state + i] - state.rate[first_state + i];
    history.w[i] += w_bar_[i];
  }
  history.excitation.add(state.t, a_bar_, w_bar_);
  if (options_.jump_slopes || history.hidden) {
    jump_slopes(after);
    history.offset = INFINITY;
    histories.back = false;
    std::swap(state, after);
    return;
  }
  if (constrained_) {
    // a stands for v̇(t + D), and v̈ jumps along the constraints: Φ_q v̈ = Z, k_v v̈ likewise (T-jump-2).
    system_.constraints(state, 3, 2, work_);
    system_.constraints(after, 3, 2, rows_);
    for (int i = 0; i < system_.size(); ++i) rows_[i] = history.D * (rows_[i] - work_[i]);
    const auto shift = jumps_->constrained_increment(after, rows_);
    for (std::size_t i = 0; i < history.a.size(); ++i) history.a[i] += shift[i];
  }
  forget_slopes();
  history.offset = INFINITY;  // Z jumped: the velocity offset must be set anew
  histories.back = false;
  std::swap(state, after);
}

void GeneralizedAlpha::rehearse_jump(const State& state) {
  after_ = later_ = state;
  jumps_->solve(later_);
  std::fill(rows_.begin(), rows_.end(), 0.0);
  if (constrained_) jumps_->constrained_increment(later_, rows_);
  after_.history.clear();
}

/// a stands for v̇(t + D) and w for ṡ(t + E): they change by D and E times the jumps of v̈ and s̈ too, or the first step would be
/// off by what its size cannot mend. After the jump from a consistent state a little later, before it from the steps taken.
void GeneralizedAlpha::jump_slopes(const State& after) {
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const double ahead = 0.01 * std::max(std::abs(history.D), std::abs(history.E));
  if (!(ahead > 0)) return forget_slopes();
  State& later = later_;
  later = after;
  later.t += ahead;
  for (int i = 0; i < positions; ++i) {
    work_[i] = ahead * (after.rate[i] + 0.5 * ahead * after.acceleration[i]);
    later.rate[i] += ahead * after.acceleration[i];
  }
  move_positions(system_, after.value, work_, later.value, {});
  for (int i = 0; i < states.size(); ++i) later.store[i] += ahead * after.rate[states.begin + i];
  jumps_->solve(later);
  const bool known = history.last_step > 0;  // else: the slope right after the last jump
  for (int i = 0; i < positions; ++i) {
    const double before = history.slope[i] + (known ? history.last_step * history.curve[i] : 0.0);
    work_[i] = (later.acceleration[i] - after.acceleration[i]) / ahead;
    history.a[i] += history.D * (work_[i] - before);
  }
  for (int i = 0; i < states.size(); ++i) {
    double& slope = history.third_slope[system_.size() + i];
    const double now = (later.rate[states.begin + i] - after.rate[states.begin + i]) / ahead;
    history.w[i] += history.E * (now - slope);
    slope = now;
  }
  forget_slopes();
  std::copy(work_.begin(), work_.begin() + positions, history.slope.begin());
}

// ------------------------------------------------------------------ coefficients of one step

void GeneralizedAlpha::choose_coefficients(const State& state, double h, StepReport& report) {
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  const double alpha = m.alpha_m - m.alpha_f, delta = s.delta_m - s.delta_f;
  a_ = history.a;
  w_ = history.w;
  c_.D = history.D;
  c_.E = history.E;
  if (history.first) {
    const bool classical = options_.history == StartHistory::classical ||
                           (options_.history == StartHistory::automatic && !constrained_);
    c_.D = classical ? alpha * h : 0.0;
    c_.E = classical && !history.hidden ? delta * h : 0.0;  // index 2: w is the rate of the start itself
  }
  const bool update_m = options_.update_parameters && m.second_order();
  const bool update_s = options_.update_parameters && s.second_order();
  // A shrinking step can carry D past the bound where γ_n leaves its range: restart the recursion (T-alpha-8).
  if (update_m && m.alpha_m < 0.5 && c_.D > h * (-alpha) / (1 - 2 * m.alpha_m) + 1e-14 * h) {
    a_ = state.acceleration;
    c_.D = 0;
    report.restarted = true;
  }
  // Of states also where w stands for a rate far outside the step: what that leaves out no shorter step could mend.
  if (update_s && ((s.delta_m < 0.5 && c_.E > h * (-delta) / (1 - 2 * s.delta_m) + 1e-14 * h) ||
                   std::abs(c_.E) > 2 * h)) {
    w_ = std::span(state.rate).subspan(system_.rows(Kind::state).begin);
    c_.E = 0;
    report.restarted = true;
  }

  c_.h = h;
  c_.gamma = m.gamma;
  c_.beta = m.beta;
  c_.theta = s.theta;
  c_.D_next = alpha * h;
  c_.E_next = delta * h;
  if (update_m) {  // (T-alpha-6)
    c_.gamma = (1 - m.alpha_m) * (0.5 * h - c_.D) / ((1 - m.alpha_f) * h - c_.D);
    c_.D_next = (alpha * h - m.alpha_m * c_.D) / (1 - m.alpha_m);
    if (options_.update_beta && m.beta_follows_gamma()) c_.beta = 0.25 * (c_.gamma + 0.5) * (c_.gamma + 0.5);
  }
  if (update_s) {
    c_.theta = (1 - s.delta_m) * (0.5 * h - c_.E) / ((1 - s.delta_f) * h - c_.E);
    c_.E_next = (delta * h - s.delta_m * c_.E) / (1 - s.delta_m);
  }
  const double weight = weighted() ? 1.0 : (1 - m.alpha_f) / (1 - m.alpha_m);
  c_.c0 = h * h * c_.beta * weight;
  c_.c1 = h * c_.gamma * weight;
  c_.kappa = h * c_.theta * (1 - s.delta_f) / (1 - s.delta_m);
  c_.C = 1.0 / 6 - ((0.5 - c_.beta) * c_.D / h + c_.beta * (1 + c_.D_next / h));  // (T-constraint-3)
}

Shift GeneralizedAlpha::shift() const {
  Shift s;
  s.position = c_.c0;
  s.velocity = c_.c1;
  s.acceleration = 1;
  s.store = 1;
  s.flow = c_.kappa;
  if (weighted()) {  // (T-weighted-1)
    s.momentum_rate = 1 - options_.mechanics.alpha_m;
    s.force = s.reaction = 1 - options_.mechanics.alpha_f;
    s.acceleration = 1;
  }
  if (form_ == ConstraintForm::index1) {
    s.constraint_accelerations = true;
    return s;
  }
  s.holonomic_scale = c_.c0 > 0 ? 1 / c_.c0 : 1.0;
  s.nonholonomic_scale = 1 / c_.c1;
  return s;
}

/// The form that was asked for, unless rounding would show (T-constraint-10).
void GeneralizedAlpha::choose_form(const State& state) {
  form_ = options_.constraints;
  if (!constrained_ || !options_.change_form || form_ == ConstraintForm::index1) return;
  if (rounding_shown(state) > (history.tiny ? 0.3 : 1.0)) form_ = ConstraintForm::index1;
}

/// What the rounding of q and v makes of accelerations along the constraints, relative to what is allowed of them there
/// (T-constraint-10). By the last matrix, which need not be of this step.
double GeneralizedAlpha::rounding_shown(const State& state) {
  constexpr double of_own = 2e-8, of_largest = 1e-8, of_reactions = 0.01;
  const Pattern& p = system_.pattern();
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  const auto values = newton_.matrix();
  const Range holonomic = system_.rows(Kind::holonomic);
  const int positions = system_.rows(Kind::position).end;
  auto &pushed = scratch_, &seen = work_, &noise = rows_;
  for (auto* x : {&pushed, &seen, &noise}) std::fill(x->begin(), x->end(), 0.0);
  for (int j = holonomic.begin; j < system_.size(); ++j) {
    const double force = std::abs(state.value[at[j]]);
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      pushed[p.row[k]] += std::abs(values[k]) * force;
  }
  for (int j = 0; j < positions; ++j) {
    const double mass = history.mass[j];
    const double a = std::abs(state.acceleration[j]) + (mass > 0 ? of_reactions * pushed[j] / mass : 0.0);
    const double slip = rounding * std::abs(state.rate[j]) / c_.c1;
    const double shift =
        form_ == ConstraintForm::index3 ? rounding * std::max(nominal[j], reach_(state, j)) / c_.c0 : slip;
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      const int i = p.row[k];
      if (i < holonomic.begin) continue;
      seen[i] = std::max(seen[i], std::abs(values[k]) * a);
      noise[i] = std::max(noise[i], std::abs(values[k]) * (i < holonomic.end ? shift : slip));
    }
  }
  double largest = 0, shown = 0;
  for (int i = holonomic.begin; i < system_.size(); ++i) largest = std::max(largest, seen[i]);
  for (int i = holonomic.begin; i < system_.size(); ++i)
    if (noise[i] > 0) shown = std::max(shown, noise[i] / std::max(of_own * seen[i], of_largest * largest));
  return shown;
}

/// Weight of each increment: over the step size for positions, so that what Newton leaves over sums up to the
/// tolerance per second, whatever the step (T-newton-1).
void GeneralizedAlpha::set_weights(const State& state) {
  const auto nominal = system_.nominal();
  const auto at = system_.value_of_row();
  const int positions = system_.rows(Kind::position).end;
  if (options_.horizon > 0) {
    expected_ = history.largest;
    sizes_.look_ahead(state, foresight * options_.horizon, expected_);
  }
  const auto small = [&](int row, int size) {
    return options_.horizon > 0 ? small_size(system_, row, expected_[size]) : nominal[row];
  };
  const auto left_over = [&](int row, int size) {
    return most_left_over(system_, row, history.largest[size]);
  };
  for (int i = 0; i < positions; ++i) {
    const double speed = small(i, system_.size() + i) + std::abs(state.rate[i]);
    weights_[i] = std::max(c_.c0 / small(i, i), c_.c1 / speed) / c_.h;
    if (!constrained_) continue;
    // Index 2: d is in units of v̇ too. Index 1: d and e are what they are, and do not add up from step to step.
    double &d = weights_[system_.size() + i], &e = weights_[system_.size() + positions + i];
    d = form_ == ConstraintForm::index2 ? weights_[i] : 1 / std::max(nominal[i], reach_(state, i));
    e = 1 / speed;
  }
  const Range states = system_.rows(Kind::state);
  const int multipliers = system_.rows(Kind::holonomic).begin;
  for (int i = positions; i < system_.size(); ++i)
    weights_[i] = 1 / ((i < states.end ? small(i, i) : nominal[i]) + std::abs(state.value[at[i]]));
  for (int i = 0; i < multipliers; ++i)
    left_over_[i] = i >= positions
                        ? left_over(i, i)
                        : c_.h * std::min(left_over(i, i) / c_.c0, left_over(i, system_.size() + i) / c_.c1);
  // … of states likewise where the error of steps is controlled, as far as rounding allows; junctions are iterated alike (T-error-7).
  const double least = options_.state_tolerance, per_second = options_.newton.tolerance;
  const double wanted =
      system_.has_steady() ? least : std::max(1e-2 * least, per_second * std::min(1.0, 30 * c_.h));
  if (wanted < per_second)
    for (int i = states.begin; i < states.end; ++i) weights_[i] *= per_second / wanted;
  if (regularised())  // redundant multipliers are not determined: their forces are judged through v̇
    std::fill(weights_.begin() + system_.rows(Kind::holonomic).begin, weights_.begin() + system_.size(), 0.0);
}

// ------------------------------------------------------------------ velocity offset of index-3 systems

/// v += M⁻¹Φ_qᵀμ such that Φ_q v + Φ_t = h² [C Z + (1/12) Φ_q [v, v̇]] (T-constraint-4); 0 in index-1 form.
bool GeneralizedAlpha::project_velocity(const State& state, std::span<double> v, NewtonReport& report) {
  const Range holonomic = system_.rows(Kind::holonomic);
  const int positions = system_.rows(Kind::position).end;
  const double h = c_.h;
  trial_.t = state.t;
  trial_.value = state.value;
  trial_.rate = state.rate;
  trial_.acceleration = state.acceleration;
  trial_.memory = state.memory;

  // Target: Z = −d³Φ/dt³ along v̈ = 0; the bracket through the linearity of Φ̇ in v.
  const bool offset = form_ == ConstraintForm::index3;
  if (offset) system_.constraints(trial_, 3, -1, work_);
  for (int i = holonomic.begin; i < holonomic.end; ++i) rows_[i] = offset ? -h * h * c_.C * work_[i] : 0.0;
  if (offset && !system_.lie_variables().empty()) {
    lie_bracket(system_, state.rate, state.acceleration, velocity_);
    system_.constraints(trial_, 1, -1, work_);
    for (int i = holonomic.begin; i < holonomic.end; ++i) rows_[i] -= h * h / 12 * work_[i];
    for (int i = 0; i < positions; ++i) trial_.rate[i] = state.rate[i] + velocity_[i];
    system_.constraints(trial_, 1, -1, work_);
    for (int i = holonomic.begin; i < holonomic.end; ++i) rows_[i] += h * h / 12 * work_[i];
    std::copy(v.begin(), v.end(), trial_.rate.begin());
  }

  // With the step's matrix at this very point, iterating on the true Φ̇: an old one would leave its mark on v.
  bool own_matrix = false;
  double previous = INFINITY;
  for (int k = 0; k < 30; ++k) {
    system_.constraints(trial_, 1, -1, work_);
    double size = 0;
    int worst = holonomic.begin;
    for (int i = 0; i < system_.size(); ++i) {
      const bool row = i >= holonomic.begin && i < holonomic.end;
      work_[i] = row ? rows_[i] - work_[i] : 0.0;
      if (!row) continue;
      const double e = std::abs(work_[i]) / system_.row_nominal()[i];
      if (!(e <= size)) size = e, worst = i;
    }
    if (size < 1e-14 || (k > 3 && size >= 0.5 * previous && size < 1e-9)) break;  // at rounding level
    if (!own_matrix || !(size <= 0.5 * previous)) {
      if (own_matrix) {
        // Where constraints depend on each other the offsets may not: what is left then is of their order.
        if (size < (regularised() ? 1e-5 : 1e-9)) break;
        report.status = std::isfinite(size) ? NewtonStatus::no_convergence : NewtonStatus::not_finite;
        report.worst.push_back({worst, work_[worst], 0.0});
        return false;
      }
      // The step's matrix at this very point (T = I); it then serves the step too.
      system_.tangent(trial_, shift(), {}, scratch_, newton_.matrix());
      add_proximal(system_, epsilon_, newton_.matrix());
      const auto f = newton_.factor();
      ++report.factorizations;
      factored_for_ = c_;
      if (!f.ok) {
        report.status = NewtonStatus::singular;
        for (int i : f.singular_rows) report.worst.push_back({i, 0.0, 0.0});
        return false;
      }
      own_matrix = true;
    }
    previous = size;
    newton_.solver().solve(work_);
    for (int i = 0; i < positions; ++i) trial_.rate[i] += work_[i];
  }
  std::copy(trial_.rate.begin(), trial_.rate.begin() + positions, v.begin());
  return true;
}

// ------------------------------------------------------------------ one step

/// What rounding moves the unknowns of the step by, along the constraints (T-error-7).
void GeneralizedAlpha::rounding_noise(const State& from, std::span<double> noise) {
  Step step(*this, from, false);
  newton_.rounding(step, noise);
}

/// What the equations do not determine of the predicted multipliers goes: (Φ_q S⁻¹ Φ_qᵀ + ε) δ = ε λ, λ −= δ (T-proximal).
void GeneralizedAlpha::drop_undetermined() {
  const auto at = system_.value_of_row();
  const int first = system_.rows(Kind::holonomic).begin;
  for (int i = first; i < system_.size(); ++i) work_[i] = trial_.value[at[i]];
  for (int twice = 0; twice < 2;
       ++twice) {  // what is determined leaves a part ε the first time, ε² the second
    std::fill(work_.begin(), work_.begin() + first, 0.0);
    for (int i = first; i < system_.size(); ++i) work_[i] *= -epsilon_[i];
    newton_.solver().solve(work_);
  }
  for (int i = first; i < system_.size(); ++i) trial_.value[at[i]] -= work_[i];
}

/// Regularised multipliers let Newton settle where constraints contradict each other: then it has not converged.
void GeneralizedAlpha::refuse_contradiction(NewtonReport& report) {
  double allowed = std::max(1e-8, 1e3 * options_.newton.tolerance);
  const auto refuse = [&](Range rows) {
    for (int i = rows.begin; i < rows.end; ++i)
      if (!(std::abs(work_[i]) <= allowed * system_.row_nominal()[i])) {
        report.status = NewtonStatus::no_convergence;
        report.worst.push_back({i, work_[i], 0.0});
      }
  };
  const Range holonomic = system_.rows(Kind::holonomic), slip = system_.rows(Kind::nonholonomic);
  system_.constraints(trial_, 0, -1, work_);
  refuse(holonomic);
  if (slip.size() == 0) return;
  // Slip that depends on positions' constraints shares the O(h²) that their rates are off by.
  system_.constraints(trial_, 1, 0, work_);
  for (int i = holonomic.begin; i < holonomic.end; ++i)
    allowed = std::max(allowed, 10 * std::abs(work_[i]) / system_.row_nominal()[i]);
  refuse(slip);
}

StepReport GeneralizedAlpha::attempt(State& state, double h) {
  check_step(state, h);
  settled_ = settles(state, h);
  if (settled_) return attempt_settling(state, h);
  StepReport report = attempt_in_form(state, h);
  if (report.ok() || form_ == options_.constraints) return report;
  // Far from the origin rounding may keep the index-1 form from converging: then in the form that was chosen (T-constraint-10).
  options_.change_form = false;
  StepReport again = attempt_in_form(state, h);
  options_.change_form = true;
  again.newton.iterations += report.newton.iterations;
  again.newton.factorizations += report.newton.factorizations;
  return again;
}

void GeneralizedAlpha::prepare_proximal(const State& state) {
  if (!regularised() || !epsilon_.empty()) return;
  system_.tangent(state, shift(), {}, scratch_, newton_.matrix());
  set_proximal_diagonal(system_, options_.proximal, newton_.matrix(), epsilon_);
  newton_.invalidate();
}

/// α_m ṗ + α_f (F + Φ_qᵀλ + k_vᵀμ) at t_n (T-weighted-1).
void GeneralizedAlpha::weigh_start(const State& state) {
  const auto& m = options_.mechanics;
  system_.residual(state, {.momentum_rate = m.alpha_m, .force = m.alpha_f, .reaction = m.alpha_f},
                   balance_start_);
}

/// Everything but the new acceleration and the new flow (T-alpha-1…4), and where Newton starts.
void GeneralizedAlpha::predict(const State& state, double h) {
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions; ++i) {
    a_bar_[i] = weighted() ? 0.0 : (m.alpha_f * state.acceleration[i] - m.alpha_m * a_[i]) / (1 - m.alpha_m);
    u_bar_[i] = h * velocity_start_[i] + h * h * ((0.5 - c_.beta) * a_[i] + c_.beta * a_bar_[i]);
    v_bar_[i] = velocity_start_[i] + h * ((1 - c_.gamma) * a_[i] + c_.gamma * a_bar_[i]);
  }
  for (int i = 0; i < states.size(); ++i) {
    const double rate = state.rate[states.begin + i];
    w_bar_[i] = (s.delta_f * rate - s.delta_m * w_[i]) / (1 - s.delta_m);
    s_bar_[i] = state.store[i] + h * ((1 - c_.theta) * w_[i] + c_.theta * w_bar_[i]);
  }
  trial_.take(state);
  trial_.t = state.t + h;
  // Newton starts along a parabola through the last three values, or a line where they do not look smooth.
  // Not further than ten times the last step: differences over a much smaller one are noise.
  const double ahead = history.last_step > 0 ? std::min(h, 10 * history.last_step) : h;
  const double bend = ahead * (ahead + history.last_step);
  for (int i = 0; i < system_.size(); ++i) {
    const bool smooth = std::abs(history.curve[i] * history.span) < 0.5 * std::abs(history.slope[i]);
    (i < positions ? trial_.acceleration[i] : trial_.value[at[i]]) +=
        ahead * history.slope[i] + (smooth ? bend * history.curve[i] : 0.0);
  }
  for (auto* x : {&d_, &e_}) std::fill(x->begin(), x->end(), 0.0);
}

void GeneralizedAlpha::renew_matrix_if_changed() {
  const auto changed = [](double a, double b) { return std::abs(a - b) > 0.1 * std::abs(b); };
  if (changed(c_.c0, factored_for_.c0) || changed(c_.c1, factored_for_.c1) ||
      changed(c_.kappa, factored_for_.kappa))
    newton_.invalidate();
}

/// In the form of the constraints that suits its size.
StepReport GeneralizedAlpha::attempt_in_form(State& state, double h) {
  StepReport report;
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;

  choose_coefficients(state, h, report);
  choose_form(state);
  prepare_proximal(state);
  LentHistory histories(state, trial_);
  // Velocity with the offset that index-3 multipliers need, or without it; only where the offset changes (T-constraint-5).
  std::copy(state.rate.begin(), state.rate.begin() + positions, velocity_start_.begin());
  if (form_ != ConstraintForm::index2 && options_.offset_projection &&
      system_.rows(Kind::holonomic).size() > 0) {
    const double offset = velocity_offset();
    if (!(std::abs(offset - history.offset) <= 1e-9 * std::abs(offset))) {
      if (!project_velocity(state, velocity_start_, report.newton)) return report;
    }
  }
  predict(state, h);
  if (weighted()) weigh_start(state);
  if (!epsilon_.empty() && newton_.factored()) drop_undetermined();

  // Correction: the equations hold at t_{n+1}.
  set_weights(state);
  renew_matrix_if_changed();
  Step step(*this, state);
  step.place();
  const int factorizations = report.newton.factorizations;
  report.newton = newton_.solve(step);
  // A guess along the last accelerations may lead far off, or where a function has no value: once more, with velocities,
  // states and signals that stay as they are (T-newton-6).
  if (report.newton.status == NewtonStatus::no_convergence ||
      report.newton.status == NewtonStatus::not_finite) {
    trial_.take(state);
    trial_.t = state.t + h;
    for (int i = 0; i < positions; ++i) trial_.acceleration[i] = (velocity_start_[i] - v_bar_[i]) / c_.c1;
    for (auto* x : {&d_, &e_}) std::fill(x->begin(), x->end(), 0.0);
    newton_.invalidate();
    step.place();
    NewtonReport again = newton_.solve(step);
    again.iterations += report.newton.iterations;
    again.factorizations += report.newton.factorizations;
    if (again.ok()) report.newton = std::move(again);
  }
  report.newton.factorizations += factorizations;
  if (report.newton.ok() && regularised()) refuse_contradiction(report.newton);
  if (const int row = constrained_ ? whole_turn(system_, u_) : -1; report.newton.ok() && row >= 0) {
    report.newton.status = NewtonStatus::singular;  // what holds the axis has no effect on the step (T-lie-7)
    for (int k = 0; k < 3; ++k) report.newton.worst.push_back({row + k, 0.0, 0.0});
  }
  if (!report.newton.ok()) {
    if (report.newton.status == NewtonStatus::singular)
      report.newton.loop = signal_loop(system_, newton_.matrix(), report.newton);
    newton_.invalidate();
    return report;
  }

  // Stores follow their own recursion with the flow at the solution, so what flows is conserved (T-alpha-5).
  if (states.size() > 0) {
    system_.state_flow(trial_, work_);
    for (int i = 0; i < states.size(); ++i) {
      const double rate = -work_[states.begin + i];
      trial_.rate[states.begin + i] = rate;
      trial_.store[i] = s_bar_[i] + c_.kappa * rate;
    }
  }
  return report;
}

void GeneralizedAlpha::commit(State& state) {
  if (settled_) return commit_settling(state);
  const auto& m = options_.mechanics;
  const auto& s = options_.states;
  const Range states = system_.rows(Kind::state);
  const int positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  const double h = c_.h;
  for (int i = 0; i < states.size(); ++i)
    history.w[i] = w_bar_[i] + (1 - s.delta_f) / (1 - s.delta_m) * trial_.rate[states.begin + i];
  for (int i = 0; i < positions; ++i)
    history.a[i] = weighted() ? trial_.acceleration[i]
                              : a_bar_[i] + (1 - m.alpha_f) / (1 - m.alpha_m) * trial_.acceleration[i];
  const double both = h + history.last_step;
  for (int i = 0; i < system_.size(); ++i) {
    const double slope = (i < positions ? trial_.acceleration[i] - state.acceleration[i]
                                        : trial_.value[at[i]] - state.value[at[i]]) /
                         h;
    history.curve[i] = history.last_step > 0 ? (slope - history.slope[i]) / both : 0.0;
    history.slope[i] = slope;
  }
  std::copy(history.slope.begin(), history.slope.end(), history.third_slope.begin());
  for (int i = 0; i < states.size(); ++i)
    history.third_slope[system_.size() + i] =
        (trial_.rate[states.begin + i] - state.rate[states.begin + i]) / h;
  history.third = -h;
  history.span = both;
  history.last_step = h;
  history.D = c_.D_next;
  history.E = c_.E_next;
  history.first = false;
  history.offset = velocity_offset();
  history.tiny = form_ != options_.constraints;
  sizes_.raise(trial_, history.largest);
  trial_.history.swap(state.history);
  std::swap(state, trial_);
  system_.remember(state, false);
}

void GeneralizedAlpha::iteration_matrix(const State& state, std::span<double> values) {
  system_.tangent(state, shift(), {}, work_, values);
}

}  // namespace escapement
