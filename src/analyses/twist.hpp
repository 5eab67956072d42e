// Twists: how frames on SE(3) move, seen from space and in their own axes.
#pragma once
#include <span>

#include "core/system.hpp"

namespace escapement {

inline Vector3 at(std::span<const double> x, int i) { return {{x[i], x[i + 1], x[i + 2]}}; }
inline void put(std::span<double> x, int i, const Vector3& a) {
  for (int k = 0; k < 3; ++k) x[i + k] = a[k];
}
inline Rotation<double> rotation(const State& state, const LieVariable& v) {
  return {state.value[v.place.value], at(state.value, v.place.value + 1)};
}

/// In world axes; the linear part is that of the point at the origin.
struct Twist {
  Vector3 linear{}, angular{};

  /// Of a frame (or an orientation).
  static Twist of(const State& state, const LieVariable& v) {
    const auto R = rotation(state, v);
    Twist twist{{}, R * at(state.rate, v.place.row + v.dofs() - 3)};
    if (v.dofs() == 6)
      twist.linear =
          R * at(state.rate, v.place.row) - cross(twist.angular, at(state.value, v.place.value + 4));
    return twist;
  }
  /// In the axes of the frame, where it is now: into the rows of it.
  void seen_from(const State& state, const LieVariable& v, std::span<double> rows) const {
    const auto back = rotation(state, v).inverse();
    put(rows, v.place.row + v.dofs() - 3, back * angular);
    if (v.dofs() == 6)
      put(rows, v.place.row, back * (linear + cross(angular, at(state.value, v.place.value + 4))));
  }
};

}  // namespace escapement
