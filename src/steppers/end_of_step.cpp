#include "steppers/end_of_step.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

// ------------------------------------------------------------------ velocities

class EndOfStep::Velocities final : public NewtonProblem {
 public:
  explicit Velocities(EndOfStep& end) : end_(end), system_(end.system_), s_(end.at_) {
    const int n = system_.size();
    for (auto* x : {&impulse_, &weights_, &predicted_rates_, &violation_, &unused_}) x->assign(n, 0.0);
    predicted_.assign(end.positions_, 0.0);
    for (auto* x : {&slip_, &own_mass_}) x->assign(system_.pattern().nonzeros(), 0.0);
  }
  std::span<const double> impulse() const { return impulse_; }
  std::span<const double> slip_gradient() const { return slip_; }

  void begin() {
    std::copy_n(s_.rate.begin(), end_.positions_, predicted_.begin());
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    if (system_.rows(Kind::nonholonomic).size() > 0)
      system_.constraint_tangent(s_, {.velocity = 1, .momentum_rate = 0, .flow = 0, .holonomic_scale = 0}, {},
                                 unused_, slip_);
    if (end_.own_masses_)
      system_.tangent(s_, {.acceleration = 1, .momentum_rate = 0, .reaction = 0}, {}, unused_, own_mass_);
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (int i = 0; i < end_.positions_; ++i) weights_[i] = 1 / (system_.nominal()[i] + std::abs(s_.rate[i]));
    if (end_.first_multiplier_ < system_.size()) system_.constraints(s_, 1, -1, predicted_rates_);
  }
  void residual(std::span<double> r) override {
    const Pattern& p = system_.pattern();
    system_.momenta(s_, r);
    for (int i = 0; i < end_.positions_; ++i) r[i] -= end_.arrival_.momentum[i];
    std::fill(r.begin() + end_.positions_, r.end(), 0.0);
    if (end_.own_masses_)
      for (int j = 0; j < end_.positions_; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1] && p.row[k] < end_.positions_; ++k)
          r[p.row[k]] += own_mass_[k] * (s_.rate[j] - predicted_[j]);
    if (end_.first_multiplier_ < system_.size()) constrain(r);
    if (!end_.massless_.empty())
      for (int i = 0; i < end_.positions_; ++i)
        if (end_.massless_[i]) r[i] = s_.rate[i] - predicted_[i];
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    if (end_.one_matrix_ && end_.has_others()) {
      tangent_of_rates(r, values);
      if (end_.separable(values)) return residual(r);
      end_.one_matrix_ = false;
    }
    const Pattern& p = system_.pattern();
    Shift along = Shift::momenta();
    along.velocity = 1;
    system_.tangent(s_, along, {}, r, values);
    const Range slip = system_.rows(Kind::nonholonomic);
    const auto given = [&](int m) { return end_.open_[m] || end_.is_soft(m); };
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k], m = std::max(i, j);
        if (i < end_.positions_ && j < end_.positions_) {
          if (end_.own_masses_) values[k] += own_mass_[k];
        } else if (std::min(i, j) < end_.positions_ && m >= end_.first_multiplier_) {
          values[k] = m >= slip.begin ? slip_[k] : end_.arrival_.gradient[k];
          if (i == m && given(m)) values[k] = 0;
        } else {
          values[k] = i == j && (i < end_.first_multiplier_ || given(i)) ? 1.0 : 0.0;
        }
      }
    end_.add_proximal_to(values);
    if (!end_.massless_.empty()) hold(system_, end_.massless_, values);
    residual(r);
  }
  void move(std::span<const double> du, double scale) override {
    for (int i = 0; i < end_.positions_; ++i) s_.rate[i] += scale * du[i];
    for (int m = end_.first_multiplier_; m < system_.size(); ++m) impulse_[m] += scale * du[m];
  }
  std::span<const double> weights() const override { return weights_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    for (int i = 0; i < end_.positions_; ++i) size[i] = std::abs(s_.rate[i]);
    for (int m = end_.first_multiplier_; m < system_.size(); ++m) {
      size[m] = std::abs(impulse_[m]);
      noise[m] = INFINITY;
    }
  }

 private:
  /// Φ_qᵀΛ + k_vᵀM, and Φ̇ = 0, k = 0.
  void constrain(std::span<double> r) {
    const Pattern& p = system_.pattern();
    const Range slip = system_.rows(Kind::nonholonomic);
    const int first = end_.first_multiplier_;
    const auto gradient = end_.arrival_.gradient;
    for (int m = first; m < system_.size(); ++m) {
      if (impulse_[m] == 0) continue;
      const auto column = m >= slip.begin ? slip_gradient() : gradient;
      for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < end_.positions_; ++k)
        r[p.row[k]] += column[k] * impulse_[m];
    }
    if (slip.size() > 0) system_.constraints(s_, -1, 0, violation_);
    else std::fill(violation_.begin() + first, violation_.end(), 0.0);
    for (int m = first; m < slip.begin; ++m) violation_[m] = predicted_rates_[m];
    add_along_constraints(
        system_, gradient, [&](int j) { return s_.rate[j] - predicted_[j]; }, violation_);
    for (int m = first; m < system_.size(); ++m)
      r[m] = end_.open_[m]     ? impulse_[m]
             : end_.is_soft(m) ? impulse_[m] - end_.arrival_.soft_impulses[m - first]
                               : violation_[m];
    end_.give_way(r, std::span(impulse_).subspan(first));
  }
  void tangent_of_rates(std::span<double> r, std::span<double> values);

  EndOfStep& end_;
  const System& system_;
  State& s_;
  std::vector<double> impulse_;          // Λ and M
  std::vector<double> predicted_;        // v
  std::vector<double> predicted_rates_;  // Φ̇ of it
  std::vector<double> slip_, own_mass_;  // k_vᵀ; ∂R/∂v̇ beside the rates of momenta
  std::vector<double> violation_, weights_, unused_;
};

