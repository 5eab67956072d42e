// A torsion spring and damper about an axis of A: the angle of B about it, counted through whole turns.
#pragma once
#include "components/joint/coordinate.hpp"

namespace escapement::force {

struct Torsion {
  Pose a, b;
  joint::Measure angle;
  double stiffness;   // N m/rad
  double damping;     // N m s/rad
  double rest_angle;  // rad

  static constexpr int memory = joint::Turns::memory;
  static constexpr int outputs = 2;  // torque, angle
  auto variables() const { return std::tie(a, b); }
  template <class S>
  S turned(const auto& z) const {
    return joint::Turns::counted<S>(angle, z, a, b);
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return 0.5 * stiffness * square(turned<S>(z) - rest_angle);
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return 0.5 * damping * square(angle.rate<S>(z, a, b));
  }
  double loss(const auto& z) const { return 2 * dissipation(z); }
  double energy(const auto& z) const { return potential(z); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S phi = turned<S>(z);
    if (index == 1) return phi;
    return stiffness * (phi - rest_angle) + damping * angle.rate<S>(z, a, b);
  }
  void accept(const auto& z, double* last) const { joint::Turns::remember(angle, z, a, b, last); }
};

}  // namespace escapement::force

extern template struct escapement::Adaptor<escapement::force::Torsion>;
