// Bars that carry tension alone or compression, too, between points: of bodies, or free.
#pragma once
#include "core/adaptor.hpp"

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

/// Tension over axial stiffness of one that bears no compression: max(e, 0), with the corner rounded within a millionth of
/// strain, and its integral (T-cable-1).
template <class S>
S taut(const S& e) {
  constexpr double corner = 1e-6;
  const S root = sqrt(e * e + corner * corner);
  // e + root without cancellation where e < 0
  return value(e) > 0 ? S(0.5 * (e + root)) : S(0.5 * corner * corner / (root - e));
}
template <class S>
S taut_energy(const S& e) {
  constexpr double corner = 1e-6;
  const S n = taut(e);
  // ½ (n² + ¼ c² ln(2n/c)) + …: its derivative is n
  return 0.5 * n * n + (0.25 * corner * corner) * log(n / corner);
}

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
  S strain_of(const Vec3<S>& way) const {
    return sqrt(dot(way, way)) / length - 1.0;
  }
  template <class S>
  S strain(const auto& z) const {
    return strain_of<S>(b.position(z) - a.position(z));
  }
  /// N, but for what viscosity adds.
  template <class S>
  S elastic_tension(const S& strain) const {
    return axial * (tension_only ? taut(strain) : strain);
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S e = strain<S>(z);
    return tension_only ? S(axial * length * taut_energy(e)) : S(0.5 * axial * length * e * e);
  }
  template <class S>
  S strain_rate(const auto& z) const {
    const Vec3<S> way = b.position(z) - a.position(z);
    return dot(way, b.velocity(z) - a.velocity(z)) / (length * sqrt(dot(way, way)));
  }
  /// The part of it that is taut resists being stretched faster.
  template <class S>
  S tightness(const auto& z) const {
    if (!tension_only) return S(1.0);
    const S n = taut(strain<S>(z));
    return n * n / (n * n + 0.25e-12);  // dn/de
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    if (viscosity == 0) return S(0.0);
    const S rate = strain_rate<S>(z);
    return S(0.5 * axial * viscosity * length * tightness<S>(z) * rate * rate);
  }
  double energy(const auto& z) const { return potential(z); }
  double loss(const auto& z) const { return 2 * dissipation(z); }
  template <class S>
  S tension(const auto& z) const {
    const S e = strain<S>(z), n = tension_only ? taut(e) : e;
    return axial * (n + viscosity * tightness<S>(z) * strain_rate<S>(z));
  }
};

/// The tension at an end: from the bar there and the next, whose own tension is that of their middles.
template <class Outer>
struct EndTension {
  Outer outer;
  Bar<FreePoint, FreePoint> next;
  auto variables() const { return std::tuple_cat(outer.variables(), next.variables()); }
  static constexpr int outputs = 1;
  auto output(const auto& z, int) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return S(1.5 * outer.template tension<S>(z) - 0.5 * next.template tension<S>(z));
  }
};
/// … of a single bar.
template <class Only>
struct BarTension {
  Only bar;
  auto variables() const { return bar.variables(); }
  static constexpr int outputs = 1;
  auto output(const auto& z, int) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return bar.template tension<S>(z);
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

/// Where a node is, and its velocity.
struct PointReading {
  Position<3> at;
  auto variables() const { return std::tie(at); }
  static constexpr int outputs = 6;
  auto output(const auto& z, int index) const { return index < 3 ? z(at)[index] : z.rate(at)[index - 3]; }
};

}  // namespace escapement::beam
