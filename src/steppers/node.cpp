#include "steppers/node.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

// ------------------------------------------------------------------ velocities

class NodeEquations::Velocities final : public NewtonProblem {
 public:
  explicit Velocities(NodeEquations& node) : n_(node), s_(node.at_) {}
  std::span<const double> momentum;

  void prepare() {
    if (n_.first_multiplier_ < n_.system_.size()) n_.system_.constraints(s_, 1, -1, n_.rate_base_);
  }
  void residual(std::span<double> r) override {
    const System& system = n_.system_;
    const Pattern& p = system.pattern();
    system.momenta(s_, r);
    for (int i = 0; i < n_.positions_; ++i) r[i] -= momentum[i];
    std::fill(r.begin() + n_.positions_, r.end(), 0.0);
    if (n_.own_masses_)
      for (int j = 0; j < n_.positions_; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1] && p.row[k] < n_.positions_; ++k)
          r[p.row[k]] += n_.own_mass_[k] * (s_.rate[j] - n_.predicted_[j]);
    if (n_.first_multiplier_ < system.size()) {
      const Range slip = system.rows(Kind::nonholonomic);
      for (int m = n_.first_multiplier_; m < system.size(); ++m) {
        if (n_.impulse_[m] == 0) continue;
        const auto& column = m >= slip.begin ? std::span<const double>(n_.slip_) : n_.gradient_;
        for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < n_.positions_; ++k)
          r[p.row[k]] += column[k] * n_.impulse_[m];
      }
      if (slip.size() > 0) system.constraints(s_, -1, 0, n_.other_);
      else std::fill(n_.other_.begin() + n_.first_multiplier_, n_.other_.end(), 0.0);
      for (int m = n_.first_multiplier_; m < slip.begin; ++m) n_.other_[m] = n_.rate_base_[m];
      add_along_constraints(
          system, n_.gradient_, [&](int j) { return s_.rate[j] - n_.predicted_[j]; }, n_.other_);
      for (int m = n_.first_multiplier_; m < system.size(); ++m)
        r[m] = n_.open_[m]     ? n_.impulse_[m]
               : n_.is_soft(m) ? n_.impulse_[m] - n_.soft_rows[m - n_.first_multiplier_].impulse
                               : n_.other_[m];
      n_.give_way(r, std::span(n_.impulse_).subspan(n_.first_multiplier_));
    }
    if (!n_.massless_.empty())
      for (int i = 0; i < n_.positions_; ++i)
        if (n_.massless_[i]) r[i] = s_.rate[i] - n_.predicted_[i];
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    if (n_.one_matrix_ && n_.has_others()) {
      n_.rates_tangent(r, values);
      if (n_.separable(values)) return residual(r);
      n_.one_matrix_ = false;
    }
    const System& system = n_.system_;
    const Pattern& p = system.pattern();
    Shift along = Shift::momenta();
    along.velocity = 1;
    system.tangent(s_, along, {}, r, values);
    const Range slip = system.rows(Kind::nonholonomic);
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k], m = std::max(i, j);
        if (i < n_.positions_ && j < n_.positions_) {
          if (n_.own_masses_) values[k] += n_.own_mass_[k];
        } else if (std::min(i, j) < n_.positions_ && m >= n_.first_multiplier_) {
          values[k] = m >= slip.begin ? n_.slip_[k] : n_.gradient_[k];
          if (i == m && (n_.open_[m] || n_.is_soft(m))) values[k] = 0;
        } else {
          const bool unit = i < n_.first_multiplier_ || n_.open_[i] || n_.is_soft(i);
          values[k] = i == j && unit ? 1.0 : 0.0;
        }
      }
    n_.add_proximal_to(values);
    if (!n_.massless_.empty()) hold(system, n_.massless_, values);
    residual(r);
  }
  void move(std::span<const double> du, double scale) override {
    for (int i = 0; i < n_.positions_; ++i) s_.rate[i] += scale * du[i];
    for (int m = n_.first_multiplier_; m < n_.system_.size(); ++m) n_.impulse_[m] += scale * du[m];
  }
  std::span<const double> weights() const override { return n_.weights_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    for (int i = 0; i < n_.positions_; ++i) size[i] = std::abs(s_.rate[i]);
    for (int m = n_.first_multiplier_; m < n_.system_.size(); ++m) {
      size[m] = std::abs(n_.impulse_[m]);
      noise[m] = INFINITY;
    }
  }

 private:
  NodeEquations& n_;
  State& s_;
};

