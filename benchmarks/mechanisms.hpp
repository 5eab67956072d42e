// Mechanisms of rigid bodies that grow: a chain on hinges whose axes alternate, and the N-four-bar.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "components/body/rigid.hpp"
#include "components/joint/joint.hpp"
#include "core/system.hpp"

namespace escapement::benchmarks {

/// The marker whose z is the body's axis `axis` (1 or 2).
inline Rotation<double> marker_along(int axis) {
  if (axis == 2) return {};
  return from_axes({{0, 0, 1}}, {{1, 0, 0}}, {{0, 1, 0}});
}

/// "chain of 10 bodies", "10 four-bars".
inline std::string chain_name(int n) {
  return "chain of " + std::to_string(n) + (n == 1 ? " body" : " bodies");
}
inline std::string four_bars_name(int n) { return std::to_string(n) + (n == 1 ? " four-bar" : " four-bars"); }

/// A turn about one axis.
inline Rotation<double> turn(int axis, double angle) {
  Vector3 w;
  w[axis] = angle;
  return exp_so3(w);
}

/// n bars of 1 m and 1 kg, 0.1 m thick, their x along the bar, weight along −z. Bar i turns against the one before (the
/// first against ground) about its y for even i, about its z for odd i. At rest, bent in space: the first two hinges stand
/// at 0.6 rad from the vertical, all others at 1 rad in sum.
struct HingeChain {
  static constexpr double mass = 1, length = 1, thickness = 0.1, g = 9.81;
  static constexpr double slim = mass * thickness * thickness / 6,
                          wide = mass * (length * length + thickness * thickness) / 12;
  int n;
  std::vector<Pose> bar;
  System system;

  explicit HingeChain(int bars) : n(bars), system(build()) {}

  static int axis(int i) { return 1 + i % 2; }
  static double angle(int i, int n) { return i < 2 ? 0.6 : 1.0 / n; }
  static Rotation<double> down() { return turn(1, 0.5 * M_PI); }  // x along the weight

  State initial() const {
    State s = system.state();
    Frame<double> end{down(), {}};
    for (int i = 0; i < n; ++i) {
      const Rotation<double> R = normalised(end.R * turn(axis(i), angle(i, n)));
      const Vector3 half = R * Vector3{{0.5 * length, 0, 0}}, x = end.x + half;
      const auto q = system.value(s, bar[i]);
      q[0] = R.w;
      for (int k = 0; k < 3; ++k) {
        q[1 + k] = R.u[k];
        q[4 + k] = x[k];
      }
      end = {R, x + half};
    }
    return s;
  }
  Vector3 tip(const State& s) const {
    const auto q = system.value(s, bar[n - 1]);
    const Rotation<double> R{q[0], {{q[1], q[2], q[3]}}};
    return Vector3{{q[4], q[5], q[6]}} + R * Vector3{{0.5 * length, 0, 0}};
  }

 private:
  System build() {
    SystemBuilder b;
    for (int i = 0; i < n; ++i) {
      const std::string name = "bar" + std::to_string(i);
      bar.push_back(b.pose(name, {.unit = "m", .nominal = n * length}));
      const auto load = b.multiplier<5>(name + ".load", {.unit = "N", .nominal = n * mass * g});
      b.add(body::Rigid{bar[i], mass, diagonal(slim, wide, wide), {{0, 0, -g}}});
      const Rotation<double> marker = marker_along(axis(i));
      const Vector3 half{{0.5 * length, 0, 0}};
      const Frame<double> on_ground{down() * marker, {}}, on_end{marker, half}, on_begin{marker, -half};
      b.add(joint::revolute(i > 0 ? bar[i - 1] : Pose{}, bar[i], load, i > 0 ? on_end : on_ground, on_begin));
    }
    return b.finish();
  }
};

/// N four-bar linkages in a row (IFToMM benchmark A02): N + 1 uprights, hinged to ground 1 m apart, and N couplers between
/// their upper ends; 2 N + 1 slender bars of 1 m and 1 kg, weight along −y, one degree of freedom. Upright at first, and
/// the upper ends move along x at 1 m/s. Hinges about z hold the uprights on ground and each coupler on the upright at its
/// left; at its right two equations, along x and y, close the loop: no constraint is redundant but where all bars lie on
/// one line.
struct FourBars {
  static constexpr double mass = 1, length = 1, g = 9.81, slim = 1e-4, wide = mass * length * length / 12;
  int n;
  std::vector<Pose> upright, coupler;
  System system;

  explicit FourBars(int loops) : n(loops), system(build()) {}

  /// x of a bar along the bar.
  State initial() const {
    State s = system.state();
    const Rotation<double> up = turn(2, 0.5 * M_PI);
    for (int i = 0; i <= n; ++i) {
      const auto q = system.value(s, upright[i]);
      q[0] = up.w;
      q[3] = up.u[2];
      q[4] = i * length;
      q[5] = 0.5 * length;
      const auto v = system.rate(s, upright[i]);
      v[0] = 0.5;
      v[5] = -1.0 / length;
    }
    for (int i = 0; i < n; ++i) {
      const auto q = system.value(s, coupler[i]);
      q[4] = (i + 0.5) * length;
      q[5] = length;
      system.rate(s, coupler[i])[0] = 1.0;
    }
    return s;
  }
  /// The upper end of the first upright.
  Vector3 tip(const State& s) const {
    const auto q = system.value(s, upright[0]);
    const Rotation<double> R{q[0], {{q[1], q[2], q[3]}}};
    return Vector3{{q[4], q[5], q[6]}} + R * Vector3{{0.5 * length, 0, 0}};
  }
  double energy(const State& s) const {
    double sum = 0;
    for (const auto& group : system.groups()) sum += group->power(s).energy;
    return sum;
  }

 private:
  System build() {
    SystemBuilder b;
    const Vector3 half{{0.5 * length, 0, 0}};
    const auto bar = [&](const std::string& name) {
      const Pose at = b.pose(name, {.unit = "m", .nominal = n * length});
      b.add(body::Rigid{at, mass, diagonal(slim, wide, wide), {{0, -g, 0}}});
      return at;
    };
    for (int i = 0; i <= n; ++i) {
      const std::string number = std::to_string(i);
      upright.push_back(bar("upright" + number));
      const auto load = b.multiplier<5>("ground" + number);
      b.add(joint::revolute({}, upright[i], load, {{}, {{i * length, 0, 0}}}, {{}, -half}));
      if (i == 0) continue;
      const Pose between = coupler.emplace_back(bar("coupler" + number));
      const auto left = b.multiplier<5>("left" + number);
      b.add(joint::revolute(upright[i - 1], between, left, {{}, half}, {{}, -half}));
      const auto right = b.multiplier<2>("right" + number);
      using enum joint::Equation::Kind;
      b.add(joint::Joint<2>{
          between, upright[i], right, {{}, half}, {{}, half}, {{{coincide, 0}, {coincide, 1}}}});
    }
    return b.finish();
  }
};

}  // namespace escapement::benchmarks
