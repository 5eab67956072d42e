// The mass of a segment, its velocity linear between the ends, and its weight. Rotary inertia is with the nodes (body::Rigid
// without mass).
#pragma once
#include "core/group.hpp"

namespace escapement::beam {

struct Inertia {
  Pose a, b;
  double mass;        // kg
  Vector3 gravity{};  // m/s²

  auto variables() const { return std::tie(a, b); }
  void store(const auto& z, auto& out) const {
    const auto va = z.linear_velocity(a), vb = z.linear_velocity(b);
    add(z, out, a, (mass / 6) * (2.0 * va + vb));
    add(z, out, b, (mass / 6) * (va + 2.0 * vb));
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return -0.5 * mass * dot(as<S>(gravity), z(a).x + z(b).x);
  }
  double energy(const auto& z) const {
    const auto va = z.linear_velocity(a), vb = z.linear_velocity(b);
    return mass / 6 * (dot(va, va) + dot(va, vb) + dot(vb, vb)) + potential(z);
  }

  // By hand: world acceleration a, on SE(3) R (v̇ + ω × v); rows in world axes, on SE(3) in those of the nodes.
  static constexpr bool by_hand = true, rates = true;
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 12>& a_given, Rows<double, L>& r,
              MotionTangent<L, true>* t) const {
    const bool se3 = z.frames == Manifold::se3;
    const Pose* nodes[2] = {&a, &b};
    const auto part = [&](const auto& x, int i) { return Vector3{{x[i], x[i + 1], x[i + 2]}}; };
    Rotation<double> R[2];
    Vector3 local[2], world[2], v[2], w[2];
    for (int i = 0; i < 2; ++i) {
      R[i] = z(*nodes[i]).R;
      v[i] = part(z.v, 6 * i);
      w[i] = part(z.v, 6 * i + 3);
      local[i] = part(a_given, 6 * i);
      if (se3) local[i] += cross(w[i], v[i]);
      world[i] = se3 ? R[i] * local[i] : local[i];
    }
    for (int i = 0; i < 2; ++i) {
      const Vector3 force = (mass / 6) * (2.0 * world[i] + world[1 - i]) - (0.5 * mass) * gravity;
      const Vector3 row = se3 ? R[i].inverse() * force : force;
      for (int k = 0; k < 3; ++k) r.r[6 * i + k] = row[k];
      if (!t) continue;
      for (int j = 0; j < 2; ++j) {
        const double share = mass / (i == j ? 3 : 6);
        if (!se3) {
          for (int k = 0; k < 3; ++k) t->mass(6 * i + k, 6 * j + k) = share;
          continue;
        }
        const Matrix3 turn = share * (transposed(matrix(R[i])) * matrix(R[j]));
        const Matrix3 W = turn * hat(w[j]), V = (-1.0) * (turn * hat(v[j])),
                      A = (-1.0) * (turn * hat(local[j]));
        const Matrix3 own = i == j ? hat(row) : Matrix3{};
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) {
            t->mass(6 * i + k, 6 * j + l) = turn.m[k][l];
            t->damping(6 * i + k, 6 * j + l) = W.m[k][l];
            t->damping(6 * i + k, 6 * j + 3 + l) = V.m[k][l];
            t->stiffness(6 * i + k, 6 * j + 3 + l) = A.m[k][l] + own.m[k][l];
          }
      }
    }
  }

 private:
  template <class S, class L>
  static void add(const Values<S, L>& z, Rows<S, L>& out, const Pose& at, const Vec3<S>& momentum) {
    const Vec3<S> p = z.frames == Manifold::se3 ? z(at).R.inverse() * momentum : momentum;
    for (int i = 0; i < 3; ++i) out(at)[i] += p[i];
  }
};

}  // namespace escapement::beam

extern template class escapement::Group<escapement::beam::Inertia>;
