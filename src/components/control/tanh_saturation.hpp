// Smooth saturation: y = limit · tanh(u / limit).
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

struct TanhSaturation {
  Signal<1> input, output;
  double limit;

  auto variables() const { return std::tie(input, output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - limit * tanh(z(input) / limit); }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::TanhSaturation>;
