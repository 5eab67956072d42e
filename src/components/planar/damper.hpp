// A viscous damper along the line between two points of the plane.
#pragma once
#include "core/group.hpp"

namespace escapement::planar {

struct Damper {
  Position<2> a, b;
  double damping;  // N s/m

  auto variables() const { return std::tie(a, b); }
  auto dissipation(const auto& z) const { return 0.5 * loss(z); }
  auto loss(const auto& z) const {
    const auto d = z(b) - z(a);
    return damping * square(dot(d, z.rate(b) - z.rate(a))) / dot(d, d);
  }
};

}  // namespace escapement::planar

extern template class escapement::Group<escapement::planar::Damper>;
