// The variational scheme (midpoint discrete Euler–Lagrange, Lacoursière & Sjöström): second order in positions, velocities,
// accelerations and multipliers from t = 0, on vector spaces, on SO(3) and on constraints; energy over long times; momenta.
#include "problems/heavy_top.hpp"
#include "problems/pendulum.hpp"
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;
using problems::TopQuantities;

namespace {

VariationalOptions scheme() {
  VariationalOptions o;
  o.newton.tolerance = 1e-13;
  return o;
}

}  // namespace

TEST_CASE("pendulum: second order from t = 0 in q, v, v̇ and λ, constant and alternating steps") {
  const problems::Pendulum p;
  for (const std::vector<double>& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
    Ladder ladder({"q", "v", "vdot", "lambda"});
    for (int k = 0; k < 5; ++k) {
      const int n = 50 << k;
      problems::PendulumMotion exact(1.0, 0.5, p.g);
      std::vector<double> e(4, 0.0);
      run(p.system, p.initial(1.0, 0.5), scheme(), pattern_steps(1.0, n, pattern), [&](const State& s) {
        const auto m = exact.at(s.t);
        const auto q = p.system.value(s, p.q), v = p.system.rate(s, p.q), a = p.system.acceleration(s, p.q);
        const double lambda = m.omega * m.omega + p.g * std::cos(m.theta);
        const double X = m.x(), Y = m.y();
        e[0] = std::max(e[0], std::hypot(q[0] - X, q[1] - Y));
        e[1] = std::max(e[1], std::hypot(v[0] + m.omega * Y, v[1] - m.omega * X));
        e[2] = std::max(e[2], std::hypot(a[0] + lambda * X, a[1] + p.g + lambda * Y));
        e[3] = std::max(e[3], std::abs(p.system.value(s, p.tension)[0] - lambda));
      });
      ladder.add(1.0 / n, e);
    }
    ladder.print("pendulum, variational");
    ladder.check_second_order(0.05);
  }
}

TEST_CASE_TEMPLATE("heavy top: second order from t = 0 in every quantity", Top, problems::HeavyTop,
                   problems::HeavyTopPose) {
  const Top top;
  Ladder l({"x", "R", "Omega", "acceleration", "Omega'", "lambda"});
  for (int n : {100, 200, 400, 800}) {
    problems::HeavyTopMotion exact;
    std::vector<double> e(6, 0.0);
    run(top.system, top.initial(), scheme(), constant_steps(0.1, n), [&](const State& s) {
      const TopQuantities a = top.quantities(s), b = exact.at(s.t);
      const double d[] = {norm(a.x - b.x),         problems::distance(a.R, b.R),
                          norm(a.omega - b.omega), norm(a.acceleration - b.acceleration),
                          norm(a.alpha - b.alpha), norm(a.force - b.force)};
      for (int i = 0; i < 6; ++i) e[i] = std::max(e[i], d[i]);
    });
    l.add(0.1 / n, e);
  }
  l.print("heavy top, variational");
  l.check_second_order(0.05);
}

TEST_CASE_TEMPLATE("heavy top, SPOOK: second order on both kinds of frames", Top, problems::HeavyTop,
                   problems::HeavyTopPose) {
  const Top top;
  VariationalOptions spook = scheme();
  spook.quasi_linear = true;
  Ladder l({"x", "R", "Omega", "lambda"});
  for (int n : {200, 400, 800, 1600}) {
    problems::HeavyTopMotion exact;
    const TopQuantities b = exact.at(0.1),
                        a = top.quantities(run(top.system, top.initial(), spook, constant_steps(0.1, n)));
    l.add(0.1 / n,
          {norm(a.x - b.x), problems::distance(a.R, b.R), norm(a.omega - b.omega), norm(a.force - b.force)});
  }
  l.print(fmt::format("heavy top on {}, SPOOK", Top::name));
  l.check_second_order(0.1);
}

