// A force on a slider, given by a signal (N, positive along the axis).
#pragma once
#include "core/group.hpp"

namespace escapement::translational {

struct Force {
  Position<1> at;
  Signal<1> input;

  auto variables() const { return std::tie(at, input); }
  void flow(const auto& z, auto& out) const { out(at) -= z(input); }
};

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Force>;
