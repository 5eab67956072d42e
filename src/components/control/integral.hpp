// The rate of an integral that minds limits and a reset.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/adaptor.hpp"

namespace escapement::control {

/// d/dt x = limited((1 − s) w) + s (reset_value − x) / reset_time,   w = gain (input − measurement),
/// where s runs from 0 to 1 while `reset` runs from ¼ to ¾. While the demand is beyond a limit and w pushes it further
/// out, |w| is reduced by the excess over tracking_time, at most to zero: continuous, with slopes of at most
/// 1/tracking_time.
struct Integral {
  Signal<1> input, measurement, demand, reset;
  StateVariable<1> state;
  double gain;
  double minimum = -std::numeric_limits<double>::infinity(), maximum = -minimum;  // of the demand
  double tracking_time = 1;                                                       // s
  double reset_value = 0, reset_time = 1;                                         // s

  static constexpr int kinks = 1;  // does the excess stop it? Without limits: does the reset?
  auto variables() const { return std::tie(input, measurement, demand, reset, state); }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z(state))>;
    const S level = 2.0 * z(reset) - 0.5;
    const S s = value(level) <= 0 ? S(0.0) : value(level) >= 1 ? S(1.0) : level;
    const S w = (1.0 - s) * rate(z);
    out(state) -= s * (reset_value - z(state)) / reset_time;
    const S over = z(demand) - maximum, under = minimum - z(demand);
    if (value(w) > 0 && value(over) > 0) {
      if (const S left = w - over / tracking_time; value(left) > 0) out(state) -= left;
    } else if (value(w) < 0 && value(under) > 0) {
      if (const S left = w + under / tracking_time; value(left) < 0) out(state) -= left;
    } else {
      out(state) -= w;
    }
  }
  double kink(const auto& z, int) const {
    const double w = value(rate(z)), d = value(z(demand)), excess = std::max(d - maximum, minimum - d);
    return std::isfinite(excess) ? excess - std::abs(w) * tracking_time : value(z(reset)) - 0.5;
  }

 private:
  auto rate(const auto& z) const { return gain * (z(input) - z(measurement)); }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Integral>;
