// D5: Chaplygin sleigh (Bloch, Nonholonomic Mechanics and Control). Knife edge at P, centre of mass a ahead of it:
//   v' = a w², (I + m a²) w' = −m a v w; from rest at v: v = C tanh τ, w = w0 sech τ, θ = (√k2/a) gd τ
// with τ = a C t/k2, k2 = (I + m a²)/m, C = √k2 w0. Across the blade m (v w + a w') = −μ, so μ = −m v w I/(I + m a²).
#include "components/planar/body.hpp"
#include "components/planar/knife_edge.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double m = 1, a = 0.5, I = 0.25, w0 = 2;

struct Sleigh {
  Position<3> at;
  SlipMultiplier<1> force;
  System system;

  Sleigh() : system(build()) {}
  State initial() const {
    State s = system.state();
    system.rate(s, at)[2] = w0;
    return s;
  }

 private:
  System build() {
    SystemBuilder builder;
    at = builder.position<3>("sleigh");
    force = builder.slip_multiplier<1>("blade");
    builder.add(planar::Body{at, m, I, a});
    builder.add(planar::KnifeEdge{at, force});
    return builder.finish();
  }
};

/// Closed form; x and y by Gauss–Legendre quadrature of v cos θ, v sin θ from the last time on.
class SleighMotion {
 public:
  struct At {
    double v, w;
    std::array<double, 3> q, rate, acceleration;
    double force;
  };
  /// Times must not decrease.
  At at(double t) {
    static constexpr double node[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                       0.8650633666889845, 0.9739065285171717};
    static constexpr double weight[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159821,
                                         0.1494513491505806, 0.0666713443086881};
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 0.1)));
    const double half = 0.5 * (t - t_) / n;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 10; ++i) {
        const double s = t_ + (2 * k + 1) * half + (i < 5 ? node[i] : -node[i - 5]) * half;
        x_ += half * weight[i % 5] * speed(s) * std::cos(heading(s));
        y_ += half * weight[i % 5] * speed(s) * std::sin(heading(s));
      }
    t_ = t;
    const double v = speed(t), w = turning(t), th = heading(t), c = std::cos(th), s = std::sin(th);
    const double vdot = a * w * w, wdot = -m * a * v * w / (I + m * a * a);
    return {v,
            w,
            {x_, y_, th},
            {v * c, v * s, w},
            {vdot * c - v * w * s, vdot * s + v * w * c, wdot},
            -m * v * w * I / (I + m * a * a)};
  }

 private:
  static constexpr double k2 = (I + m * a * a) / m;
  static double C() { return std::sqrt(k2) * w0; }
  static double tau(double t) { return a * C() * t / k2; }
  static double speed(double t) { return C() * std::tanh(tau(t)); }
  static double turning(double t) { return w0 / std::cosh(tau(t)); }
  static double heading(double t) { return std::sqrt(k2) / a * std::atan(std::sinh(tau(t))); }
  double t_ = 0, x_ = 0, y_ = 0;
};

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

struct Published {
  double t, v, theta, x, y;
};
const Published published[] = {{1, 1.25636690981088, 1.54689023122209, 0.33568310980386, 0.64928236512263},
                               {2, 1.40436688181596, 2.054459441431, -0.049591982394, 1.939340260639},
                               {5, 1.41421152207691, 2.21903921379584, -2.48249639365, 5.40625325202}};

}  // namespace

TEST_CASE("the closed form gives the published figures") {
  SleighMotion motion;
  for (const Published& p : published) {
    const auto exact = motion.at(p.t);
    CHECK(close(exact.v, p.v, 1e-13));
    CHECK(close(exact.q[2], p.theta, 1e-12));
    CHECK(close(exact.q[0], p.x, 1e-10));
    CHECK(close(exact.q[1], p.y, 1e-11));
    if (p.t == 1) CHECK(close(exact.w, 0.918196262170851, 1e-13));
  }
  CHECK(close(motion.at(40).q[2], 2.22144146907918, 1e-12));  // θ∞ = π/√2
}

