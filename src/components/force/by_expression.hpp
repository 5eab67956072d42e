// Loads on a frame by expressions of where it is, how it moves, and time; and drag.
#pragma once
#include "core/adaptor.hpp"
#include "model/expression.hpp"

namespace escapement::force {

/// What expressions may use: position and velocity (world axes), angular velocity (axes of the frame), time.
inline constexpr int frame_inputs = 10;

struct ByExpression {
  Pose at;
  Frame<double> on_body;
  std::array<std::shared_ptr<const Expression>, 6> load;  // force, torque; null: zero
  bool world = true;

  static constexpr int outputs = 6;
  auto variables() const { return std::tie(at); }
  int sides() const {
    int n = 0;
    for (const auto& e : load) n += e ? e->sides() : 0;
    return n;
  }
  void each_expression(const auto& z, const auto& f) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const auto in = inputs<S>(z);
    for (const auto& e : load)
      if (e) f(*e, in);
  }
  template <class S>
  std::array<S, frame_inputs> inputs(const auto& z) const {
    const Frame<S> frame = z(at);
    const Rotation<S> axes = as<S>(on_body.R);
    const Vec3<S> w = z.angular_velocity(at), x = frame * as<S>(on_body.x);
    const Vec3<S> v = z.linear_velocity(at) + frame.R * cross(w, as<S>(on_body.x));
    const Vec3<S> turning = axes.inverse() * w;
    return {x[0], x[1], x[2], v[0], v[1], v[2], turning[0], turning[1], turning[2], z.t};
  }
  template <class S>
  Vec<6, S> loads(const auto& z) const {
    const auto in = inputs<S>(z);
    Vec<6, S> result;
    for (int i = 0; i < 6; ++i)
      if (load[i]) result[i] = load[i]->template evaluate<S>(in, z.memory);
    return result;
  }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec<6, S> l = loads<S>(z);
    const Rotation<S> axes = world ? z(at).R.inverse() : as<S>(on_body.R);
    const Vec3<S> force = axes * Vec3<S>{{l[0], l[1], l[2]}}, torque = axes * Vec3<S>{{l[3], l[4], l[5]}};
    push(z, out, at, z(at).R * force, torque + cross(as<S>(on_body.x), force));
  }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return loads<S>(z)[index];
  }
};

/// Drag against a medium that may move: −(linear + quadratic |v|) v at a point of the body.
struct Drag {
  Pose at;
  Signal<1> wind_x, wind_y, wind_z;  // m/s, world axes
  Vector3 on_body;                   // m
  double linear, quadratic;          // N s/m, N s²/m²

  static constexpr int outputs = 3;  // force, world axes
  auto variables() const { return std::tie(at, wind_x, wind_y, wind_z); }
  template <class S>
  Vec3<S> force(const auto& z) const {
    const Vec3<S> wind{{z(wind_x), z(wind_y), z(wind_z)}};
    const Vec3<S> v = z.linear_velocity(at) + z(at).R * cross(z.angular_velocity(at), as<S>(on_body)) - wind;
    const S square_speed = dot(v, v);
    const S speed = value(square_speed) > 0 ? S(sqrt(square_speed)) : S(0.0);
    return (-linear - quadratic * speed) * v;
  }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec3<S> f = force<S>(z);
    push(z, out, at, f, cross(as<S>(on_body), z(at).R.inverse() * f));
  }
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return force<S>(z)[index];
  }
};

}  // namespace escapement::force

extern template struct escapement::Adaptor<escapement::force::ByExpression>;
extern template struct escapement::Adaptor<escapement::force::Drag>;
