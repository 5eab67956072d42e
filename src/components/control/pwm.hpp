// A modulator of pulse widths: on at the beginning of every period, off once its input has fallen below the carrier.
#pragma once
#include <cmath>

#include "core/adaptor.hpp"

namespace escapement::control {

/// High while input (low … high) is above a sawtooth that rises from low to high in every period. With `three_level` the output is
/// 0 between the pulses, whose sign is that of the input.
struct PulseWidth {
  Signal<1> input, output;
  double period;  // s
  double low, high;
  bool three_level = false;

  static constexpr int memory =
      1;  // within a pulse: which one, from 1 on; set by a timetable at the beginning of every period
  static constexpr int crossings = 1;
  auto variables() const { return std::tie(input, output); }
  void flow(const auto& z, auto& out) const {
    const bool on = z.memory[0] != 0;
    if (three_level) out(output) += z(output) - (on ? (value(z(input)) < 0 ? low : high) : 0.0);
    else out(output) += z(output) - (on ? high : low);
  }
  double crossing(const auto& z, int) const {
    if (z.memory[0] == 0) return 1.0;
    const double phase = z.t / period - (z.memory[0] - 1);  // of this pulse, also where the next one begins
    const double duty = three_level ? std::abs(z(input)) / high : (z(input) - low) / (high - low);
    return duty - phase;
  }
  Continuation cross(const auto&, int, double* on) const {
    *on = 0;
    return Continuation::jump;
  }
};

}  // namespace escapement::control
