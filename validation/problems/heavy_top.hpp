// The heavy top (Brüls, Cardona & Arnold): a rigid body on a ball joint, on SO(3) × ℝ³ and on SE(3), and the exact
// motion of a body that turns about a fixed point, by Taylor series of order 24 in extended precision.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "components/body/rigid.hpp"
#include "components/joint/joint.hpp"
#include "core/system.hpp"

namespace escapement::problems {

/// Rotation of a body about a fixed point (or a free body about its centre of mass), principal inertias `inertia`
/// there, centre of mass `arm` away, weight `weight` along −z: q̇ = ½ q∘Ω, IΩ̇ = IΩ × Ω − arm × Rᵀ(weight e_z).
/// All products are quadratic, so the Taylor coefficients follow one from the other without error; a polynomial per
/// interval gives the motion at any time.
class RotationMotion {
 public:
  RotationMotion(std::array<double, 3> inertia, Vector3 arm, double weight, Vector3 omega0)
      : I_{inertia[0], inertia[1], inertia[2]}, arm_{arm[0], arm[1], arm[2]}, weight_(weight) {
    interval_ = 0.5L / norm(omega0);  // (0.5)²⁵/25! is far below the last digit
    pieces_.push_back(series({1, 0, 0, 0, omega0[0], omega0[1], omega0[2]}));
  }

  struct At {
    Rotation<double> R;
    Vector3 omega, alpha;  // angular velocity and acceleration, body axes
  };
  At at(double t) {
    const auto k = static_cast<std::size_t>(t / interval_);
    while (pieces_.size() <= k) pieces_.push_back(series(sum(pieces_.back(), interval_)));
    const Values y = sum(pieces_[k], t - k * interval_), d = derivative(y);
    const auto three = [](const Values& v) {
      return Vector3{{static_cast<double>(v[4]), static_cast<double>(v[5]), static_cast<double>(v[6])}};
    };
    return {{static_cast<double>(y[0]),
             {{static_cast<double>(y[1]), static_cast<double>(y[2]), static_cast<double>(y[3])}}},
            three(y),
            three(d)};
  }

 private:
  static constexpr int order = 24;
  using Values = std::array<long double, 7>;  // quaternion (w, x, y, z), Ω
  using Series = std::array<Values, order + 1>;

  /// Coefficient n of the right-hand side, from the coefficients 0 … n of the solution.
  Values coefficient(const Series& c, int n) const {
    const auto product = [&](int i, int j) {
      long double s = 0;
      for (int k = 0; k <= n; ++k) s += c[k][i] * c[n - k][j];
      return s;
    };
    const long double down[3] = {-weight_ * 2 * (product(1, 3) - product(0, 2)),  // weight in body axes
                                 -weight_ * 2 * (product(2, 3) + product(0, 1)),
                                 -weight_ * (product(0, 0) - product(1, 1) - product(2, 2) + product(3, 3))};
    Values d;
    d[0] = -0.5L * (product(1, 4) + product(2, 5) + product(3, 6));
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d[1 + i] = 0.5L * (product(0, 4 + i) + product(1 + j, 4 + k) - product(1 + k, 4 + j));
      d[4 + i] = ((I_[j] - I_[k]) * product(4 + j, 4 + k) + arm_[j] * down[k] - arm_[k] * down[j]) / I_[i];
    }
    return d;
  }
  Values derivative(const Values& y) const {
    Series c{};
    c[0] = y;
    return coefficient(c, 0);
  }
  Series series(const Values& start) const {
    Series c{};
    c[0] = start;
    for (int n = 0; n < order; ++n) {
      const Values d = coefficient(c, n);
      for (int i = 0; i < 7; ++i) c[n + 1][i] = d[i] / (n + 1);
    }
    return c;
  }
  static Values sum(const Series& c, long double t) {
    Values y = c[order];
    for (int n = order - 1; n >= 0; --n)
      for (int i = 0; i < 7; ++i) y[i] = y[i] * t + c[n][i];
    return y;
  }

