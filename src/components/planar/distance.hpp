// Two points of the plane at a fixed distance: Φ = |b − a| − length; the multiplier is the tension (N).
#pragma once
#include "core/adaptor.hpp"

namespace escapement::planar {

struct Distance {
  Position<2> a, b;
  Multiplier<1> tension;
  double length;  // m

  auto variables() const { return std::tie(a, b, tension); }
  void violation(const auto& z, auto& out) const { out(tension) += norm(z(b) - z(a)) - length; }

  // Hot in chains: by hand. With n = d/|d| and P = (I − n nᵀ)/|d|: force λ n, stiffness λ P.
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const double dx = z.q[2] - z.q[0], dy = z.q[3] - z.q[1];
    const double size = std::sqrt(dx * dx + dy * dy), lambda = z.other[0];
    const double n[2] = {dx / size, dy / size};
    for (int i = 0; i < 2; ++i) {
      out.row(i) = -lambda * n[i];
      out.row(2 + i) = lambda * n[i];
    }
    out.row(4) = size - length;
    if (!out.slopes()) return;
    const double s = lambda / size;
    const double P[2][2] = {{s * n[1] * n[1], -s * n[0] * n[1]}, {-s * n[0] * n[1], s * n[0] * n[0]}};
    for (int i = 0; i < 2; ++i) {
      out.stiffness(4, i) = -n[i];
      out.stiffness(4, 2 + i) = n[i];
      for (int j = 0; j < 2; ++j) {
        out.stiffness(i, j) = out.stiffness(2 + i, 2 + j) = P[i][j];
        out.stiffness(i, 2 + j) = out.stiffness(2 + i, j) = -P[i][j];
      }
    }
  }
};

}  // namespace escapement::planar

extern template struct escapement::Adaptor<escapement::planar::Distance>;