namespace {

template <Manifold manifold>
struct FramesOn {
  static constexpr bool se3 = manifold == Manifold::se3;
};
using OnProduct = FramesOn<Manifold::r3so3>;
using OnSe3 = FramesOn<Manifold::se3>;

struct FreeBody {
  double mass;
  Vector3 inertia;  // principal
  double start[6];  // velocity in space, angular velocity
};
/// Three of them, the first about the axis that is not stable.
const FreeBody free_bodies[] = {{2, {{1, 2, 3}}, {0.3, -0.2, 0.1, 1, 2, 0.5}},
                                {0.5, {{0.4, 0.1, 0.45}}, {0, 1, 0, 0.1, 3, 0.2}},
                                {7, {{5, 5, 1}}, {-1, 0.5, 2, 0.6, 0, 4}}};

}  // namespace

TEST_CASE_TEMPLATE(
    "what a free body keeps: momentum and angular momentum in space, to rounding; energy in a band", Frames,
    OnProduct, OnSe3) {
  for (const FreeBody& body : free_bodies) {
    SystemBuilder b;
    b.frames_move_on(Frames::se3 ? Manifold::se3 : Manifold::r3so3);
    const Pose at = b.pose("body");
    Matrix3 J{};
    for (int i = 0; i < 3; ++i) J.m[i][i] = body.inertia[i];
    b.add(body::Rigid{at, body.mass, J});
    const System system = b.finish();
    State s = system.state();
    std::copy(body.start, body.start + 6, system.rate(s, at).begin());  // the frame starts unturned
    struct Kept {
      Vector3 linear, angular;  // of the origin of space
      double energy;
    };
    const auto kept = [&](const State& x) {
      const auto q = system.value(x, at), v = system.rate(x, at);
      const Rotation<double> R{q[0], {{q[1], q[2], q[3]}}};
      const Vector3 w{{v[3], v[4], v[5]}}, own{{v[0], v[1], v[2]}}, place{{q[4], q[5], q[6]}};
      const Vector3 p = body.mass * (Frames::se3 ? R * own : own);
      return Kept{p, R * (J * w) + cross(place, p), 0.5 * dot(w, J * w) + 0.5 * dot(own, own) * body.mass};
    };
    const Kept first = kept(s);
    constexpr double until = 500;
    const double size = norm(first.angular) + norm(first.linear) * norm(first.linear) / body.mass * until;
    double linear = 0, angular = 0, least = 1e9, most = -1e9;
    const State end =
        run(system, s, scheme(), pattern_steps(until, 10000, {1, 0.4, 1.7}), [&](const State& x) {
          const Kept now = kept(x);
          linear = std::max(linear, norm(now.linear - first.linear) / norm(first.linear));
          angular = std::max(angular, norm(now.angular - first.angular) / size);
          least = std::min(least, now.energy);
          most = std::max(most, now.energy);
        });
    fmt::print("free body{}: momentum off by {:.2e}, angular momentum by {:.2e}, energy {:.6f} … {:.6f}\n",
               Frames::se3 ? " on SE(3)" : "", linear, angular, least, most);
    const double rounding =
        10000 * (Frames::se3 ? 6 : 3) * 16 * 2.2e-16;  // of every step, in blocks of 6 or 3
    CHECK(linear < rounding);
    CHECK(angular < rounding);
    CHECK(most - least < 0.05 * most);
    if (!Frames::se3)
      for (int i = 0; i < 3; ++i)
        CHECK(std::abs(system.value(end, at)[4 + i] - body.start[i] * until) < 1e-9 * until);
  }
}

