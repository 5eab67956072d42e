// What else a beam is made of: damping in proportion to mass, loads along it, and readings at stations.
#pragma once
#include "components/beam/element.hpp"
#include "components/beam/inertia.hpp"
#include "components/body/lumped.hpp"
#include "components/body/rigid.hpp"
#include "core/adaptor.hpp"

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
    Rows<double, typename std::remove_cvref_t<decltype(z)>::Layout> momentum;
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

/// Strain and load at a station, from the segments on both sides of it.
struct Reading {
  Pose at;  // the station's node, whose sections stand as it does
  DampedSegment left, right;
  double weight;                         // of the left one; the right one has the rest
  std::array<Stiffness, 2> flexibility;  // of the sections in their middles

  auto variables() const { return std::tuple_cat(std::tie(at), left.variables(), right.variables()); }
  static constexpr int outputs = 12;
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Rotation<S> section = z(at).R;
    return S(weight * left.value_at<S>(z, flexibility[0], section, index) +
             (1 - weight) * right.value_at<S>(z, flexibility[1], section, index));
  }
};

/// … from an element of higher order that begins or ends there.
template <int order>
struct ElementReading {
  Element<order> of;
  int node;  // 0 or `order`

  auto variables() const { return of.variables(); }
  static constexpr int outputs = 12;
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    return of.template value_at<S>(z, node == 0 ? -1.0 : 1.0, z(of.at[node]).R, index);
  }
};

}  // namespace escapement::beam

// Instantiated in parts.cpp.
namespace escapement {
#define ESCAPEMENT_BEAM_PARTS(word)                                \
  word struct Adaptor<beam::Load>;                                 \
  word struct Adaptor<beam::MassDamping<beam::Inertia>>;           \
  word struct Adaptor<beam::MassDamping<beam::ElementInertia<2>>>; \
  word struct Adaptor<beam::MassDamping<beam::ElementInertia<3>>>; \
  word struct Adaptor<beam::MassDamping<body::Rigid>>;             \
  word struct Adaptor<beam::MassDamping<body::Eccentric>>;         \
  word struct Adaptor<beam::Reading>;                              \
  word struct Adaptor<beam::ElementReading<2>>;                    \
  word struct Adaptor<beam::ElementReading<3>>;
ESCAPEMENT_BEAM_PARTS(extern template)
}  // namespace escapement
