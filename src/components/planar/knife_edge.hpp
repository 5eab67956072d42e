// A knife edge (skate, blade) at the reference point of a planar body: no velocity across the heading.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct KnifeEdge {
  Position<3> at;           // x, y (m), heading (rad)
  SlipMultiplier<1> force;  // N, across the blade

  auto variables() const { return std::tie(at, force); }
  void slip(const auto& z, auto& out) const {
    const auto q = z(at), v = z.rate(at);
    out(force) += cos(q[2]) * v[1] - sin(q[2]) * v[0];
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::KnifeEdge>;