EndOfStep::Moving EndOfStep::solve_velocities(State& state, const Arrival& arrival) {
  arrival_ = arrival;
  const double weight = arrival.stores.weight;
  if (std::abs(expected_weight_ - weight) > 0.1 * weight && has_others()) velocity_newton_.invalidate();
  expected_weight_ = weight;
  if (positions_ == 0) return {*this, state, {}};
  if (system_.switches()) {
    system_.open_rows(state, now_open_);
    if (now_open_ != open_) velocity_newton_.invalidate();
    open_ = now_open_;
  }
  std::swap(at_, state);
  velocities_->begin();
  NewtonReport report = velocity_newton_.solve(*velocities_);
  std::swap(at_, state);
  fresh_ = report.factorizations > 0;
  return {*this, state, std::move(report)};
}

std::span<const double> EndOfStep::Moving::impulses() const { return end_.velocities_->impulse(); }
std::span<const double> EndOfStep::Moving::slip_gradient() const { return end_.velocities_->slip_gradient(); }

// ------------------------------------------------------------------ everything else

class EndOfStep::Rates final : public StartProblem {
 public:
  explicit Rates(EndOfStep& end)
      : StartProblem(end.system_, end.at_, end.start_options_),
        end_(end),
        states_(end.system_.rows(Kind::state)) {
    const int n = system_.size();
    for (auto* x : {&store_, &driven_, &predicted_violation_}) x->assign(n, 0.0);
    predicted_.assign(end.positions_, 0.0);
    if (states_.size() > 0) part_.assign(system_.pattern().nonzeros(), 0.0);
  }

