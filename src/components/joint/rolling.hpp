// Wheels and spheres that roll on a plane without slipping, and knife edges.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::joint {

/// A plane fixed in the world: a point, its normal and two directions in it.
struct Plane {
  Vector3 point{}, normal{{0, 0, 1}}, along{{1, 0, 0}}, across{{0, 1, 0}};
};

/// A wheel of this radius about an axle of the body, with a tyre of round section; radius 0 is a sphere of that section.
/// Φ = height of its lowest point; k = velocity of the body's own point there, in the plane (held = 2), or along the heading
/// of the wheel alone (held = 1).
template <int held>
struct Rolling {
  Pose at;
  Multiplier<1> normal;
  SlipMultiplier<held> grip;
  Vector3 centre, axle;    // m and direction, body axes
  double radius, section;  // m
  Plane plane;

  static constexpr int outputs =
      6;  // contact point (world), force of the plane on the wheel: normal, along, across
  auto variables() const { return std::tie(at, normal, grip); }
  /// From the centre to the lowest point.
  template <class S>
  Vec3<S> lever(const Frame<S>& body) const {
    const Vec3<S> n = as<S>(plane.normal);
    if (radius == 0) return -section * n;
    const Vec3<S> a = body.R * as<S>(axle);
    const Vec3<S> up = n - dot(n, a) * a;  // in the wheel's plane
    return (-radius / norm(up)) * up - section * n;
  }
  /// Where the wheel is heading, in the plane.
  template <class S>
  Vec3<S> heading(const Frame<S>& body) const {
    const Vec3<S> ahead = cross(body.R * as<S>(axle), as<S>(plane.normal));
    return (S(1) / norm(ahead)) * ahead;
  }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Frame<S> body = z(at);
    out(normal) += dot(as<S>(plane.normal), body * as<S>(centre) + lever(body) - as<S>(plane.point));
  }
  void slip(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Frame<S> body = z(at);
    const Vec3<S> w = body.R * z.angular_velocity(at);
    const Vec3<S> v = z.linear_velocity(at) + cross(w, body.R * as<S>(centre) + lever(body));
    if constexpr (held == 1) {
      out(grip) += dot(heading(body), v);
    } else {
      const auto k = out(grip);
      k[0] += dot(as<S>(plane.along), v);
      k[1] += dot(as<S>(plane.across), v);
    }
  }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    if (index < 3) {
      const Frame<S> body = z(at);
      return S((body * as<S>(centre) + lever(body))[index]);
    }
    if (index == 3) return S(-z(normal));
    if constexpr (held == 1)
      return S(-z(grip) * dot(heading(z(at)), as<S>(index == 4 ? plane.along : plane.across)));
    else return S(-z(grip)[index - 4]);
  }
};

/// A blade: its point does not move sideways.
struct Blade {
  Pose at;
  SlipMultiplier<1> side;
  Vector3 point, sideways;  // m and direction, body axes

  static constexpr int outputs = 1;  // force of the ground on the blade, along `sideways`
  auto variables() const { return std::tie(at, side); }
  void slip(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Rotation<S> R = z(at).R;
    const Vec3<S> v = z.linear_velocity(at) + R * cross(z.angular_velocity(at), as<S>(point));
    out(side) += dot(R * as<S>(sideways), v);
  }
  auto output(const auto& z, int) const { return -z(side); }
};

}  // namespace escapement::joint

extern template struct escapement::Adaptor<escapement::joint::Rolling<1>>;
extern template struct escapement::Adaptor<escapement::joint::Rolling<2>>;
extern template struct escapement::Adaptor<escapement::joint::Blade>;
