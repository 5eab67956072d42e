// What the consistent start and the operating point share: Newton's unknowns are the accelerations of positions and the
// values of everything else.
#pragma once
#include "core/newton.hpp"
#include "core/projection.hpp"

namespace escapement {

class StartProblem : public NewtonProblem {
 public:
  std::span<const double> weights() const override { return weights_; }
  std::span<const double> most_left_over() const override { return left_over_; }
  void rounded_sizes(std::span<double> size) const override;
  void move(std::span<const double> du, double scale) override;
  void magnitudes(std::span<double> size, std::span<double> noise) const override;

 protected:
  /// `extra` unknowns after those of the system.
  StartProblem(const System& system, State& state, const StartOptions& options, int extra = 0);
  /// Relative to the larger of nominal and present magnitude, kind by kind (accelerations have no nominal); multipliers of
  /// constraints that may depend on each other are not determined: their forces are judged through v̇.
  void set_weights();
  /// Signals that are not known yet are zero, where a quotient has no value and a limiter is on the wrong side. Rows that
  /// have a value determine their signal by substitution, sweep by sweep, until nothing moves any more; in a loop that
  /// does not settle, until all rows have a value. `pattern`: of the tangent. False if that leads nowhere.
  bool substitute_signals(const Pattern& pattern);

  const System& system_;
  State& state_;
  const StartOptions& options_;
  std::vector<double> scale_;  // what an increment of one means to each unknown
  std::vector<double> weights_, left_over_;
};

}  // namespace escapement
