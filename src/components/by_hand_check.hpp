// For tests: hand-written rows and tangents against the differentiated functions.
#pragma once
#include <random>

#include "core/group.hpp"

namespace escapement {

/// Rows and tangent of one element by hand, against the differentiated functions.
template <class E>
double oracle_difference(E element, Manifold manifold) {
  using L = Layout<E>;
  Group<E> group;
  group.add(std::move(element));
  const E& e = group.elements()[0];
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0;
  for (int round = 0; round < 5; ++round) {
    Point<double, L> p{};
    p.z.frames = manifold;
    const std::vector<double> memory(Offers<E>::memory, 0.0);
    p.z.memory = memory.data();
    for (double& x : p.z.q) x = uniform(random);
    for (double& x : p.z.v) x = uniform(random);
    for (double& x : p.z.other) x = uniform(random);
    for (double& x : p.a) x = uniform(random);
    for (const Slot& s : position_slots<L>()) {
      if (s.manifold == Manifold::vector) continue;
      const Rotation<double> R =
          normalised({p.z.q[s.value], {{p.z.q[s.value + 1], p.z.q[s.value + 2], p.z.q[s.value + 3]}}});
      p.z.q[s.value] = R.w;
      for (int i = 0; i < 3; ++i) p.z.q[s.value + 1 + i] = R.u[i];
    }
    const auto compare = [&](const Shift& c, int count, auto&& finish) {
      Rows<double, L> rows;
      MotionTangent<L, Offers<E>::rates> t;
      e.motion(p.z, p.a, rows, &t);
      finish(rows, t);
      std::array<Dual<L::rows>, L::rows> exact{};
      add_rows(e, seeded<L>(p, c, {}), c, exact);
      for (int i = 0; i < count; ++i) {
        worst = std::max(worst, std::abs(rows.r[i] - exact[i].v));
        for (int j = 0; j < L::positions; ++j) {
          double mine = c.position * t.stiffness(i, j);
          if constexpr (Offers<E>::rates)
            mine += c.velocity * t.damping(i, j) + c.acceleration * t.mass(i, j);
          worst = std::max(worst, std::abs(mine - exact[i].d[j]));
        }
      }
    };
    for (const Shift& c : {Shift::stiffness(), Shift::damping(), Shift::mass()})
      compare(c, L::rows, [&](auto& rows, auto& t) {
        if constexpr (!Offers<E>::rates)
          if (manifold == Manifold::se3) turn_to_body_axes(p.z, rows, &t);
      });
    if (manifold == Manifold::se3) continue;
    for (Shift c : {Shift::momenta(), Shift{.momentum_rate = 0, .reaction = 0},
                    Shift{.momentum = 0.7, .momentum_rate = 0.3, .force = 0.6, .reaction = 0.4}}) {
      c.position = 0.8, c.velocity = 0.5, c.acceleration = 0.9;
      compare(c, L::positions, [&](auto& rows, auto& t) { Group<E>::weigh(p, c, rows, t); });
    }
  }
  return worst;
}

}  // namespace escapement