  void begin() {
    set_weights();
    if (!along()) return;
    system_.constraints(state_, 2, -1, predicted_violation_);
    std::copy_n(state_.acceleration.begin(), end_.positions_, predicted_.begin());
  }
  void residual(std::span<double> r) override {
    if (end_.stored_ && !at_once()) system_.state_store(state_, store_);
    if (end_.state_rows_.has_driven) system_.residual(state_, driven(), driven_);
    system_.residual(state_, at_once() ? shift(1, weight()) : shift(0, 1), r);
    combine(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    system_.tangent(state_, at_once() ? shift(1, weight()) : shift(0, 1), {}, r, values);
    put_state_rows(values);
    if (along()) put_gradient(values);
    if (end_.any_soft()) put_soft_rows(values);
    end_.add_proximal_to(values);
    if (!end_.massless_.empty()) hold(system_, end_.massless_, values);
    combine(r);
  }

 private:
  double weight() const { return end_.arrival_.stores.weight; }
  bool implicit() const { return end_.arrival_.stores.implicit(); }
  bool along() const { return !end_.arrival_.gradient.empty() && end_.moves_along(); }
  Shift shift(double store, double flow) const {
    Shift c{.acceleration = 1, .store = store, .flow = flow};
    if (along()) c.holonomic_scale = 0;
    else c.constraint_accelerations = true;
    return c;
  }
  /// Are store and flow of a row wanted in one sum? Then they are evaluated together.
  bool at_once() const { return end_.stored_ && implicit() && weight() > 0; }
  /// For rows of states alone.
  static Shift driven() {
    return {.acceleration = 1, .flow = 1, .store_rate = 1, .holonomic_scale = 0, .nonholonomic_scale = 0};
  }
  StateRow kind(int row) const { return end_.state_rows_.kinds[row - states_.begin]; }

  template <class Put>
  void each_entry_of(StateRow which, const Put& put) const {
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (const int i = p.row[k]; i >= states_.begin && i < states_.end && kind(i) == which) put(k);
  }
  void put_state_rows(std::span<double> values) {
    if (at_once()) {
      each_entry_of(StateRow::algebraic, [&](int k) { values[k] /= weight(); });
    } else if (end_.stored_) {
      system_.tangent(state_, shift(1, 0), {}, store_, part_);
      each_entry_of(StateRow::dynamic,
                    [&](int k) { values[k] = part_[k] + (implicit() ? weight() * values[k] : 0.0); });
      each_entry_of(StateRow::mixed, [&](int k) { values[k] = part_[k] + weight() * values[k]; });
    }
    if (!end_.state_rows_.has_driven) return;
    system_.tangent(state_, driven(), {}, driven_, part_);
    each_entry_of(StateRow::driven, [&](int k) { values[k] = part_[k]; });
  }
  void put_gradient(std::span<double> values) const {
    const Pattern& p = system_.pattern();
    for (int j = 0; j < end_.positions_; ++j)
      for (int k = p.column_begin[j + 1] - 1; k >= p.column_begin[j] && p.row[k] >= end_.first_multiplier_;
           --k)
        if (!end_.open_[p.row[k]]) values[k] = end_.arrival_.gradient[k];
  }
  void put_soft_rows(std::span<double> values) const {
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] >= end_.first_multiplier_ && end_.is_soft(p.row[k]))
          values[k] = p.row[k] == j ? 1.0 : 0.0;
  }
  void combine(std::span<double> r) {
    const int first = end_.first_multiplier_;
    if (along()) {
      for (int m = first; m < system_.size(); ++m)
        if (!end_.open_[m]) r[m] = predicted_violation_[m];
      add_along_constraints(
          system_, end_.arrival_.gradient, [&](int j) { return state_.acceleration[j] - predicted_[j]; }, r);
    }
    for (int i = states_.begin; i < states_.end; ++i) combine_state(i, r[i]);
    const auto at = system_.value_of_row();
    if (end_.arrival_.softening > 0 &&
        first < system_.size())  // values of multipliers stand one after the other
      end_.give_way(r, std::span(state_.value).subspan(static_cast<std::size_t>(at[first])));
    for (int m = first; m < system_.size() && end_.any_soft(); ++m)
      if (end_.is_soft(m)) r[m] = state_.value[at[m]] - end_.soft_multipliers_[m - first];
    if (!end_.massless_.empty())
      for (int i = 0; i < end_.positions_; ++i)
        if (end_.massless_[i]) r[i] = 0;
  }
  /// From flow(z), or store and flow in one sum, to what the row is to be.
  void combine_state(int i, double& r) const {
    const StateRow row = kind(i);
    const bool stored = end_.is_stored(i);
    const double s = state_.store[i - states_.begin];
    if (at_once()) {
      if (stored) r -= s;
      else r = row == StateRow::driven ? driven_[i] : r / weight();
      return;
    }
    const double off = store_[i] - s;
    if (stored && implicit()) r = off + weight() * r;
    else if (row == StateRow::dynamic) r = off;
    else if (row == StateRow::mixed) r = off + weight() * (r - end_.arrival_.stores.flow[i]);
    if (row == StateRow::driven) r = driven_[i];
  }

  EndOfStep& end_;
  Range states_;
  std::vector<double> predicted_;            // v̇ …
  std::vector<double> predicted_violation_;  // … and Φ̈ of it
  std::vector<double> store_, driven_;       // store(z); d/dt store + flow; by row
  std::vector<double> part_;                 // of the matrix
};

/// One matrix may serve both.
void EndOfStep::Velocities::tangent_of_rates(std::span<double> r, std::span<double> values) {
  end_.rates_->tangent(r, values);
}

