#include "core/operating_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/start_problem.hpp"

namespace escapement {
namespace {

/// The rows of the system with the conditions at its end, each with its multiplier: what flows through a capacitor whose
/// voltage is given, or across a coil whose current is.
Pattern extended(const System& system) {
  const Pattern& p = system.pattern();
  const auto& conditions = system.start_conditions();
  PatternBuilder builder(p.n + static_cast<int>(conditions.size()));
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) builder.add(p.row[k], j);
  for (std::size_t c = 0; c < conditions.size(); ++c)
    for (const auto& [variable, factor] : conditions[c].terms) {
      if (variable < 0) continue;
      const int row = system.variables()[variable].row, at = p.n + static_cast<int>(c);
      builder.add(row, at);
      builder.add(at, row);
    }
  return builder.finish();
}

class OperatingPoint final : public StartProblem {
 public:
  OperatingPoint(const System& system, State& state, const StartOptions& options)
      : StartProblem(system, state, options, static_cast<int>(system.start_conditions().size())),
        conditions_(system.start_conditions()),
        pattern_(extended(system)),
        newton_(pattern_, 0, {.tolerance = 1e-12, .max_iterations = 50, .undamped_at_last = true}) {
    const Pattern& p = system.pattern();
    values_.assign(p.nonzeros(), 0.0);
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        place_.push_back(pattern_.find(p.row[k], j));
    through_.assign(conditions_.size(), 0.0);
    states_ = system.rows(Kind::state);
    given_ = state.value;
    classify();
  }

  void run(OperatingWay way) {
    State before = state_;
    NewtonReport report;
    report.status = NewtonStatus::no_convergence;
    if (way == OperatingWay::automatic) report = solve(before);
    if (report.ok()) return;
    state_ = before;
    if (substitute_signals(pattern_)) {
      before.value = state_.value;
      if (way == OperatingWay::automatic && solve(before).ok()) return;
    }
    if (way != OperatingWay::ramping && leaking(before)) return;
    if (way != OperatingWay::leaking && ramping(before)) return;
    refuse(report);
  }

  void residual(std::span<double> r) override {
    system_.residual(state_, shift, r.first(system_.size()));
    combine(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    system_.tangent(state_, shift, {}, r.first(system_.size()), values_);
    combine(r);
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (is_held(p.row[k])) values_[k] = p.row[k] == j ? 1.0 : 0.0;
    for (const int row : nodes_) values_[p.find(row, row)] += leak_;
    add_proximal(system_, proximal_diagonal(system_, options_.proximal, values_), values_);
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t k = 0; k < place_.size(); ++k) values[place_[k]] = values_[k];
    each_term([&](int row, int at, double factor) {
      values[pattern_.find(row, at)] += factor;
      values[pattern_.find(at, row)] += factor;
    });
  }
  void move(std::span<const double> du, double scale) override {
    StartProblem::move(du, scale);
    for (std::size_t c = 0; c < through_.size(); ++c) through_[c] += scale * du[system_.size() + c];
  }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    StartProblem::magnitudes(size, noise);
    for (std::size_t c = 0; c < through_.size(); ++c) size[system_.size() + c] = std::abs(through_[c]);
  }

 private:
  static constexpr Shift shift{.acceleration = 1, .store = 0, .flow = 1, .constraint_accelerations = true};

  bool is_held(int row) const {
    return row >= states_.begin && row < states_.end && held_[row - states_.begin];
  }
  void combine(std::span<double> r) {
    const auto at = system_.value_of_row();
    for (int i = states_.begin; i < states_.end; ++i)
      if (is_held(i)) r[i] = state_.value[at[i]] - given_[at[i]];
    for (const int row : nodes_) r[row] += leak_ * state_.value[at[row]];
    if (!first_.empty())
      for (int i = states_.begin; i < states_.end; ++i) r[i] -= (1 - share_) * first_[i];
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      r[system_.size() + c] = first_.empty() ? -conditions_[c].value : -share_ * conditions_[c].value;
    each_term([&](int row, int condition, double factor) {
      r[row] += factor * through_[condition - system_.size()];
      r[condition] += factor * state_.value[at[row]];
    });
  }
  template <class F>
  void each_term(F f) const {
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      for (const auto& [variable, factor] : conditions_[c].terms)
        if (variable >= 0) f(system_.variables()[variable].row, system_.size() + static_cast<int>(c), factor);
  }