TEST_CASE("energy of the pendulum over 1,000,000 steps: a band of order h², no drift") {
  const problems::Pendulum p;
  double band[2];
  for (int k = 0; k < 2; ++k) {
    const double h = 0.02 / (1 << k);
    const int n = k == 0 ? 1000000 : 100000, part = n / 10;
    Variational stepper(p.system, scheme());
    State s = p.initial(1.0, 0.5);
    stepper.start(s);
    const double E0 = 0.125 - p.g * std::cos(1.0);
    double least[10], most[10];
    for (int i = 0; i < 10; ++i) {
      least[i] = 1e9, most[i] = -1e9;
      for (int j = 0; j < part; ++j) {
        REQUIRE(stepper.advance(s, h).ok());
        const auto q = p.system.value(s, p.q), v = p.system.rate(s, p.q);
        const double e = 0.5 * (v[0] * v[0] + v[1] * v[1]) + p.g * q[1] - E0;
        least[i] = std::min(least[i], e), most[i] = std::max(most[i], e);
      }
    }
    band[k] = *std::max_element(most, most + 10) - *std::min_element(least, least + 10);
    fmt::print(
        "pendulum, h = {}, {} steps: energy off by {:.3e} … {:.3e} of the first tenth, {:.3e} … {:.3e} of "
        "the last\n",
        h, n, least[0], most[0], least[9], most[9]);
    // No drift: the bands of all tenths are the same, to a thousandth of their width and what Newton leaves over.
    for (int i = 1; i < 10; ++i) {
      CHECK(std::abs(most[i] - most[0]) < 2e-3 * band[k]);
      CHECK(std::abs(least[i] - least[0]) < 2e-3 * band[k]);
    }
  }
  CHECK(std::abs(std::log2(band[0] / band[1]) - 2) < 0.05);
}

TEST_CASE("energy of the heavy top over 1,000,000 steps") {
  const problems::HeavyTop top;
  Variational stepper(top.system, scheme());
  State s = top.initial();
  stepper.start(s);
  const auto energy = [&] {
    double e = 0;
    for (const auto& g : top.system.groups()) e += g->power(s).energy;
    return e;
  };
  const double E0 = energy();
  double least[10], most[10], violation = 0;
  std::vector<double> rows(top.system.size());
  for (int i = 0; i < 10; ++i) {
    least[i] = 1e9, most[i] = -1e9;
    for (int j = 0; j < 100000; ++j) {
      REQUIRE(stepper.advance(s, 1e-3).ok());
      const double e = energy() - E0;
      least[i] = std::min(least[i], e), most[i] = std::max(most[i], e);
    }
    top.system.constraints(s, 0, -1, rows);
    for (const double x : rows) violation = std::max(violation, std::abs(x));
  }
  fmt::print(
      "heavy top, h = 1 ms, 1,000,000 steps: energy of {:.1f} J off by {:.4f} … {:.4f} at first, {:.4f} … "
      "{:.4f} at last; "
      "violation {:.1e}\n",
      E0, least[0], most[0], least[9], most[9], violation);
  const double band = *std::max_element(most, most + 10) - *std::min_element(least, least + 10);
  CHECK(band < 1.0);  // FACTS: 0.62 of 5436 over 10,000 steps
  for (int i = 1; i < 10; ++i) {
    CHECK(std::abs(most[i] - most[0]) < 0.01 * band);
    CHECK(std::abs(least[i] - least[0]) < 0.01 * band);
  }
  CHECK(violation < 1e-14);
}

