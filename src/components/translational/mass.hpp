// A mass that slides along a line; the same element is a rotational inertia.
#pragma once
#include "core/adaptor.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

struct Mass {
  Position<1> at;
  double mass;  // kg

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += mass * z.rate(at); }
  auto energy(const auto& z) const { return 0.5 * mass * square(z.rate(at)); }
};

/// `inertia` and `position`: what this domain calls them.
void build_inertia(Build& b, const char* inertia, const char* position);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Mass>;
