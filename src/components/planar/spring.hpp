// A linear spring between two points of the plane; force positive in tension.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct Spring {
  Position<2> a, b;
  double stiffness;    // N/m
  double rest_length;  // m

  static constexpr int outputs = 2;  // force, elongation
  auto variables() const { return std::tie(a, b); }
  auto potential(const auto& z) const { return 0.5 * stiffness * square(norm(z(b) - z(a)) - rest_length); }
  auto output(const auto& z, int index) const {
    const auto elongation = norm(z(b) - z(a)) - rest_length;
    return index == 0 ? stiffness * elongation : elongation;
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::Spring>;