TEST_CASE("a disk that rolls without slipping keeps its energy: a band of order h², no drift") {
  const std::string disk = R"yaml(
  disk: {type: body.cylinder, radius: 0.3 m, length: 0.02 m, density: 2700 kg/m^3, initial: {position: [0, 0, 0.3 m], axis: [1, 0, 0], angle: 90 deg, velocity: [1.5 m/s, 0, 0], angular_velocity: [1 rad/s, 0.5 rad/s, -5 rad/s]}}
  floor: {type: joint.rolling_wheel, at: disk, axle: [0, 0, 1], radius: 0.3 m})yaml";
  double width[2];
  for (int k = 0; k < 2; ++k) {
    const TextRun run(disk,
                      fmt::format("until: {} s, step: {} ms, scheme: variational", 400 / (1 << k), 20 >> k),
                      {"disk.energy"}, "gravity: [0, 0, -9.81 m/s^2]\nstart: assembled");
    double least[10], most[10];
    const std::size_t part = run.rows.size() / 10;
    for (std::size_t i = 0; i < 10; ++i) {
      least[i] = 1e9, most[i] = -1e9;
      for (std::size_t j = i * part; j < (i + 1) * part; ++j) {
        least[i] = std::min(least[i], run.rows[j][0] / run.rows[0][0] - 1);
        most[i] = std::max(most[i], run.rows[j][0] / run.rows[0][0] - 1);
      }
    }
    width[k] = most[0] - least[0];
    fmt::print(
        "rolling disk, h = {} ms: energy within {:.2e} … {:.2e} in the first, {:.2e} … {:.2e} in the "
        "last tenth of {} steps\n",
        20 >> k, least[0], most[0], least[9], most[9], run.rows.size() - 1);
    CHECK(std::abs(least[9] - least[0]) < 0.1 * width[k]);
    CHECK(std::abs(most[9] - most[0]) < 0.1 * width[k]);
  }
  CHECK(std::abs(std::log2(width[0] / width[1]) - 2) < 0.1);
}

TEST_CASE("jumps, events and samples keep second order") {
  // x″ + x = u with u = 1 from t = 0.3 on; a relay that flips at x = ½, on its way up; a sampled controller at 0.1 s.
  for (const std::string scheme : {"variational", "spook"}) {
    Ladder l({"x", "v", "a", "relay", "sampled"});
    for (int k = 0; k < 4; ++k) {
      const double h = 0.02 / (1 << k);
      const auto settings = fmt::format("until: 2 s, step: {} s, scheme: {}", h, scheme);
      const TextRun jump(
          "  mass: {type: translational.mass, mass: 1 kg}\n"
          "  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]}\n"
          "  u: {type: control.step, after: 1 N, time: 0.31234 s, unit: N}\n"
          "  push: {type: translational.force, at: mass, input: u}\n",
          settings, {"mass.position", "mass.velocity", "mass.acceleration"});
      const double t = 2 - 0.31234;
      // A constant force of 1 until x = ½ at t = 1, −1 after that.
      const TextRun relay(
          "  mass: {type: translational.mass, mass: 1 kg}\n"
          "  law: {type: control.relay, low: 1 N, high: -1 N, threshold: 0.5 m, input: mass.position, unit: "
          "N}\n"
          "  push: {type: translational.force, at: mass, input: law}\n",
          fmt::format("until: 1.7 s, step: {} s, scheme: {}", h, scheme), {"mass.position"});
      // ẍ = −x_k held over periods of 0.1 s.
      const TextRun sampled(
          "  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}\n"
          "  hold: {type: sampled.hold, period: 0.1 s, input: mass.position}\n"
          "  law: {type: control.gain, gain: -1, input: hold, unit: N}\n"
          "  push: {type: translational.force, at: mass, input: law}\n",
          settings, {"mass.position"});
      double x = 1, v = 0;
      for (int i = 0; i < 20; ++i) {
        const double a = -x;
        x += 0.1 * v + 0.005 * a;
        v += 0.1 * a;
      }
      const double after = 0.7;
      l.add(h, {jump.last[0] - (1 - std::cos(t)), jump.last[1] - std::sin(t), jump.last[2] - std::cos(t),
                relay.last[0] - (0.5 + after - 0.5 * after * after), sampled.last[0] - x});
    }
    l.print("jumps, events and samples, " + scheme);
    for (int q = 0; q < 3; ++q) CHECK(std::abs(l.order(3, q) - 2) < 0.1);
    for (int k = 0; k < 4; ++k)  // constant forces are integrated exactly
      for (int q = 3; q < 5; ++q) CHECK(l.error(k, q) < 1e-9);
  }
}

