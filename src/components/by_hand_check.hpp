// For tests: hand-written rows and slopes against the differentiated functions.
#pragma once
#include <random>

#include "core/system.hpp"

namespace escapement {

/// The largest difference at random points, for matrices and weights as steppers and analyses ask for them.
template <class E>
double oracle_difference(E element, Manifold manifold) {
  using L = Layout<E>;
  auto elements = std::make_shared<ElementsOf<E>>();
  elements->add(std::move(element));
  ElementGroup group(Adaptor<E>::type, elements);
  group.number_handles(0);
  group.frames = manifold;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> q(L::values), v(L::positions), a(L::positions), other(L::others);
  const std::vector<double> memory(Offers<E>::memory, 0.0);
  double worst = 0;
  for (int round = 0; round < 5; ++round) {
    for (auto* x : {&q, &v, &other, &a})
      for (double& number : *x) number = uniform(random);
    for (const Slot& s : position_slots<L>()) {
      if (s.manifold == Manifold::vector) continue;
      const Rotation<double> R = normalised({q[s.value], {{q[s.value + 1], q[s.value + 2], q[s.value + 3]}}});
      q[s.value] = R.w;
      for (int i = 0; i < 3; ++i) q[s.value + 1 + i] = R.u[i];
    }
    const LocalPoint p{q.data(), v.data(), a.data(), other.data(), 0, manifold, memory.data()};
    const auto compare = [&](const Shift& c) {
      worst = std::max(worst, group.oracle_difference((*elements)[0], p, c).largest);
    };
    for (const Shift& c : {Shift::stiffness(), Shift::damping(), Shift::mass()}) compare(c);
    if (manifold == Manifold::se3) continue;  // no discrete Lagrangian
    for (Shift c : {Shift::momenta(), Shift{.momentum_rate = 0, .reaction = 0},
                    Shift{.momentum = 0.7, .momentum_rate = 0.3, .force = 0.6, .reaction = 0.4}}) {
      c.position = 0.8, c.velocity = 0.5, c.acceleration = 0.9;
      compare(c);
    }
  }
  return worst;
}

/// All outputs of an element as signals.
template <class E>
void tap_outputs(SystemBuilder& b, const E& element, const std::string& name) {
  const ElementId id = b.add(element);
  for (int i = 0; i < E::outputs; ++i) b.tap_output(id, i, b.signal<1>(name + std::to_string(i)));
}

}  // namespace escapement
