// A linear spring between two sliders; force positive in tension.
#pragma once
#include "core/group.hpp"

namespace escapement::translational {

struct Spring {
  Position<1> a, b;
  double stiffness;        // N/m
  double rest_length = 0;  // m, of b − a

  auto variables() const { return std::tie(a, b); }
  auto potential(const auto& z) const { return 0.5 * stiffness * square(z(b) - z(a) - rest_length); }
};

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Spring>;