TEST_CASE("gate: the published figures at t = 1, 2, 5 to 1e-8") {
  const Sleigh p;
  for (const Published& exact : published) {
    double q[3][6];
    for (int k = 0; k < 3; ++k) {
      const State s = run(p.system, p.initial(), scheme(0.8),
                          constant_steps(exact.t, static_cast<int>(200 * exact.t) << k));
      const auto at = p.system.value(s, p.at), rate = p.system.rate(s, p.at);
      const double values[6] = {
          at[0], at[1], at[2], std::hypot(rate[0], rate[1]), rate[2], p.system.value(s, p.force)[0]};
      std::copy(values, values + 6, q[k]);
    }
    double limit[6];
    for (int i = 0; i < 6; ++i) limit[i] = richardson(q[0][i], q[1][i], q[2][i]);
    SleighMotion motion;
    const auto closed = motion.at(exact.t);
    fmt::print("t = {}: x {:.12f} y {:.12f} theta {:.12f} v {:.12f} w {:.12f} blade {:.12f}\n", exact.t,
               limit[0], limit[1], limit[2], limit[3], limit[4], limit[5]);
    CHECK(std::abs(limit[0] - exact.x) < 1e-8);
    CHECK(std::abs(limit[1] - exact.y) < 1e-8);
    CHECK(std::abs(limit[2] - exact.theta) < 1e-8);
    CHECK(std::abs(limit[3] - exact.v) < 1e-8);
    CHECK(std::abs(limit[4] - closed.w) < 1e-8);
    CHECK(std::abs(limit[5] - closed.force) < 1e-8);
  }
}

namespace {

/// Largest errors over [0, 5] for halved steps along a pattern.
template <class Options>
Ladder errors(const Options& options, const std::vector<double>& pattern, const std::string& title) {
  const Sleigh p;
  Ladder ladder({"x y", "heading", "vx vy", "w", "ax ay", "wdot", "blade"});
  for (int n = 100; n <= 3200; n *= 2) {
    std::vector<double> e(7, 0.0);
    double slip = 0;
    SleighMotion motion;
    run(p.system, p.initial(), options, pattern_steps(5.0, n, pattern), [&](const State& s) {
      const auto exact = motion.at(s.t);
      const auto q = p.system.value(s, p.at), v = p.system.rate(s, p.at),
                 vdot = p.system.acceleration(s, p.at);
      int i = 0;
      const auto both = [&](std::span<const double> got, const std::array<double, 3>& x) {
        e[i] = std::max(e[i], std::hypot(got[0] - x[0], got[1] - x[1]));
        e[i + 1] = std::max(e[i + 1], std::abs(got[2] - x[2]));
        i += 2;
      };
      both(q, exact.q);
      both(v, exact.rate);
      both(vdot, exact.acceleration);
      e[6] = std::max(e[6], std::abs(p.system.value(s, p.force)[0] - exact.force));
      slip = std::max(slip, std::abs(std::cos(q[2]) * v[1] - std::sin(q[2]) * v[0]));
    });
    ladder.add(5.0 / n, e);
    CHECK(slip < 1e-12);
  }
  ladder.print(fmt::format("Chaplygin sleigh, {}, {} steps, largest errors over [0, 5]", title,
                           pattern.size() == 1 ? "constant" : "0.3/0.7"));
  return ladder;
}

}  // namespace

TEST_CASE("from t = 0: second order in every quantity, constant and (rho < 1) alternating steps") {
  for (double rho : {0.2, 0.8, 1.0}) {
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
      const Ladder ladder = errors(scheme(rho), pattern, fmt::format("rho = {}", rho));
      if (rho < 1 || pattern.size() == 1) {
        ladder.check_second_order(0.05);
      } else {  // differentiated quantities have the root −1: what a change of step excites does not decay
        for (int i = 0; i < 7; ++i) CHECK(std::abs(ladder.order(5, i) - (i < 4 ? 2 : 1)) < 0.05);
      }
    }
  }
}

TEST_CASE("likewise with the variational scheme, and with SPOOK at constant steps") {
  VariationalOptions o;
  o.newton.tolerance = 1e-13;
  for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}})
    errors(o, pattern, "variational").check_second_order(0.05);
  o.quasi_linear = true;
  errors(o, {1.0}, "SPOOK").check_second_order(0.05);
}