NewtonReport EndOfStep::Moving::solve_rates(std::span<const double> soft_multipliers) && {
  std::copy(soft_multipliers.begin(), soft_multipliers.end(), end_.soft_multipliers_.begin());
  return end_.solve_rates(state_);
}

NewtonReport EndOfStep::solve_rates(State& state) {
  const StoreRule& rule = arrival_.stores;
  if (rule.implicit()) {
    if (std::abs(implicit_weight_ - rule.weight) > 0.1 * rule.weight) rate_newton_.invalidate();
    implicit_weight_ = rule.weight;
  }
  std::swap(at_, state);
  rates_->begin();
  NewtonReport report;
  if (!solve_rates_by_the_same_matrix(report)) {
    const int iterations = report.iterations;
    report = rate_newton_.solve(*rates_);
    report.iterations += iterations;
  }
  std::swap(at_, state);
  if (report.ok()) follow_stores(state);
  return report;
}

/// ṡ = −flow at the solution; what is stored implicitly is that of the solution.
void EndOfStep::follow_stores(State& state) {
  const Range rows = system_.rows(Kind::state);
  if (rows.size() == 0) return;
  system_.state_flow(state, flow_);
  for (int i = rows.begin; i < rows.end; ++i) {
    state.rate[i] = -flow_[i];
    if (arrival_.stores.implicit() && is_stored(i))
      state.store[i - rows.begin] -= arrival_.stores.weight * flow_[i];
  }
}

/// The rates are linear in most models, and their matrix that of the velocities: a solve or two. False, if it does not contract well.
bool EndOfStep::solve_rates_by_the_same_matrix(NewtonReport& report) {
  constexpr int most = 4;
  constexpr double well = 0.2;
  if (!one_matrix_ || !velocity_newton_.factored()) return false;
  if (pause_ > 0) {
    --pause_;
    return false;
  }
  const auto weights = rates_->weights();
  guess_value_ = at_.value;
  guess_acceleration_ = at_.acceleration;
  double previous = 0;
  for (int k = 0; k < most; ++k) {
    rates_->residual(increment_);
    for (double& x : increment_) x = -x;
    velocity_newton_.solver().solve(increment_);
    double norm = 0;
    for (std::size_t i = 0; i < increment_.size(); ++i)
      if (const double e = weights[i] * std::abs(increment_[i]); !(e <= norm)) norm = e;
    norm /= velocity_newton_.options().tolerance;
    const double rate = previous > 0 ? norm / previous : well;
    if (!(rate <= well)) break;  // nor if it is no number
    rates_->move(increment_, 1.0);
    ++report.iterations;
    const bool known = fresh_ || previous > 0;  // to contract
    if ((known && norm <= 1) || (previous > 0 && norm * rate <= 1 - rate)) {
      back_off_ = 1;
      return true;
    }
    previous = norm;
  }
  at_.value = guess_value_;
  at_.acceleration = guess_acceleration_;
  pause_ = back_off_;
  back_off_ = std::min(2 * back_off_, 64);
  return false;
}

/// Of the rates: v̇ and λ along M, Φ_q, k_v as v and Λ are. States and signals do not mix in if either those do not act on
/// them or they do not act on those.
bool EndOfStep::separable(std::span<const double> values) const {
  const Pattern& p = system_.pattern();
  const auto other = [&](int i) { return i >= positions_ && i < first_multiplier_; };
  bool acted_on = false, acting = false;
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (values[k] != 0 && other(j) != other(p.row[k])) (other(j) ? acting : acted_on) = true;
  return !(acting && acted_on);
}

// ------------------------------------------------------------------ both

static NewtonOptions renewing(NewtonOptions newton) {
  newton.keep_matrix = false;
  return newton;
}

EndOfStep::EndOfStep(const System& system, Options options)
    : system_(system),
      options_(std::move(options)),
      positions_(system.rows(Kind::position).end),
      first_multiplier_(system.rows(Kind::holonomic).begin),
      at_(system.state()),
      velocity_newton_(system, 0, options_.renew_always ? renewing(options_.newton) : options_.newton),
      rate_newton_(system, 0, options_.newton) {
  start_options_.proximal = options_.proximal;
  const int n = system.size();
  for (auto* x : {&increment_, &flow_}) x->assign(n, 0.0);
  soft_multipliers_.assign(options_.soft.size(), 0.0);
  open_.assign(n, 0);
  now_open_.assign(n, 0);
  guess_value_ = at_.value;
  guess_acceleration_ = at_.acceleration;
  velocities_ = std::make_unique<Velocities>(*this);
  rates_ = std::make_unique<Rates>(*this);
}
EndOfStep::~EndOfStep() = default;

