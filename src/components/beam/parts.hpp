// What else a beam is made of: damping in proportion to mass, loads along it, and readings at stations.
#pragma once
#include "components/beam/segment.hpp"

namespace escapement::beam {

/// Loses the momentum of something at a rate: damping in proportion to mass.
template <class E>
struct MassDamping {
  E of;
  double rate;  // 1/s
  auto variables() const { return of.variables(); }
  void flow(const auto& z, auto& out) const {
    std::remove_cvref_t<decltype(out)> momentum;
    of.store(z, momentum);
    for (std::size_t i = 0; i < out.r.size(); ++i) out.r[i] += rate * momentum.r[i];
  }
  double loss(const auto& z) const {
    Rows<double, typename std::remove_cvref_t<decltype(z)>::Sizes> momentum;
    of.store(z, momentum);
    double sum = 0;
    for (std::size_t i = 0; i < z.v.size(); ++i) sum += rate * z.v[i] * momentum.r[i];
    return sum;
  }
};

/// A node's share of the loads along a beam: dead, and turning with the section.
struct Load {
  Pose at;
  Signal<1> factor;  // times this …
  double constant;   // … plus this
  Vector3 force{};   // N, world axes
  Frame<double> section{};
  Vector3 follower{}, moment{};  // N, N·m, section axes

  auto variables() const { return std::tie(at, factor); }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const S f = z(factor) + constant;
    const Vec3<S> turning = as<S>(section.R * follower);
    const Vec3<S> dead = as<S>(force), world = dead + z(at).R * turning;
    const Vec3<S> torque =
        as<S>(section.R * moment) + cross(as<S>(section.x), turning + z(at).R.inverse() * dead);
    push(z, out, at, f * world, f * torque);
  }
};

/// Strain and load at a station, from the elements on both sides of it.
template <class E>
struct Reading {
  Pose at;  // the station's node, whose sections stand as it does
  E left, right;
  double left_place, right_place;  // in the element, −1 … 1
  double weight;                   // of the left one; the right one has the rest

  auto variables() const { return std::tuple_cat(std::tie(at), left.variables(), right.variables()); }
  static constexpr int outputs = 12;
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Rotation<S> section = z(at).R;
    return S(weight * left.template value_at<S>(z, left_place, section, index) +
             (1 - weight) * right.template value_at<S>(z, right_place, section, index));
  }
};

}  // namespace escapement::beam
