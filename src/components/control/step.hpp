// A signal that jumps once. Which side of the jump holds is memory, so a step of the integrator may end exactly there.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

struct Step {
  Signal<1> output;
  double before, after;

  static constexpr int memory = 1;  // 0 before the jump, 1 after it
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const {
    out(output) += z(output) - (z.memory[0] != 0 ? after : before);
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Step>;
