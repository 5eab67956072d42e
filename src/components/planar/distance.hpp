// Two points of the plane at a fixed distance: Φ = |b − a| − length; the multiplier is the tension (N).
#pragma once
#include "core/group.hpp"

namespace escapement::planar {

struct Distance {
  Position<2> a, b;
  Multiplier<1> tension;
  double length;  // m

  auto variables() const { return std::tie(a, b, tension); }
  void violation(const auto& z, auto& out) const { out(tension) += norm(z(b) - z(a)) - length; }

  // Hot in chains: rows and tangent by hand. With n = d/|d| and P = (I − n nᵀ)/|d|: force λ n, stiffness λ P.
  static constexpr bool analytic = true;
  template <class L>
  void assemble(const Values<double, L>& z, const std::array<double, 4>&, const Shift& c, Rows<double, L>& r,
                auto* k) const {
    const double dx = z.q[2] - z.q[0], dy = z.q[3] - z.q[1];
    const double size = std::sqrt(dx * dx + dy * dy), lambda = z.other[0];
    const double n[2] = {dx / size, dy / size};
    for (int i = 0; i < 2; ++i) {
      r.r[i] = -c.reaction * lambda * n[i];
      r.r[2 + i] = c.reaction * lambda * n[i];
    }
    r.r[4] = c.holonomic_scale * (size - length);
    if (!k) return;
    const double s = c.reaction * c.position * lambda / size;
    const double stiffness[2][2] = {{s * n[1] * n[1], -s * n[0] * n[1]}, {-s * n[0] * n[1], s * n[0] * n[0]}};
    for (int i = 0; i < 2; ++i) {
      const double row = c.holonomic_scale * c.position * n[i];
      (*k)(tension, 0, a, i) = -row;
      (*k)(tension, 0, b, i) = row;
      (*k)(a, i, tension, 0) = -c.reaction * n[i];
      (*k)(b, i, tension, 0) = c.reaction * n[i];
      for (int j = 0; j < 2; ++j) {
        (*k)(a, i, a, j) = (*k)(b, i, b, j) = stiffness[i][j];
        (*k)(a, i, b, j) = (*k)(b, i, a, j) = -stiffness[i][j];
      }
    }
  }
};

}  // namespace escapement::planar

extern template class escapement::Group<escapement::planar::Distance>;
