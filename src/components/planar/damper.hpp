// A viscous damper along the line between two points of the plane.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct Damper {
  Position<2> a, b;
  double damping;  // N s/m

  static constexpr int outputs = 2;  // force, velocity
  auto variables() const { return std::tie(a, b); }
  auto dissipation(const auto& z) const { return 0.5 * loss(z); }
  auto loss(const auto& z) const {
    const auto d = z(b) - z(a);
    return damping * square(dot(d, z.rate(b) - z.rate(a))) / dot(d, d);
  }
  auto output(const auto& z, int index) const {
    const auto d = z(b) - z(a);
    const auto velocity = dot(d, z.rate(b) - z.rate(a)) / norm(d);
    return index == 0 ? damping * velocity : velocity;
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::Damper>;
