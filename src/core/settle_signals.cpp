#include "core/settle_signals.hpp"

#include <algorithm>
#include <cmath>

#include "core/sizes.hpp"
#include "core/start.hpp"

namespace escapement {

SignalSettler::SignalSettler(const System& system) : SignalSettler(system, {}) {}

SignalSettler::SignalSettler(const System& system, std::span<const char> algebraic)
    : system_(system),
      newton_(system, 0, {.tolerance = 1e-13, .max_iterations = 50}),
      still_(system.size(), 1),
      weights_(system.size(), 0.0),
      left_over_(system.size(), INFINITY) {
  const Range signals = system.rows(Kind::algebraic);
  for (int i = 0; i < system.size(); ++i) {
    if (!(signals.begin <= i && i < signals.end) && (algebraic.empty() || !algebraic[i])) continue;
    still_[i] = 0;
    rows_.push_back(i);
  }
  before_.resize(rows_.size());
}

class SignalSettler::Problem final : public NewtonProblem {
 public:
  Problem(SignalSettler& settler, State& state) : s_(settler), state_(state) {}
  void residual(std::span<double> r) override {
    s_.system_.residual(state_, shift, r);
    leave_others(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    s_.system_.tangent(state_, shift, {}, r, values);
    hold(s_.system_, s_.still_, values);
    leave_others(r);
  }
  void move(std::span<const double> du, double scale) override {
    for (const int i : s_.rows_) state_.value[s_.system_.value_of_row()[i]] += scale * du[i];
  }
  std::span<const double> weights() const override { return s_.weights_; }
  std::span<const double> most_left_over() const override { return s_.left_over_; }
  void rounded_sizes(std::span<double> size) const override {
    for (const int i : s_.rows_) size[i] = std::abs(state_.value[s_.system_.value_of_row()[i]]);
  }
  void magnitudes(std::span<double> size, std::span<double>) const override {
    for (const int i : s_.rows_) size[i] = std::abs(state_.value[s_.system_.value_of_row()[i]]);
  }

 private:
  static constexpr Shift shift{.acceleration = 1, .store = 1, .flow = 1};
  void leave_others(std::span<double> r) const {
    for (int i = 0; i < s_.system_.size(); ++i)
      if (s_.still_[i]) r[i] = 0;
  }
  SignalSettler& s_;
  State& state_;
};

NewtonReport SignalSettler::try_settle(State& state) {
  const auto at = system_.value_of_row();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const int i = rows_[k];
    before_[k] = state.value[at[i]];
    weights_[i] = 1 / (system_.nominal()[i] + std::abs(before_[k]));
    left_over_[i] = most_left_over(system_, i, std::abs(before_[k]));
  }
  Problem problem(*this, state);
  NewtonReport report = newton_.solve(problem);
  if (report.ok()) return report;
  for (std::size_t k = 0; k < rows_.size(); ++k) state.value[at[rows_[k]]] = before_[k];
  newton_.invalidate();
  return report;
}

void SignalSettler::settle(State& state) {
  const NewtonReport report = try_settle(state);
  if (report.ok()) return;
  throw ModelError("E-LOOP",
                   report.worst.empty() ? "signals" : system_.unknown_name(report.worst.front().row),
                   "signals have no consistent values after a sample: " + describe(report, system_),
                   "look at the loop of signals through the named rows");
}

std::vector<char> states_without_store(const System& system, const State& state) {
  const Range states = system.rows(Kind::state);
  const Pattern& p = system.pattern();
  std::vector<char> none(system.size(), 0);
  std::fill(none.begin() + states.begin, none.begin() + states.end, 1);
  if (states.size() == 0) return none;
  std::vector<double> values(p.nonzeros()), rows(system.size());
  system.tangent(state, Shift::stores(), {}, rows, values);
  for (int j = 0; j < system.size(); ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (values[k] != 0 && states.begin <= p.row[k] && p.row[k] < states.end) none[j] = none[p.row[k]] = 0;
  return none;
}

}  // namespace escapement
