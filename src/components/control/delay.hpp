// A transport delay: y(t) = u(t − τ), from what the input was at the ends of accepted steps.
#pragma once
#include <optional>

#include "core/dynamic.hpp"

namespace escapement::control {

/// Cubic between the samples of one smooth piece, never across a jump; so second order holds with any steps. Where the
/// delay is shorter than the step, the input's value at the end of the step takes part: an algebraic coupling.
class Delay final : public DynamicElement {
 public:
  Delay(Signal<1> input, Signal<1> output, double delay, std::optional<double> before);

  bool couples(int row, int) const override { return row == 1; }
  void evaluate(const Point& p, Parts& parts) const override;
  bool remembers() const override { return true; }
  double delay() const override { return delay_; }
  void remember(const Point& p, DelayHistory& history, bool fresh, double known) const override;
  double next_break(const DelayHistory& history) const override;
  void pass_break(double t, double slack, DelayHistory& history) const override;

 private:
  struct Value {
    double value, weight;  // of what is remembered, and of the input now
  };
  Value delayed(double t, const DelayHistory& history) const;

  double delay_;                  // s
  std::optional<double> before_;  // the input before the start; else as at the start
};

}  // namespace escapement::control
