// A point mass in the plane, and its weight.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct Mass {
  Position<2> at;
  double mass;               // kg
  Vec<2, double> gravity{};  // m/s²

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += mass * z.rate(at); }
  auto potential(const auto& z) const {
    const auto x = z(at);
    return -mass * (gravity[0] * x[0] + gravity[1] * x[1]);
  }
  auto energy(const auto& z) const {
    const auto v = z.rate(at);
    return 0.5 * mass * dot(v, v) + potential(z);
  }

  // Hot in chains: by hand (the functions above stay the oracle).
  static constexpr bool by_hand = true, rates = true;
  void parts(const auto&, const auto& a, const auto& out) const {
    for (int i = 0; i < 2; ++i) {
      out.row(i) = mass * (a[i] - gravity[i]);
      if (out.slopes()) out.mass(i, i) = mass;
    }
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::Mass>;
