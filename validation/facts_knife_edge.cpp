// Knife edge (skate) on an inclined plane, centre of mass on the blade: it turns evenly and does not slide down.
// With G = g sin(slope) along x, θ = θ0 + ω t and S = v0 − (G/ω) sin θ0:
//   v = S + (G/ω) sin θ,  x = S (sin θ − sin θ0)/ω + G (sin²θ − sin²θ0)/(2ω²),
//   y = −S (cos θ − cos θ0)/ω + G (θ − θ0 − ½ sin 2θ + ½ sin 2θ0)/(2ω²),  blade force μ = −m (G sin θ + v ω).
// (From v' = G cos θ along the blade and m v ω = −m G sin θ − μ across it.)
#include "components/planar/body.hpp"
#include "components/planar/knife_edge.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double m = 2, I = 0.3, G = 9.81 * 0.5;  // slope 30°

struct Skate {
  Position<3> at;
  SlipMultiplier<1> force;
  System system;
  double theta0, omega, v0;

  Skate(double heading, double turning, double speed)
      : system(build()), theta0(heading), omega(turning), v0(speed) {}
  State initial() const {
    State s = system.state();
    system.value(s, at)[2] = theta0;
    auto v = system.rate(s, at);
    v[0] = v0 * std::cos(theta0), v[1] = v0 * std::sin(theta0), v[2] = omega;
    return s;
  }
  struct Exact {
    double q[3], rate[3], acceleration[3], force;
  };
  Exact exact(double t) const {
    const double th = theta0 + omega * t, s = std::sin(th), c = std::cos(th), s0 = std::sin(theta0);
    const double S = v0 - G / omega * s0, v = S + G / omega * s, vdot = G * c;
    return {{S * (s - s0) / omega + G * (s * s - s0 * s0) / (2 * omega * omega),
             -S * (c - std::cos(theta0)) / omega +
                 G * (omega * t - 0.5 * std::sin(2 * th) + 0.5 * std::sin(2 * theta0)) / (2 * omega * omega),
             th},
            {v * c, v * s, omega},
            {vdot * c - v * omega * s, vdot * s + v * omega * c, 0},
            -m * (G * s + v * omega)};
  }

 private:
  System build() {
    SystemBuilder builder;
    at = builder.position<3>("skate");
    force = builder.slip_multiplier<1>("blade");
    builder.add(planar::Body{at, m, I, 0.0, {{G, 0.0}}});
    builder.add(planar::KnifeEdge{at, force});
    return builder.finish();
  }
};

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

/// Largest errors over [0, 4] for 100 … 3200 steps: (x, y), their velocity and acceleration, blade force.
Ladder largest_errors(const Skate& p, double rho, const std::vector<double>& pattern) {
  Ladder ladder({"x y", "vx vy", "ax ay", "blade"});
  for (int n = 100; n <= 3200; n *= 2) {
    std::vector<double> e(4, 0.0);
    double turning = 0;
    run(p.system, p.initial(), scheme(rho), pattern_steps(4.0, n, pattern), [&](const State& s) {
      const auto exact = p.exact(s.t);
      const auto q = p.system.value(s, p.at), v = p.system.rate(s, p.at), a = p.system.acceleration(s, p.at);
      e[0] = std::max(e[0], std::hypot(q[0] - exact.q[0], q[1] - exact.q[1]));
      e[1] = std::max(e[1], std::hypot(v[0] - exact.rate[0], v[1] - exact.rate[1]));
      e[2] = std::max(e[2], std::hypot(a[0] - exact.acceleration[0], a[1] - exact.acceleration[1]));
      e[3] = std::max(e[3], std::abs(p.system.value(s, p.force)[0] - exact.force));
      turning = std::max({turning, std::abs(q[2] - exact.q[2]), std::abs(v[2] - p.omega), std::abs(a[2])});
    });
    ladder.add(4.0 / n, e);
    CHECK(turning < 1e-11);  // θ'' = 0 is integrated without error
  }
  ladder.print(fmt::format("skate on an incline, theta0 = {}, omega = {}, v0 = {}, rho = {}, {} steps",
                           p.theta0, p.omega, p.v0, rho, pattern.size() == 1 ? "constant" : "0.3/0.7"));
  return ladder;
}

}  // namespace