NewtonReport NodeEquations::velocities(State& node, std::span<const double> momentum,
                                       std::span<const double> gradient) {
  gradient_ = gradient;
  if (positions_ == 0) return {};
  std::copy(node.rate.begin(), node.rate.begin() + positions_, predicted_.begin());
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  if (system_.switches()) {
    system_.open_rows(node, now_open_);
    if (now_open_ != open_) velocity_newton_.invalidate();
    open_ = now_open_;
  }
  if (system_.rows(Kind::nonholonomic).size() > 0)
    system_.constraint_tangent(node, {.velocity = 1, .momentum_rate = 0, .flow = 0, .holonomic_scale = 0}, {},
                               rows_, slip_);
  if (own_masses_)
    system_.tangent(node, {.acceleration = 1, .momentum_rate = 0, .reaction = 0}, {}, rows_, own_mass_);
  std::fill(weights_.begin(), weights_.end(), 0.0);
  for (int i = 0; i < positions_; ++i) weights_[i] = 1 / (system_.nominal()[i] + std::abs(node.rate[i]));
  std::swap(at_, node);
  velocities_->momentum = momentum;
  velocities_->prepare();
  NewtonReport report = velocity_newton_.solve(*velocities_);
  std::swap(at_, node);
  fresh_ = report.factorizations > 0;
  return report;
}

// ------------------------------------------------------------------ everything else

class NodeEquations::Rates final : public StartProblem {
 public:
  explicit Rates(NodeEquations& node) : StartProblem(node.system_, node.at_, node.options_), n_(node) {}
  double small = 0;
  std::span<const double> flow;  // empty: all stores implicitly

