// A spring and damper along the line between two points of bodies. Tension is positive.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::force {

struct SpringDamper {
  Pose a, b;
  Vector3 on_a, on_b;  // m, from the bodies' nodes
  double stiffness;    // N/m
  double damping;      // N s/m
  double rest_length;  // m

  static constexpr int outputs = 4;  // tension, length, its rate, elongation
  auto variables() const { return std::tie(a, b); }
  template <class S>
  Vec3<S> arm(const auto& z) const {
    return z(b) * as<S>(on_b) - z(a) * as<S>(on_a);
  }
  /// Rate of the length.
  template <class S>
  S rate(const auto& z) const {
    const Vec3<S> d = arm<S>(z);
    const Vec3<S> v_a = z.linear_velocity(a) + z(a).R * cross(z.angular_velocity(a), as<S>(on_a));
    const Vec3<S> v_b = z.linear_velocity(b) + z(b).R * cross(z.angular_velocity(b), as<S>(on_b));
    return dot(d, v_b - v_a) / norm(d);
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return 0.5 * stiffness * square(norm(arm<S>(z)) - rest_length);
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return 0.5 * damping * square(rate<S>(z));
  }
  double loss(const auto& z) const { return 2 * dissipation(z); }
  double energy(const auto& z) const { return potential(z); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S length = norm(arm<S>(z));
    if (index == 1) return length;
    if (index == 2) return rate<S>(z);
    if (index == 3) return S(length - rest_length);
    return stiffness * (length - rest_length) + damping * rate<S>(z);
  }
};

}  // namespace escapement::force

extern template struct escapement::Adaptor<escapement::force::SpringDamper>;
