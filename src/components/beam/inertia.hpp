// The mass of an element, its velocity interpolated between the nodes (linear between two), and its weight. Rotary inertia is with
// the nodes (body::Rigid without mass).
#pragma once
#include "components/beam/rule.hpp"
#include "core/adaptor.hpp"

namespace escapement::beam {

template <int order>
struct ElementInertia {
  std::array<Pose, order + 1> at;
  double mass;        // kg
  Vector3 gravity{};  // m/s²

  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, at);
  }
  void store(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    for (int i = 0; i <= order; ++i) {
      Vec3<S> p;
      for (int j = 0; j <= order; ++j) p += (mass * rule<order>().mass[i][j]) * z.linear_velocity(at[j]);
      if (z.frames == Manifold::se3) p = z(at[i]).R.inverse() * p;
      for (int k = 0; k < 3; ++k) out(at[i])[k] += p[k];
    }
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    S sum(0.0);
    for (int i = 0; i <= order; ++i) sum -= (mass * rule<order>().share[i]) * dot(as<S>(gravity), z(at[i]).x);
    return sum;
  }
  double energy(const auto& z) const {
    double sum = potential(z);
    for (int i = 0; i <= order; ++i)
      for (int j = 0; j <= order; ++j)
        sum +=
            0.5 * mass * rule<order>().mass[i][j] * dot(z.linear_velocity(at[i]), z.linear_velocity(at[j]));
    return sum;
  }

  // By hand: world acceleration a, on SE(3) R (v̇ + ω × v); rows in world axes, on SE(3) in those of the nodes.
  static constexpr bool by_hand = true, rates = true;
  void parts(const auto& z, const auto& a_given, const auto& out) const {
    constexpr int n = order + 1;
    const bool se3 = z.frames == Manifold::se3;
    const auto& rule = beam::rule<order>();
    const auto part = [&](const auto& x, int i) { return Vector3{{x[i], x[i + 1], x[i + 2]}}; };
    Rotation<double> R[n];
    Vector3 local[n], world[n], v[n], w[n];
    for (int i = 0; i < n; ++i) {
      R[i] = z(at[i]).R;
      v[i] = part(z.v, 6 * i);
      w[i] = part(z.v, 6 * i + 3);
      local[i] = part(a_given, 6 * i);
      if (se3) local[i] += cross(w[i], v[i]);
      world[i] = se3 ? R[i] * local[i] : local[i];
    }
    for (int i = 0; i < n; ++i) {
      Vector3 force = (-mass * rule.share[i]) * gravity;
      for (int j = 0; j < n; ++j) force += (mass * rule.mass[i][j]) * world[j];
      const Vector3 row = se3 ? R[i].inverse() * force : force;
      for (int k = 0; k < 3; ++k) out.row(6 * i + k) = row[k];
      if (!out.slopes()) continue;
      for (int j = 0; j < n; ++j) {
        const double share = mass * rule.mass[i][j];
        if (!se3) {
          for (int k = 0; k < 3; ++k) out.mass(6 * i + k, 6 * j + k) = share;
          continue;
        }
        const Matrix3 turn = share * (transposed(matrix(R[i])) * matrix(R[j]));
        const Matrix3 W = turn * hat(w[j]), V = (-1.0) * (turn * hat(v[j])),
                      A = (-1.0) * (turn * hat(local[j]));
        const Matrix3 own = i == j ? hat(row) : Matrix3{};
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) {
            out.mass(6 * i + k, 6 * j + l) = turn.m[k][l];
            out.damping(6 * i + k, 6 * j + l) = W.m[k][l];
            out.damping(6 * i + k, 6 * j + 3 + l) = V.m[k][l];
            out.stiffness(6 * i + k, 6 * j + 3 + l) = A.m[k][l] + own.m[k][l];
          }
      }
    }
  }
};

/// Of a segment: a third of its mass with each end, a sixth between them (T-beam-3).
using Inertia = ElementInertia<1>;

}  // namespace escapement::beam

extern template struct escapement::Adaptor<escapement::beam::ElementInertia<1>>;
extern template struct escapement::Adaptor<escapement::beam::ElementInertia<2>>;
extern template struct escapement::Adaptor<escapement::beam::ElementInertia<3>>;