  long double I_[3], arm_[3], weight_, interval_;
  std::vector<Series> pieces_;
};

/// Everything about a top at one instant, in the same terms for both formulations and for the exact motion.
struct TopQuantities {
  Vector3 x;  // centre of mass, world axes
  Rotation<double> R;
  Vector3 velocity;      // of the centre of mass, world axes
  Vector3 omega;         // body axes
  Vector3 acceleration;  // of the centre of mass, world axes
  Vector3 alpha;         // body axes
  Vector3 force;         // of the top on its support (the multiplier), world axes
};

struct HeavyTopData {
  static constexpr double mass = 15, J1 = 0.234375, J2 = 0.46875, J3 = 0.234375, g = 9.81;
  static constexpr Vector3 arm{{0, 1, 0}}, omega0{{0, 150, -4.61538}}, gravity{{0, 0, -g}};
};

/// The exact motion; the reaction from the balance of forces.
class HeavyTopMotion {
 public:
  TopQuantities at(double t) {
    const auto m = rotation_.at(t);
    TopQuantities r;
    r.R = m.R;
    r.omega = m.omega;
    r.alpha = m.alpha;
    const Vector3 v = cross(m.omega, Top::arm);
    r.x = m.R * Top::arm;
    r.velocity = m.R * v;
    r.acceleration = m.R * (cross(m.alpha, Top::arm) + cross(m.omega, v));
    r.force = Top::mass * (Top::gravity - r.acceleration);
    return r;
  }

 private:
  using Top = HeavyTopData;
  RotationMotion rotation_{
      {Top::J1 + Top::mass, Top::J2, Top::J3 + Top::mass}, Top::arm, Top::mass* Top::g, Top::omega0};
};

inline Vector3 vector3(std::span<const double> x, int first = 0) {
  return {{x[first], x[first + 1], x[first + 2]}};
}

/// As a frame on ℝ³×SO(3) or on SE(3).
template <Manifold manifold>
struct HeavyTopOn : HeavyTopData {
  static constexpr bool se3 = manifold == Manifold::se3;
  static constexpr const char* name = se3 ? "SE(3)" : "SO(3) x R3";
  Pose at;
  Multiplier<3> force;
  System system = build();

  /// `speed`: all velocities relative to the problem's own.
  State initial(double speed = 1) const {
    State s = system.state();
    const Vector3 omega = speed * omega0, v = cross(omega, arm);
    for (int i = 0; i < 3; ++i) {
      system.value(s, at)[4 + i] = arm[i];
      system.rate(s, at)[i] = v[i];
      system.rate(s, at)[3 + i] = omega[i];
    }
    return s;
  }
  TopQuantities quantities(const State& s) const {
    const auto q = system.value(s, at), v = system.rate(s, at), a = system.acceleration(s, at);
    const Rotation<double> R{q[0], vector3(q, 1)};
    const Vector3 linear = vector3(v), omega = vector3(v, 3);
    return {vector3(q, 4),
            R,
            se3 ? R * linear : linear,
            omega,
            se3 ? R * (vector3(a) + cross(omega, linear)) : vector3(a),
            vector3(a, 3),
            vector3(system.value(s, force))};
  }

 private:
  System build() {
    SystemBuilder builder;
    builder.frames_move_on(manifold);
    at = builder.pose("top.frame", {.unit = "m"});
    force = builder.multiplier<3>("joint.force", {.unit = "N", .nominal = 100});
    builder.add(body::Rigid{at, mass, diagonal(J1, J2, J3), gravity});
    builder.add(joint::spherical({}, at, force, {}, -arm));
    return builder.finish();
  }
};
using HeavyTop = HeavyTopOn<Manifold::r3so3>;
using HeavyTopPose = HeavyTopOn<Manifold::se3>;

/// Frobenius norm of the difference of two rotation matrices.
inline double distance(const Rotation<double>& a, const Rotation<double>& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    Vector3 e;
    e[i] = 1;
    const Vector3 d = a * e - b * e;
    sum += dot(d, d);
  }
  return std::sqrt(sum);
}

}  // namespace escapement::problems
