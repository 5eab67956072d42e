// A force on a slider (or a torque on a shaft): from a signal, or constant. With a second end it also reacts there.
#pragma once
#include "core/adaptor.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

struct Force {
  Position<1> at;
  Signal<1> input;  // N, positive along the axis
  Position<1> reaction = {};

  auto variables() const { return std::tie(at, input, reaction); }
  void flow(const auto& z, auto& out) const {
    out(at) -= z(input);
    out(reaction) += z(input);
  }
};

void build_force(Build& b, const char* force, const char* unit);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Force>;