TEST_CASE("from t = 0: second order in positions, velocities, accelerations and blade force") {
  for (const Skate& p : {Skate(0.0, 1.5, 0.0), Skate(0.7, -2.0, 1.2)}) {
    for (double rho : {0.2, 0.8}) {
      for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
        const Ladder ladder = largest_errors(p, rho, pattern);
        // From rest along the slope the h² term of a and μ vanishes at constant steps (third order).
        const bool special = p.v0 == 0 && pattern.size() == 1;
        for (int i = 0; i < 4; ++i) {
          INFO("order of ", ladder.names[i], " ", ladder.order(5, i));
          CHECK(std::abs(ladder.order(5, i) - (special && i > 1 ? 3 : 2)) < 0.05);
        }
      }
    }
  }
}

TEST_CASE("rho = 1: second order at constant steps, first in a and the blade force at alternating steps") {
  // Differentiated quantities have the root −1 there: what a change of step excites does not decay.
  const Skate p(0.7, -2.0, 1.2);
  largest_errors(p, 1.0, {1.0}).check_second_order(0.05);
  const Ladder ladder = largest_errors(p, 1.0, {0.3, 0.7});
  CHECK(std::abs(ladder.order(5, 0) - 2) < 0.05);
  CHECK(std::abs(ladder.order(5, 1) - 2) < 0.05);
  CHECK(std::abs(ladder.order(5, 2) - 1) < 0.05);
  CHECK(std::abs(ladder.order(5, 3) - 1) < 0.05);
}

TEST_CASE("closed form by extrapolation; it drifts across the slope and never down") {
  const Skate p(0.0, 1.5, 0.0);
  const double t = 4.0;
  const auto exact = p.exact(t);
  double q[3][3];
  double lowest = 0, highest = 0;
  for (int k = 0; k < 3; ++k) {
    const State s =
        run(p.system, p.initial(), scheme(0.8), constant_steps(t, 1000 << k), [&](const State& at) {
          lowest = std::max(lowest, p.system.value(at, p.at)[0]);
          highest = std::min(highest, p.system.value(at, p.at)[0]);
        });
    q[k][0] = p.system.value(s, p.at)[0], q[k][1] = p.system.value(s, p.at)[1],
    q[k][2] = p.system.value(s, p.force)[0];
  }
  CHECK(std::abs(richardson(q[0][0], q[1][0], q[2][0]) - exact.q[0]) < 1e-9);
  CHECK(std::abs(richardson(q[0][1], q[1][1], q[2][1]) - exact.q[1]) < 1e-9);
  CHECK(std::abs(richardson(q[0][2], q[1][2], q[2][2]) - exact.force) < 1e-9);
  CHECK(close(lowest, G / (2 * p.omega * p.omega), 1e-4));  // x = G sin²(ωt)/(2ω²)
  CHECK(highest > -1e-5);
}

TEST_CASE("velocity across the blade is refused at the start, or projected away") {
  const Skate p(0.7, -2.0, 1.2);
  State s = p.initial();
  p.system.rate(s, p.at)[1] += 0.1;
  CHECK_THROWS_WITH_AS(make_consistent(p.system, s), doctest::Contains("blade"), ModelError);
  make_consistent(p.system, s, {.project = true});
  const auto v = p.system.rate(s, p.at);
  // The impulse acts across the blade only: the speed along it is kept.
  CHECK(std::abs(std::cos(0.7) * v[1] - std::sin(0.7) * v[0]) < 1e-13);
  CHECK(close(std::cos(0.7) * v[0] + std::sin(0.7) * v[1], 1.2 + 0.1 * std::sin(0.7), 1e-13));
  CHECK(close(v[2], -2.0, 1e-13));
}
