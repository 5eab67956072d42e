// A signal that equals the acceleration of a slider, exactly at every step: d/dt(−v) + y = 0  (T-one-3).
#pragma once
#include "core/group.hpp"

namespace escapement::translational {

struct Accelerometer {
  Position<1> at;
  Signal<1> output;  // m/s²

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at, output); }
  void store(const auto& z, auto& out) const { out(output) -= z.rate(at); }
  void flow(const auto& z, auto& out) const { out(output) += z(output); }
};

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Accelerometer>;
