// A viscous damper between two sliders.
#pragma once
#include "core/group.hpp"

namespace escapement::translational {

struct Damper {
  Position<1> a, b;
  double damping;  // N s/m

  auto variables() const { return std::tie(a, b); }
  auto dissipation(const auto& z) const { return 0.5 * damping * square(z.rate(b) - z.rate(a)); }
  auto loss(const auto& z) const { return damping * square(z.rate(b) - z.rate(a)); }
};

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Damper>;
