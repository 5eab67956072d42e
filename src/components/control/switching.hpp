// Signals that jump: which level holds is memory, and the steps of the integrator end where it changes.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/adaptor.hpp"
#include "core/bend.hpp"

namespace escapement::control {

/// Two levels: from low to high where input − other rises above `upper`, back where it falls below `lower`.
struct TwoPoint {
  Signal<1> input, other, output;
  double lower, upper, low, high;
  int at_threshold = -1;  // the level where both are equal: 0 low, 1 high; -1 the one it had

  static constexpr int memory = 1;  // 0 low, 1 high
  static constexpr int crossings = 1;
  auto variables() const { return std::tie(input, other, output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - (z.memory[0] != 0 ? high : low); }
  double crossing(const auto& z, int) const {
    const double u = z(input) - z(other);
    return z.memory[0] != 0 ? u - lower : upper - u;
  }
  bool ends_at_zero(const auto& z, int) const {
    const bool high_now = z.memory[0] != 0;
    return at_threshold >= 0 && high_now != (at_threshold == 1) &&
           equal_but_for_rounding(z(input), z(other) + (high_now ? lower : upper));
  }
  Continuation cross(const auto&, int, double* level) const {
    *level = *level != 0 ? 0 : 1;
    return Continuation::jump;
  }
};

/// The multiple of an interval nearest to the input.
struct Stairs {
  Signal<1> input, output;
  double interval;

  static constexpr int memory = 1;  // which multiple
  static constexpr int crossings = 2;
  auto variables() const { return std::tie(input, output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - interval * z.memory[0]; }
  double crossing(const auto& z, int i) const {
    const double middle = z(input) / interval - z.memory[0];
    return i == 0 ? middle + 0.5 : 0.5 - middle;
  }
  Continuation cross(const auto& z, int i, double* level) const {
    const double nearest = std::round(z(input) / interval);
    *level = i == 0 ? std::min(*level - 1, nearest) : std::max(*level + 1, nearest);
    return Continuation::jump;
  }
};

/// A value that events set, or samples.
struct Held {
  Signal<1> output;

  static constexpr int memory = 1;
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - z.memory[0]; }
};

/// Fires where its signal passes zero, which itself counts as positive.
struct Trigger {
  Signal<1> watched;
  bool rising, falling;

  static constexpr int memory = 1;  // 0 not known yet, −1 below zero, 1 above
  static constexpr int crossings = 1;
  auto variables() const { return std::tie(watched); }
  double crossing(const auto& z, int) const { return z.memory[0] == 0 ? -1.0 : z.memory[0] * z(watched); }
  bool ends_at_zero(const auto& z, int) const { return z.memory[0] < 0 && z(watched) == 0; }
  Continuation cross(const auto& z, int, double* side) const {
    if (*side == 0) {
      *side = z(watched) < 0 ? -1 : 1;
      return Continuation::none;
    }
    *side = -*side;
    return (*side > 0 ? rising : falling) ? Continuation::jump : Continuation::none;
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::TwoPoint>;
extern template struct escapement::Adaptor<escapement::control::Stairs>;
extern template struct escapement::Adaptor<escapement::control::Held>;
extern template struct escapement::Adaptor<escapement::control::Trigger>;