  void prepare() {
    set_weights();
    if (!along()) return;
    system_.constraints(state_, 2, -1, n_.acceleration_base_);
    std::copy_n(state_.acceleration.begin(), n_.positions_, n_.base_acceleration_.begin());
  }
  void residual(std::span<double> r) override {
    if (n_.stored_ && !at_once()) system_.state_store(state_, n_.other_);
    if (n_.state_rows_.has_driven) system_.residual(state_, driven(), n_.rate_rows_);
    system_.residual(state_, at_once() ? shift(1, small) : shift(0, 1), r);
    combine(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    const Pattern& p = system_.pattern();
    const Range rows = system_.rows(Kind::state);
    const auto each = [&](StateRow kind, auto&& put) {
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
          if (const int i = p.row[k];
              i >= rows.begin && i < rows.end && n_.state_rows_.kinds[i - rows.begin] == kind)
            put(k);
    };
    system_.tangent(state_, at_once() ? shift(1, small) : shift(0, 1), {}, r, values);
    if (at_once()) {
      each(StateRow::algebraic, [&](int k) { values[k] /= small; });
    } else if (n_.stored_) {
      system_.tangent(state_, shift(1, 0), {}, n_.other_, n_.other_values_);
      each(StateRow::dynamic,
           [&](int k) { values[k] = n_.other_values_[k] + (flow.empty() ? small * values[k] : 0.0); });
      each(StateRow::mixed, [&](int k) { values[k] = n_.other_values_[k] + small * values[k]; });
    }
    if (n_.state_rows_.has_driven) {
      system_.tangent(state_, driven(), {}, n_.rate_rows_, n_.other_values_);
      each(StateRow::driven, [&](int k) { values[k] = n_.other_values_[k]; });
    }
    if (along())
      for (int j = 0; j < n_.positions_; ++j)
        for (int k = p.column_begin[j + 1] - 1; k >= p.column_begin[j] && p.row[k] >= n_.first_multiplier_;
             --k)
          if (!n_.open_[p.row[k]]) values[k] = n_.gradient_[k];
    if (!n_.soft.empty())
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
          if (p.row[k] >= n_.first_multiplier_ && n_.is_soft(p.row[k])) values[k] = p.row[k] == j ? 1.0 : 0.0;
    n_.add_proximal_to(values);
    if (!n_.massless_.empty()) hold(system_, n_.massless_, values);
    combine(r);
  }

 private:
  bool along() const { return !n_.gradient_.empty() && n_.moves_along(); }
  Shift shift(double store, double flow) const {
    Shift c{.acceleration = 1, .store = store, .flow = flow};
    if (along()) c.holonomic_scale = 0;
    else c.constraint_accelerations = true;
    return c;
  }
  /// Are store and flow of a row wanted in one sum? Then they are evaluated together.
  bool at_once() const { return n_.stored_ && flow.empty() && small > 0; }
  /// For rows of states alone.
  static Shift driven() {
    return {.acceleration = 1, .flow = 1, .store_rate = 1, .holonomic_scale = 0, .nonholonomic_scale = 0};
  }
  void combine(std::span<double> r) {
    if (along()) {
      for (int m = n_.first_multiplier_; m < system_.size(); ++m)
        if (!n_.open_[m]) r[m] = n_.acceleration_base_[m];
      add_along_constraints(
          system_, n_.gradient_, [&](int j) { return state_.acceleration[j] - n_.base_acceleration_[j]; }, r);
    }
    const Range rows = system_.rows(Kind::state);
    for (int i = rows.begin; i < rows.end; ++i) {
      const StateRow kind = n_.state_rows_.kinds[i - rows.begin];
      const bool stored = kind == StateRow::dynamic || kind == StateRow::mixed;
      if (at_once()) {
        if (stored) r[i] -= state_.store[i - rows.begin];
        else r[i] = kind == StateRow::driven ? n_.rate_rows_[i] : r[i] / small;
        continue;
      }
      const double off = n_.other_[i] - state_.store[i - rows.begin];
      if (stored && flow.empty()) r[i] = off + small * r[i];
      else if (kind == StateRow::dynamic) r[i] = off;
      else if (kind == StateRow::mixed) r[i] = off + small * (r[i] - flow[i]);
      if (kind == StateRow::driven) r[i] = n_.rate_rows_[i];
    }
    if (n_.softening > 0) {  // values of multipliers stand one after the other
      const auto first = static_cast<std::size_t>(system_.value_of_row()[n_.first_multiplier_]);
      n_.give_way(r, std::span(state_.value).subspan(first));
    }
    if (!n_.soft.empty())
      for (int m = n_.first_multiplier_; m < system_.size(); ++m)
        if (n_.is_soft(m))
          r[m] = state_.value[system_.value_of_row()[m]] - n_.soft_rows[m - n_.first_multiplier_].multiplier;
    if (!n_.massless_.empty())
      for (int i = 0; i < n_.positions_; ++i)
        if (n_.massless_[i]) r[i] = 0;
  }
  NodeEquations& n_;
};

NodeEquations::NodeEquations(const System& system, double proximal, NewtonOptions newton)
    : system_(system),
      positions_(system.rows(Kind::position).end),
      first_multiplier_(system.rows(Kind::holonomic).begin),
      velocity_newton_(system, 0, newton),
      rate_newton_(system, 0, newton) {
  options_.proximal = proximal;
  const int n = system.size();
  for (auto* x : {&impulse_, &rows_, &other_, &weights_, &rate_rows_, &increment_}) x->assign(n, 0.0);
  for (auto* x : {&rate_base_, &acceleration_base_}) x->assign(n, 0.0);
  for (auto* x : {&predicted_, &base_acceleration_}) x->assign(positions_, 0.0);
  for (auto* x : {&values_, &slip_, &own_mass_}) x->assign(system.pattern().nonzeros(), 0.0);
  if (system.rows(Kind::state).size() > 0) other_values_.assign(system.pattern().nonzeros(), 0.0);
  open_.assign(n, 0);
  now_open_.assign(n, 0);
  at_ = system.state();
  guess_value_ = at_.value;
  guess_acceleration_ = at_.acceleration;
  velocities_ = std::make_unique<Velocities>(*this);
  rates_ = std::make_unique<Rates>(*this);
}
NodeEquations::~NodeEquations() = default;

void NodeEquations::add_proximal_to(std::span<double> values) {
  if (options_.proximal == 0 && !system_.switches()) return;
  if (epsilon_.empty()) set_proximal_diagonal(system_, 1.0, values, epsilon_);
  const Pattern& p = system_.pattern();
  for (int m = first_multiplier_; m < system_.size(); ++m) {
    if (is_soft(m)) continue;
    const double least = system_.switches(m) ? std::max(options_.proximal, 1e-9) : options_.proximal;
    values[p.find(m, m)] -= (softening > 0 ? softening : least) * epsilon_[m];
  }
}

/// −ε · load in the constraint rows.
void NodeEquations::give_way(std::span<double> r, std::span<const double> load) const {
  if (softening == 0 || epsilon_.empty()) return;
  for (int m = first_multiplier_; m < system_.size(); ++m)
    if (!open_[m] && !is_soft(m)) r[m] -= softening * epsilon_[m] * load[m - first_multiplier_];
}

void NodeEquations::begin(const State& state) {
  gradient_ = {};
  const Pattern& p = system_.pattern();
  UndeterminedPositions().find(system_, state, options_.proximal, massless_);
  state_rows_ = examine_state_rows(system_, state, rate_newton_);
  stored_ = state_rows_.has(StateRow::dynamic) || state_rows_.has(StateRow::mixed);
  has_momentum_.assign(positions_, 0);
  Shift along = Shift::momenta();
  along.velocity = 1;
  own_masses_ = false;
  State at = state;
  for (int twice = 0; twice < 2; ++twice) {  // a mass may happen to be zero
    system_.tangent(at, along, {}, rows_, values_);
    system_.tangent(at, {.acceleration = 1, .momentum_rate = 0, .reaction = 0}, {}, rows_, own_mass_);
    for (int j = 0; j < positions_; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1] && p.row[k] < positions_; ++k) {
        if (!(values_[k] == 0)) has_momentum_[p.row[k]] = 1;
        if (!(own_mass_[k] == 0)) own_masses_ = true;
      }
    move_aside(system_, at);
  }
  // Stores that, with what algebraic rows say, determine the states twice (a source across a capacitor) leave others open.
  epsilon_.clear();
  if (state_rows_.has(StateRow::dynamic)) {
    at_.take(state);
    at_.history = state.history;
    rates_->tangent(rows_, rate_newton_.matrix());
    rate_newton_.solver().explain(false);
    if (!rate_newton_.factor().ok) state_rows_.mix();
    rate_newton_.solver().explain(true);
    at_.history.clear();
  }
  impulsive_.clear();
  if (state_rows_.has_mixed) impulsive_ = impulsive_unknowns(system_, state, state_rows_);
  epsilon_.clear();
  one_matrix_ = positions_ > 0;
  pause_ = 0;
  back_off_ = 1;
  velocity_newton_.invalidate();
  rate_newton_.invalidate();
}

