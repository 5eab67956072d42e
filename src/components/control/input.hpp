// A signal from outside: whoever steps the model sets its value, which is memory.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

struct Input {
  Signal<1> output;

  static constexpr int memory = 1;
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output) - z.memory[0]; }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Input>;
