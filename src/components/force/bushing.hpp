// An elastic bushing: six displacements of B's frame in the axes of A's, six loads, full 6×6 stiffness and damping.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::force {

/// The rotation vector of a rotation, within half a turn.
template <class S>
Vec3<S> rotation_vector(const Rotation<S>& R) {
  const double sign = value(R.w) < 0 ? -1 : 1;
  const S w = sign * R.w;
  const Vec3<S> u = sign * R.u;
  const S s = dot(u, u);
  if (value(s) < 1e-6) {  // 2 asin(√s)/√s = 2 (1 + s/6 + 3 s²/40 + 15 s³/336 + …)
    const S factor = 2.0 * (1.0 + s * (1.0 / 6 + s * (3.0 / 40 + s * (15.0 / 336))));
    return factor * u;
  }
  const S size = sqrt(s);
  return (2.0 * atan2(size, w) / size) * u;
}

struct Bushing {
  Pose a, b;
  Frame<double> on_a, on_b;
  std::array<std::array<double, 6>, 6> stiffness, damping;  // symmetric

  static constexpr int outputs = 12;  // load on B (force, torque), displacement (translation, rotation)
  auto variables() const { return std::tie(a, b); }

  /// Translation and rotation vector of B's frame in A's.
  template <class S>
  Vec<6, S> displacement(const auto& z) const {
    const Rotation<S> A = z(a).R * as<S>(on_a.R), B = z(b).R * as<S>(on_b.R);
    const Vec3<S> x = A.inverse() * (z(b) * as<S>(on_b.x) - z(a) * as<S>(on_a.x));
    const Vec3<S> r = rotation_vector(A.inverse() * B);
    return {{x[0], x[1], x[2], r[0], r[1], r[2]}};
  }
  /// Velocity of B's frame relative to A's, in A's axes.
  template <class S>
  Vec<6, S> velocity(const auto& z) const {
    const Frame<S> A = z(a), B = z(b);
    const Vec3<S> w_a = A.R * z.angular_velocity(a), w_b = B.R * z.angular_velocity(b);
    const Vec3<S> r_b = B.R * as<S>(on_b.x);
    const Vec3<S> v =
        z.linear_velocity(b) + cross(w_b, r_b) - z.linear_velocity(a) - cross(w_a, B.x + r_b - A.x);
    const Rotation<S> back = (A.R * as<S>(on_a.R)).inverse();
    const Vec3<S> x = back * v, w = back * (w_b - w_a);
    return {{x[0], x[1], x[2], w[0], w[1], w[2]}};
  }
  template <class S>
  static S square_form(const std::array<std::array<double, 6>, 6>& M, const Vec<6, S>& u) {
    S sum{};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (M[i][j] != 0) sum += M[i][j] * (u[i] * u[j]);
    return 0.5 * sum;
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return square_form(stiffness, displacement<S>(z));
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return square_form(damping, velocity<S>(z));
  }
  double loss(const auto& z) const { return 2 * dissipation(z); }
  double energy(const auto& z) const { return potential(z); }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec<6, S> u = displacement<S>(z);
    if (index >= 6) return u[index - 6];
    const Vec<6, S> v = velocity<S>(z);
    S load{};
    for (int j = 0; j < 6; ++j) load += stiffness[index][j] * u[j] + damping[index][j] * v[j];
    return load;
  }
};

}  // namespace escapement::force

extern template struct escapement::Adaptor<escapement::force::Bushing>;
