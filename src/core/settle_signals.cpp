#include "core/settle_signals.hpp"

#include <algorithm>
#include <cmath>

#include "core/start.hpp"

namespace escapement {

SignalSettler::SignalSettler(const System& system)
    : system_(system),
      newton_(system, 0, {.tolerance = 1e-13, .max_iterations = 50}),
      still_(system.size(), 1),
      weights_(system.size(), 0.0) {
  const Range signals = system.rows(Kind::algebraic);
  std::fill(still_.begin() + signals.begin, still_.begin() + signals.end, 0);
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
    const Range signals = s_.system_.rows(Kind::algebraic);
    for (int i = signals.begin; i < signals.end; ++i)
      state_.value[s_.system_.value_of_row()[i]] += scale * du[i];
  }
  std::span<const double> weights() const override { return s_.weights_; }
  void magnitudes(std::span<double> size, std::span<double>) const override {
    const Range signals = s_.system_.rows(Kind::algebraic);
    for (int i = signals.begin; i < signals.end; ++i)
      size[i] = std::abs(state_.value[s_.system_.value_of_row()[i]]);
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

void SignalSettler::settle(State& state) {
  const Range signals = system_.rows(Kind::algebraic);
  for (int i = signals.begin; i < signals.end; ++i)
    weights_[i] = 1 / (system_.nominal()[i] + std::abs(state.value[system_.value_of_row()[i]]));
  Problem problem(*this, state);
  const NewtonReport report = newton_.solve(problem);
  if (report.ok()) return;
  throw ModelError("E-LOOP",
                   report.worst.empty() ? "signals" : system_.unknown_name(report.worst.front().row),
                   "signals have no consistent values after a sample: " + describe(report, system_),
                   "look at the loop of signals through the named rows");
}

}  // namespace escapement
