// A hanging chain of n point masses in the plane, each at a fixed distance of the one before: 3 n unknowns.
#pragma once
#include <cmath>

#include "components/planar/distance.hpp"
#include "components/planar/mass.hpp"
#include "core/system.hpp"

namespace escapement::benchmarks {

struct Chain {
  int n;
  System system;
  explicit Chain(int masses) : n(masses), system(build(masses)) {}
  /// Straight, at rest, half a radian from the vertical: it swings like a rope.
  State initial() const {
    State s = system.state();
    for (int i = 0; i < n; ++i) {
      s.value[2 * i] = std::sin(0.5) * (i + 1) / n;
      s.value[2 * i + 1] = -std::cos(0.5) * (i + 1) / n;
    }
    return s;
  }

 private:
  static System build(int masses) {
    SystemBuilder b;
    Position<2> previous;
    for (int i = 0; i < masses; ++i) {
      const std::string name = "m" + std::to_string(i);
      const auto q = b.position<2>(name + ".position", {.unit = "m"});
      const auto l = b.multiplier<1>(name + ".tension", {.unit = "N"});
      b.add(planar::Mass{q, 1.0 / masses, {{0.0, -9.81}}});
      b.add(planar::Distance{previous, q, l, 1.0 / masses});
      previous = q;
    }
    return b.finish();
  }
};

}  // namespace escapement::benchmarks
