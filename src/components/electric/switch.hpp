// Switches: a resistance that a signal changes, at once or smoothly.
#pragma once
#include <cmath>

#include "components/electric/passive.hpp"

namespace escapement::electric {

/// On above threshold + hysteresis, off below threshold − hysteresis; an event in between. Without hysteresis it is off where its
/// control has come to rest at the threshold.
struct Switch {
  Terminal a, b;
  Current current;
  Signal<1> input;
  double threshold, hysteresis;
  double on_resistance, off_conductance;  // ohm, S

  static constexpr int memory = 1;  // 0 off, 1 on
  static constexpr int crossings = 1;
  auto variables() const { return std::tie(a, b, current, input); }
  void flow(const auto& z, auto& out) const {
    if (z.memory[0] != 0) out(current) += z(a) - z(b) - on_resistance * z(current);
    else out(current) += off_conductance * (z(a) - z(b)) - z(current);
    out(a) += z(current);
    out(b) -= z(current);
  }
  /// A billionth beyond its threshold: there rounding decides nothing.
  double crossing(const auto& z, int) const {
    const double least = 1e-9 * (1 + std::abs(threshold));
    return least +
           (z.memory[0] != 0 ? z(input) - (threshold - hysteresis) : threshold + hysteresis - z(input));
  }
  bool ends_at_zero(const auto& z, int) const {
    return z.memory[0] != 0 && hysteresis == 0 && z(input) == threshold;
  }
  Continuation cross(const auto&, int, double* on) const {
    *on = *on != 0 ? 0 : 1;
    return Continuation::jump;
  }
};

/// The logarithm of its conductance goes along a tanh.
struct SmoothSwitch {
  Terminal a, b;
  Signal<1> input;
  double threshold, width;
  double middle, half;  // of the logarithm of the conductance in S

  static constexpr int outputs = 1;  // current
  auto variables() const { return std::tie(a, b, input); }
  auto output(const auto& z, int) const {
    return (z(a) - z(b)) * exp(middle + half * tanh((z(input) - threshold) / width));
  }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0);
    out(a) += i;
    out(b) -= i;
  }
};

}  // namespace escapement::electric
