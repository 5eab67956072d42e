// A rigid body in the plane: reference point and heading, centre of mass at (offset, 0) of its own axes.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct Body {
  Position<3> at;            // x, y of the reference point (m), heading (rad)
  double mass;               // kg
  double inertia;            // kg m², about the centre of mass
  double offset = 0;         // m, of the centre of mass ahead of the reference point
  Vec<2, double> gravity{};  // m/s²

  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const {  // momentum: the mass matrix depends on the heading
    const auto q = z(at), v = z.rate(at);
    const auto c = cos(q[2]), s = sin(q[2]);
    out(at)[0] += mass * (v[0] - offset * s * v[2]);
    out(at)[1] += mass * (v[1] + offset * c * v[2]);
    out(at)[2] += mass * offset * (c * v[1] - s * v[0]) + (inertia + mass * offset * offset) * v[2];
  }
  auto potential(const auto& z) const {
    const auto q = z(at);
    return -mass * (gravity[0] * (q[0] + offset * cos(q[2])) + gravity[1] * (q[1] + offset * sin(q[2])));
  }
  void phases(const auto& z, std::vector<double>& angles) const { angles.push_back(z(at)[2]); }
  auto energy(const auto& z) const {
    const auto q = z(at), v = z.rate(at);
    const auto vx = v[0] - offset * sin(q[2]) * v[2], vy = v[1] + offset * cos(q[2]) * v[2];
    return 0.5 * mass * (vx * vx + vy * vy) + 0.5 * inertia * v[2] * v[2] + potential(z);
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::Body>;
