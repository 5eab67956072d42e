// Planar pendula in Cartesian coordinates: point masses at fixed distances (index 3), with exact references by a
// high-order integration of the angle form in extended precision.
#pragma once
#include <cmath>

#include "components/planar/distance.hpp"
#include "components/planar/mass.hpp"
#include "core/system.hpp"

namespace escapement::problems {

/// m = L = 1 unless said: x = sin θ, y = −cos θ.
struct Pendulum {
  Position<2> q;
  Multiplier<1> tension;
  System system;
  double g;

  explicit Pendulum(double gravity = 9.81, int copies = 1) : system(build(gravity, copies)), g(gravity) {}
  State initial(double theta, double omega) const {
    State s = system.state();
    auto x = system.value(s, q);
    auto v = system.rate(s, q);
    x[0] = std::sin(theta), x[1] = -std::cos(theta);
    v[0] = omega * std::cos(theta), v[1] = omega * std::sin(theta);
    return s;
  }

 private:
  System build(double gravity, int copies) {
    SystemBuilder builder;
    q = builder.position<2>("bob.position", {.unit = "m"});
    builder.add(planar::Mass{q, 1.0, {{0.0, -gravity}}});
    for (int i = 0; i < copies; ++i) {
      const auto lambda = builder.multiplier<1>("rod" + (i ? std::to_string(i + 1) : "") + ".tension");
      if (i == 0) tension = lambda;
      builder.add(planar::Distance{{}, q, lambda, 1.0});
    }
    return builder.finish();
  }
};

/// Exact pendulum motion θ̈ = −g sin θ by classical Runge–Kutta in long double with a step far below rounding needs.
class PendulumMotion {
 public:
  PendulumMotion(double theta, double omega, double gravity) : th_(theta), w_(omega), g_(gravity) {}
  struct At {
    double theta, omega;
    double x() const { return std::sin(theta); }
    double y() const { return -std::cos(theta); }
  };
  /// Times must not decrease.
  At at(double t) {
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 2e-4L)));
    const long double h = (static_cast<long double>(t) - t_) / n;
    for (int i = 0; i < n && h > 0; ++i) step(h);
    t_ = t;
    return {static_cast<double>(th_), static_cast<double>(w_)};
  }

 private:
  void step(long double h) {
    const auto f = [&](long double th) { return -g_ * std::sin(th); };
    const long double k1 = w_, l1 = f(th_);
    const long double k2 = w_ + h / 2 * l1, l2 = f(th_ + h / 2 * k1);
    const long double k3 = w_ + h / 2 * l2, l3 = f(th_ + h / 2 * k2);
    const long double k4 = w_ + h * l3, l4 = f(th_ + h * k3);
    th_ += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    w_ += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  long double th_, w_, g_, t_ = 0;
};

}  // namespace escapement::problems