  /// Whatever starts with a given value stays there; what nobody stores in follows from its row.
  void classify() {
    held_.assign(states_.size(), 0);
    const Pattern& p = system_.pattern();
    std::vector<double> r(system_.size()), E(p.nonzeros());
    system_.tangent(state_, {.acceleration = 1, .store = 1, .flow = 0, .constraint_accelerations = true}, {},
                    r, E);
    for (int k = 0; k < p.nonzeros(); ++k)
      if (p.row[k] >= states_.begin && p.row[k] < states_.end && E[k] != 0)
        held_[p.row[k] - states_.begin] = 1;
    for (const Variable& v : system_.variables()) {
      if (!v.starts_steady) continue;
      for (int d = 0; d < v.dofs; ++d) held_[v.row + d - states_.begin] = 0;
      if (v.network == Network::node) nodes_.push_back(v.row);
    }
  }

  NewtonReport solve(const State& from) {
    state_.value = from.value;
    state_.acceleration = from.acceleration;
    std::fill(through_.begin(), through_.end(), 0.0);
    return again();
  }
  NewtonReport again() {
    set_weights();
    newton_.invalidate();
    return newton_.solve(*this);
  }

  /// Every node leaks to ground, less and less, at last not at all (T-operating-3).
  bool leaking(const State& from) {
    leak_ = 0.1;
    return solve(from).ok() && seal();
  }
  /// From a point with a leak to one without.
  bool seal() {
    double factor = 10;
    State good = state_;
    std::vector<double> through = through_;
    while (true) {
      const double now = leak_;
      if (now <= 1e-13) leak_ = 0;
      else leak_ = now / factor;
      if (again().ok()) {
        good = state_;
        through = through_;
        if (leak_ == 0) return true;
        factor = std::min(10.0, factor * factor);
        continue;
      }
      if (leak_ == 0 || factor < 1.02) break;
      state_ = good;
      through_ = through;
      leak_ = now;
      factor = std::sqrt(factor);
    }
    leak_ = 0;
    return false;
  }

  /// From a dead circuit all sources grow together (T-operating-4), with a small leak, because what is dead may isolate nodes.
  bool ramping(const State& from) {
    state_ = from;
    std::fill(through_.begin(), through_.end(), 0.0);
    for (const Variable& v : system_.variables())
      if (v.starts_steady)
        for (int d = 0; d < v.dofs; ++d) state_.value[v.value + d] = 0;
    const State dead = state_;
    std::vector<double> r(pattern_.n);
    share_ = 1;
    first_.clear();
    residual(r);
    first_.assign(r.begin(), r.begin() + system_.size());
    State good = dead;
    std::vector<double> through = through_;
    double reached = 0, step = 0.1;
    leak_ = 1e-9;
    while (reached < 1 && step > 1e-6) {
      share_ = std::min(1.0, reached + step);
      if (again().ok()) {
        reached = share_;
        good = state_;
        through = through_;
        step *= 2;
      } else {
        state_ = good;
        through_ = through;
        step /= 4;
      }
    }
    first_.clear();
    share_ = 1;
    if (reached >= 1 && seal()) return true;
    leak_ = 0;
    return false;
  }

  std::string row_name(int row) const {
    return row < system_.size() ? system_.row_name(row) : conditions_[row - system_.size()].name;
  }
  [[noreturn]] void refuse(const NewtonReport& report) const {
    std::vector<std::string> names;
    for (const auto& w : report.worst) names.push_back(row_name(w.row));
    const std::string first = names.empty() ? "start" : names.front();
    if (report.status == NewtonStatus::singular)
      throw ModelError(
          "E-SINGULAR", first,
          fmt::format("the operating point is not determined; rows that depend on each other: {}",
                      fmt::join(names, ", ")),
          "look for nodes that only inputs connect, for loops without resistance, for an ideal amplifier "
          "without feedback, or for initial values that say the same");
    if (const ModelError* e = system_.fault(state_); e && report.status == NewtonStatus::not_finite) throw *e;
    throw ModelError(
        "E-START", first,
        fmt::format("no operating point was found; rows that do not settle: {}", fmt::join(names, ", ")),
        "give capacitors `initial: {voltage: …}` and coils `initial: {current: …}` near the "
        "solution, or from where the circuit starts up");
  }

  const std::vector<StartCondition>& conditions_;
  Pattern pattern_;
  Newton newton_;
  Range states_;
  std::vector<int> place_;  // of the system's entries in the extended pattern
  std::vector<int> nodes_;  // rows that may leak
  std::vector<char> held_;  // by state row
  std::vector<double> values_, given_, through_;
  std::vector<double> first_;  // rows of the dead circuit, while sources grow; empty: all of them act
  double leak_ = 0, share_ = 1;
};

}  // namespace

void find_operating_point(const System& system, State& state, const StartOptions& options, OperatingWay way) {
  State found = state;
  OperatingPoint(system, found, options).run(way);
  for (const Variable& v : system.variables())
    if (v.starts_steady) std::copy_n(found.value.begin() + v.value, v.values, state.value.begin() + v.value);
}

}  // namespace escapement
