// A signal that is a function of time, and of how often it has jumped. Time is no unknown and a signal's row is never
// differentiated in time, so plain numbers do and all sources share one element.
#pragma once
#include <functional>

#include "core/adaptor.hpp"

namespace escapement::control {

struct TimeSource {
  using Function = std::function<double(double t, double jumps)>;
  using Phases = std::function<void(double t, std::vector<double>& angles)>;
  Signal<1> output;
  Function function;
  Phases angles = {};  // of a wave: the angles whose sines it takes (T-phase)

  static constexpr int memory = 1;  // what the source's events say: which side of a jump holds
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - function(value(z.t), z.memory[0]); }
  void phases(const auto& z, std::vector<double>& list) const {
    if (angles) angles(z.t, list);
  }
  /// Those of one wave of this circular frequency, rad/s.
  static Phases of_wave(double omega) {
    return [omega](double t, std::vector<double>& list) { list.push_back(omega * t); };
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::TimeSource>;