bool EndOfStep::is_stored(int row) const {
  const StateRow kind = state_rows_.kinds[row - system_.rows(Kind::state).begin];
  return kind == StateRow::dynamic || kind == StateRow::mixed;
}

void EndOfStep::add_proximal_to(std::span<double> values) {
  if (options_.proximal == 0 && !system_.switches()) return;
  if (epsilon_.empty()) set_proximal_diagonal(system_, 1.0, values, epsilon_);
  const Pattern& p = system_.pattern();
  for (int m = first_multiplier_; m < system_.size(); ++m) {
    if (is_soft(m)) continue;
    const double least = system_.switches(m) ? std::max(options_.proximal, 1e-9) : options_.proximal;
    values[p.find(m, m)] -= (arrival_.softening > 0 ? arrival_.softening : least) * epsilon_[m];
  }
}

/// −ε · load in the constraint rows.
void EndOfStep::give_way(std::span<double> r, std::span<const double> load) const {
  if (arrival_.softening == 0 || epsilon_.empty()) return;
  for (int m = first_multiplier_; m < system_.size(); ++m)
    if (!open_[m] && !is_soft(m)) r[m] -= arrival_.softening * epsilon_[m] * load[m - first_multiplier_];
}

void EndOfStep::begin(const State& state) {
  arrival_.gradient = {};
  UndeterminedPositions().find(system_, state, options_.proximal, massless_);
  state_rows_ = examine_state_rows(system_, state, rate_newton_);
  stored_ = state_rows_.has(StateRow::dynamic) || state_rows_.has(StateRow::mixed);
  find_momenta(state);
  epsilon_.clear();
  if (state_rows_.has(StateRow::dynamic)) mix_stores(state);
  impulsive_.clear();
  if (state_rows_.has_mixed) impulsive_ = impulsive_unknowns(system_, state, state_rows_);
  epsilon_.clear();
  one_matrix_ = positions_ > 0;
  pause_ = 0;
  back_off_ = 1;
  velocity_newton_.invalidate();
  rate_newton_.invalidate();
}

/// Which positions have momenta, and masses of their own in equations of the user?
void EndOfStep::find_momenta(const State& state) {
  const Pattern& p = system_.pattern();
  std::vector<double> rows(system_.size()), momenta(p.nonzeros()), masses(p.nonzeros());
  has_momentum_.assign(positions_, 0);
  own_masses_ = false;
  Shift along = Shift::momenta();
  along.velocity = 1;
  State at = state;
  for (int twice = 0; twice < 2; ++twice) {  // a mass may happen to be zero
    system_.tangent(at, along, {}, rows, momenta);
    system_.tangent(at, {.acceleration = 1, .momentum_rate = 0, .reaction = 0}, {}, rows, masses);
    for (int j = 0; j < positions_; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1] && p.row[k] < positions_; ++k) {
        if (!(momenta[k] == 0)) has_momentum_[p.row[k]] = 1;
        if (!(masses[k] == 0)) own_masses_ = true;
      }
    move_aside(system_, at);
  }
}

/// Stores that, with what algebraic rows say, determine the states twice (a source across a capacitor) leave others open.
void EndOfStep::mix_stores(const State& state) {
  std::vector<double> rows(system_.size());
  at_.take(state);
  at_.delays = state.delays;
  rates_->tangent(rows, rate_newton_.matrix());
  rate_newton_.solver().explain(false);
  if (!rate_newton_.factor().ok) state_rows_.mix();
  rate_newton_.solver().explain(true);
  at_.delays.clear();
}

void EndOfStep::archive(Archive& a) {
  a(velocity_newton_, rate_newton_, epsilon_, open_, implicit_weight_, state_rows_, impulsive_, massless_,
    has_momentum_, own_masses_, stored_, expected_weight_, one_matrix_, pause_, back_off_);
  if (state_rows_.kinds.size() != static_cast<std::size_t>(system_.rows(Kind::state).size()) ||
      has_momentum_.size() != static_cast<std::size_t>(positions_) || open_.size() != increment_.size() ||
      (!massless_.empty() && massless_.size() != increment_.size()))
    throw ArchiveError("the nodes of another system");
}

}  // namespace escapement
