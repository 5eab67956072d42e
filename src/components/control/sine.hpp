// A sine wave of time.
#pragma once
#include <numbers>

#include "core/adaptor.hpp"

namespace escapement::control {

struct Sine {
  Signal<1> output;
  double amplitude, frequency, phase, offset;  // 1, Hz, rad, 1

  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const {
    out(output) += z(output) - offset - amplitude * sin(2 * std::numbers::pi * frequency * z.t + phase);
  }
  void phases(const auto& z, std::vector<double>& angles) const {
    angles.push_back(2 * std::numbers::pi * frequency * z.t);
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Sine>;
