// Bars that carry tension alone or compression, too, between points: of bodies, or free.
#pragma once
#include "core/group.hpp"

namespace escapement::beam {

/// A point fixed to a body …
struct BodyPoint {
  Pose node;
  Vector3 arm{};  // m, axes of the node
  auto variables() const { return std::tie(node); }
  auto position(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return z(node) * as<S>(arm);
  }
  auto velocity(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return z.linear_velocity(node) + z(node).R * cross(z.angular_velocity(node), as<S>(arm));
  }
  template <class S>
  void add(const auto& z, auto& out, const Vec3<S>& momentum) const {
    const Vec3<S> body = z(node).R.inverse() * momentum;
    const Vec3<S> linear = z.frames == Manifold::se3 ? body : momentum, angular = cross(as<S>(arm), body);
    for (int i = 0; i < 3; ++i) {
      out(node)[i] += linear[i];
      out(node)[3 + i] += angular[i];
    }
  }
};
/// … or a node of its own.
struct FreePoint {
  Position<3> node;
  auto variables() const { return std::tie(node); }
  auto position(const auto& z) const { return z(node); }
  auto velocity(const auto& z) const { return z.rate(node); }
  template <class S>
  void add(const auto&, auto& out, const Vec3<S>& momentum) const {
    out(node) += momentum;
  }
};

/// A straight bar: its force follows its elongation (T-cable-1).
template <class A, class B>
struct Bar {
  A a;
  B b;
  double length;      // m, unloaded
  double axial;       // N per strain
  double viscosity;   // s
  bool tension_only;  // slack instead of compression

  auto variables() const { return std::tuple_cat(a.variables(), b.variables()); }
  template <class S>
  S strain(const auto& z) const {
    const Vec3<S> way = b.position(z) - a.position(z);
    return sqrt(dot(way, way)) / length - 1.0;
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S e = strain<S>(z);
    return tension_only && value(e) < 0 ? S(0.0) : S(0.5 * axial * length * e * e);
  }
  template <class S>
  S strain_rate(const auto& z) const {
    const Vec3<S> way = b.position(z) - a.position(z);
    return dot(way, b.velocity(z) - a.velocity(z)) / (length * sqrt(dot(way, way)));
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    if (viscosity == 0 || (tension_only && value(strain<S>(z)) < 0)) return S(0.0);
    const S rate = strain_rate<S>(z);
    return S(0.5 * axial * viscosity * length * rate * rate);
  }
  double energy(const auto& z) const { return potential(z); }
  double loss(const auto& z) const { return 2 * dissipation(z); }

  static constexpr int outputs = 2;  // tension, strain
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S e = strain<S>(z);
    if (index == 1) return e;
    if (tension_only && value(e) < 0) return S(0.0);
    return S(axial * (e + viscosity * strain_rate<S>(z)));
  }
};

/// Its mass, with a velocity that changes evenly from one end to the other, and its weight.
template <class A, class B>
struct BarInertia {
  A a;
  B b;
  double mass;        // kg
  Vector3 gravity{};  // m/s²

  auto variables() const { return std::tuple_cat(a.variables(), b.variables()); }
  void store(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec3<S> va = a.velocity(z), vb = b.velocity(z);
    a.template add<S>(z, out, (mass / 6) * (2.0 * va + vb));
    b.template add<S>(z, out, (mass / 6) * (va + 2.0 * vb));
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec3<S> sum = a.position(z) + b.position(z);
    return S(-0.5 * mass * dot(as<S>(gravity), sum));
  }
  double energy(const auto& z) const {
    const auto va = a.velocity(z), vb = b.velocity(z);
    return mass / 6 * (dot(va, va) + dot(va, vb) + dot(vb, vb)) + potential(z);
  }
};

}  // namespace escapement::beam
