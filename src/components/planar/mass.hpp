// A point mass in the plane, and its weight.
#pragma once
#include "core/group.hpp"

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

  // Hot in chains: rows and tangent by hand (the functions above stay the oracle).
  static constexpr bool analytic = true;
  template <class L>
  void assemble(const Values<double, L>& z, const std::array<double, 2>& a, const Shift& c,
                Rows<double, L>& r, auto* k) const {
    for (int i = 0; i < 2; ++i) {
      r.r[i] = mass * (c.momentum * z.v[i] + c.momentum_rate * a[i] - c.force * gravity[i]);
      if (k) (*k)(at, i, at, i) = mass * (c.momentum * c.velocity + c.momentum_rate * c.acceleration);
    }
  }
};

}  // namespace escapement::planar

extern template class escapement::Group<escapement::planar::Mass>;