void NodeEquations::expect(double small, std::span<const double> flow) {
  rates_->small = small;
  rates_->flow = flow;
  if (std::abs(expected_ - small) > 0.1 * small && has_others()) velocity_newton_.invalidate();
  expected_ = small;
}

void NodeEquations::rates_tangent(std::span<double> r, std::span<double> values) {
  rates_->tangent(r, values);
}

/// Of the rates: v̇ and λ along M, Φ_q, k_v as v and Λ are. States and signals do not mix in if either those do not act on
/// them or they do not act on those.
bool NodeEquations::separable(std::span<const double> values) const {
  const Pattern& p = system_.pattern();
  const auto other = [&](int i) { return i >= positions_ && i < first_multiplier_; };
  bool acted_on = false, acting = false;
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (values[k] != 0 && other(j) != other(p.row[k])) (other(j) ? acting : acted_on) = true;
  return !(acting && acted_on);
}

/// The rates are linear in most models, and their matrix that of the velocities: a solve or two. False, if it does not contract well.
bool NodeEquations::solve_rates_by_the_same_matrix(NewtonReport& report) {
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

NewtonReport NodeEquations::rates(State& node, double small, std::span<const double> flow) {
  std::swap(at_, node);
  rates_->small = small;
  rates_->flow = flow;
  rates_->prepare();
  NewtonReport report;
  if (!solve_rates_by_the_same_matrix(report)) {
    const int iterations = report.iterations;
    report = rate_newton_.solve(*rates_);
    report.iterations += iterations;
  }
  std::swap(at_, node);
  return report;
}

NewtonReport NodeEquations::implicit_rates(State& node, double weight) {
  if (std::abs(implicit_weight_ - weight) > 0.1 * weight) rate_newton_.invalidate();
  implicit_weight_ = weight;
  NewtonReport report = rates(node, weight, {});
  const Range rows = system_.rows(Kind::state);
  if (!report.ok() || rows.size() == 0) return report;
  system_.state_flow(node, other_);
  for (int i = rows.begin; i < rows.end; ++i) {
    node.rate[i] = -other_[i];
    const StateRow kind = state_rows_.kinds[i - rows.begin];
    if (kind == StateRow::dynamic || kind == StateRow::mixed)
      node.store[i - rows.begin] -= weight * other_[i];
  }
  return report;
}

void NodeEquations::archive(Archive& a) {
  a(velocity_newton_, rate_newton_, epsilon_, open_, implicit_weight_, state_rows_, impulsive_, massless_,
    has_momentum_, own_masses_, stored_, expected_, one_matrix_, pause_, back_off_);
  if (state_rows_.kinds.size() != static_cast<std::size_t>(system_.rows(Kind::state).size()) ||
      has_momentum_.size() != static_cast<std::size_t>(positions_) || open_.size() != impulse_.size() ||
      (!massless_.empty() && massless_.size() != impulse_.size()))
    throw ArchiveError("the nodes of another system");
}

}  // namespace escapement
