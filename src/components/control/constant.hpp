// A signal with a constant value.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

struct Constant {
  Signal<1> output;
  double value;

  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - value; }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Constant>;