TEST_CASE("a motor on a four-bar: the voltage of the motor is counted along the way") {
  // (T-variational-8): with v_{n+1} in the flow of the node the angle would be nine times as far off as by the midpoint rule.
  const std::string head = R"yaml(gravity: [0, -9.81 m/s^2, 0]
parameters:
  a: 0.2 m
  b: 0.6 m
  c: 0.5 m
  f: 0.7 m
  theta: 0.5 rad
  w: 8 rad/s
  dx: f - a*cos(theta)
  dy: -a*sin(theta)
  d: sqrt(dx^2 + dy^2)
  psi: "atan2(dy, dx) + acos((b^2 + d^2 - c^2)/(2*b*d))"
  phi: "atan2(a*sin(theta) + b*sin(psi), a*cos(theta) + b*cos(psi) - f)"
  psi_rate: -a*w*sin(theta - phi)/(b*sin(psi - phi))
  phi_rate: a*w*sin(theta - psi)/(c*sin(phi - psi))
nodes: {electrical: [supply]})yaml";
  const std::string text = R"yaml(
  crank: {type: body.rigid, mass: 1.5 kg, principal_inertia: [0.004 kg*m^2, 0.007 kg*m^2, 0.009 kg*m^2], com: [0.07 m, 0.01 m, 0], frames: {pin: {position: [a, 0, 0]}}}
  coupler: {type: body.rigid, mass: 0.9 kg, principal_inertia: [0.002 kg*m^2, 0.025 kg*m^2, 0.026 kg*m^2], com: [0.28 m, 0.04 m, 0], frames: {end: {position: [b, 0, 0]}}}
  rocker: {type: body.rigid, mass: 1.2 kg, principal_inertia: [0.003 kg*m^2, 0.022 kg*m^2, 0.024 kg*m^2], com: [0.2 m, -0.02 m, 0], frames: {end: {position: [c, 0, 0]}}, initial: {position: [f, 0, 0]}}
  bearing: {type: joint.revolute, between: [ground, crank], initial: {angle: theta, velocity: w}}
  crank_pin: {type: joint.revolute, between: [crank.pin, coupler], initial: {angle: psi - theta, velocity: psi_rate - w}}
  rocker_bearing: {type: joint.revolute, between: [ground, rocker], at: [f, 0, 0], initial: {angle: phi, velocity: phi_rate}}
  coupler_pin: {type: joint.point_on_line, between: [rocker.end, coupler.end]}
  source: {type: electric.voltage_source, sine: {offset: 12 V, amplitude: 3 V, frequency: 3 Hz}, between: [supply, ground]}
  motor:  {type: electric.dc_motor, resistance: 0.5 ohm, inductance: 10 mH, torque_constant: 0.5 N*m/A, inertia: 2e-3 kg*m^2, between: [supply, ground], shaft: bearing, initial: {current: 0 A}})yaml";
  const auto run = [&](double step, const std::string& more) {
    return TextRun(text,
                   fmt::format("until: 1 s, step: {} ms, output_every: 125 ms, scheme: variational{}", step,
                               more),
                   {"bearing.angle", "motor.current"}, head)
        .rows;
  };
  const auto fine = run(0.125, ""), finer = run(0.0625, "");
  const auto off = [&](const std::vector<std::vector<double>>& rows, int channel) {
    double worst = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      worst = std::max(worst, std::abs(rows[i][channel] - (4 * finer[i][channel] - fine[i][channel]) / 3));
    return worst;
  };
  const auto coarse = run(2, ""), half = run(1, ""), midpoint = run(2, ", rho_states: 1");
  for (const int channel : {0, 1}) {
    fmt::print("motor and four-bar, {}: {:.2e} at 2 ms, {:.2e} at 1 ms; by the midpoint rule {:.2e}\n",
               channel == 0 ? "angle" : "current", off(coarse, channel), off(half, channel),
               off(midpoint, channel));
    CHECK(std::abs(std::log2(off(coarse, channel) / off(half, channel)) - 2) < 0.15);
    CHECK(off(coarse, channel) < 2 * off(midpoint, channel));
  }
}
