// Adaptive steps: the global error follows the tolerance over four decades, on problems of all kinds, with rows of results
// from the dense output; how the two estimators compare; what limits do.
#include <fmt/format.h>

#include <numbers>

#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"
#include "problems/spring_mass.hpp"
#include "reference_ode.hpp"
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Exact values of the channels at a time.
using Exact = std::function<std::vector<double>(double t)>;

struct Problem {
  std::string name, head, components;
  double until;
  std::vector<std::string> channels;
  std::function<Exact()> exact;  // times asked for do not decrease
  std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
};

struct Measured {
  double tolerance, error;
  long steps, rejected;
};

/// Largest error of all channels over twenty rows, relative to each channel's largest value.
Measured measure(const Problem& p, double tolerance, const std::string& more = "") {
  const TextRun run(p.components,
                    fmt::format("until: {} s, adaptive: true, tolerance: {}, output_every: {} s{}", p.until,
                                tolerance, p.until / 20, more),
                    p.channels, p.head);
  const Exact exact = p.exact();
  std::vector<double> error(p.channels.size(), 0.0), size(p.channels.size(), 1e-3);
  REQUIRE(run.t.size() == 21);
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const auto truth = exact(run.t[k]);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      error[i] = std::max(error[i], std::abs(run.rows[k][i] - truth[i]));
      size[i] = std::max(size[i], std::abs(truth[i]));
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < error.size(); ++i) worst = std::max(worst, error[i] / size[i]);
  return {tolerance, worst, run.statistics.steps, run.statistics.rejected_steps};
}

double slope(const std::vector<Measured>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(points.size());
  for (const Measured& p : points) {
    const double a = std::log10(p.tolerance), b = std::log10(p.error);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

template <std::size_t n>
std::function<Exact()> ode(
    typename ReferenceOde<n>::Derivative f, typename ReferenceOde<n>::Values start, Real step,
    std::function<std::vector<double>(Real, const typename ReferenceOde<n>::Values&)> read) {
  return [=]() -> Exact {
    auto reference = std::make_shared<ReferenceOde<n>>(f, start, step);
    return [=](double t) { return read(t, reference->at(t)); };
  };
}

Problem spring_mass() {
  return {"spring-mass with saturation",
          "parameters: {m: 1 kg, k: 1 N/m, sigma: 0.1 1/s, b: 1.4 N*s/m, g_max: 1 N}",
          R"yaml(
  mass:     {type: translational.mass, mass: m, initial: {position: 5 m}}
  spring:   {type: translational.spring, stiffness: k, between: [ground, mass]}
  filter:   {type: control.state_space, A: [[-sigma]], B: [[-b]], C: [[1]], D: [[0]], input: mass.acceleration}
  limiter:  {type: control.tanh_saturation, limit: g_max, input: filter}
  actuator: {type: translational.force, at: mass, input: limiter})yaml",
          5,
          {"mass.position", "mass.velocity", "mass.acceleration", "filter"},
          ode<3>(
              [](Real, const auto& y) {
                const Real a = -y[0] + std::tanh(y[2]);
                return std::array<Real, 3>{y[1], a, -0.1L * y[2] - 1.4L * a};
              },
              {5, 0, 0}, 0.02L,
              [](Real, const auto& y) {
                return std::vector<double>{double(y[0]), double(y[1]), double(-y[0] + std::tanh(y[2])),
                                           double(y[2])};
              })};
}

Problem stiff_controller() {
  return {"stiff Van der Pol controller",
          "",
          R"yaml(
  mass:   {type: translational.mass, mass: 1 kg, initial: {position: 2 m}}
  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]}
  law:    {type: control.expression, inputs: {x: mass.position, v: mass.velocity}, expression: "3*(1 - x^2/(1 m^2))*v", unit: m/s}
  drive:  {type: control.first_order, gain: 1 N*s/m, time_constant: 1 ms, input: law, unit: N}
  push:   {type: translational.force, at: mass, input: drive})yaml",
          6,
          {"mass.position", "mass.velocity", "drive"},
          ode<3>(
              [](Real, const auto& y) {
                return std::array<Real, 3>{y[1], -y[0] + y[2], 1000 * (3 * (1 - y[0] * y[0]) * y[1] - y[2])};
              },
              {2, 0, 0}, 2e-4L,
              [](Real, const auto& y) {
                return std::vector<double>{double(y[0]), double(y[1]), double(y[2])};
              })};
}

Problem pendulum() {
  return {"pendulum, constrained",
          "",
          R"yaml(
  bob: {type: planar.mass, mass: 1 kg, gravity: [0, -9.81 m/s^2], initial: {position: [(1 m)*sin(1), -(1 m)*cos(1)], velocity: [(0.5 m/s)*cos(1), (0.5 m/s)*sin(1)]}}
  rod: {type: planar.distance, length: 1 m, between: [ground, bob]})yaml",
          3,
          {"bob.position.x", "bob.position.y", "bob.velocity.x", "rod.tension"},
          ode<2>(
              [](Real, const auto& y) {
                return std::array<Real, 2>{y[1], -9.81L * std::sin(y[0])};
              },
              {1, 0.5L}, 0.01L,
              [](Real, const auto& y) {
                return std::vector<double>{double(std::sin(y[0])), double(-std::cos(y[0])),
                                           double(y[1] * std::cos(y[0])),
                                           double(9.81L * std::cos(y[0]) + y[1] * y[1])};
              })};
}

/// From Euler's equations about the fixed point, with the rotation as a quaternion.
Problem heavy_top() {
  return {
      "heavy top",
      "gravity: [0, 0, -9.81 m/s^2]",
      R"yaml(
  top:
    type: body.rigid
    mass: 15 kg
    principal_inertia: [0.234375 kg*m^2, 0.46875 kg*m^2, 0.234375 kg*m^2]
    initial: {position: [0, 1 m, 0], angular_velocity: [0, 150 rad/s, -4.61538 rad/s], velocity: [4.61538 m/s, 0, 0]}
  joint: {type: joint.spherical, between: [ground, top], at: [0, 0, 0]})yaml",
      0.2,
      {"top.position.x", "top.position.y", "top.position.z"},
      ode<7>(
          [](Real,
             const auto& y) {  // quaternion, ω in body axes; J about the point: 15.234375, 0.46875, 15.234375
            const Real w = y[0], x = y[1], b = y[2], z = y[3], p = y[4], q = y[5], r = y[6];
            const Real g[3] = {2 * (x * z - w * b), 2 * (b * z + w * x),
                               1 - 2 * (x * x + b * b)};  // world z, body axes
            const Real J[3] = {15.234375L, 0.46875L, 15.234375L}, weight = 15 * 9.81L;
            // torque = e_y × (−weight g)
            const Real torque[3] = {-weight * g[2], 0, weight * g[0]};
            return std::array<Real, 7>{(-x * p - b * q - z * r) / 2,
                                       (w * p + b * r - z * q) / 2,
                                       (w * q + z * p - x * r) / 2,
                                       (w * r + x * q - b * p) / 2,
                                       (torque[0] + (J[1] - J[2]) * q * r) / J[0],
                                       (torque[1] + (J[2] - J[0]) * r * p) / J[1],
                                       (torque[2] + (J[0] - J[1]) * p * q) / J[2]};
          },
          {1, 0, 0, 0, 0, 150, -4.61538L}, 5e-4L,
          [](Real, const auto& y) {
            const Real w = y[0], x = y[1], b = y[2], z = y[3];
            return std::vector<double>{double(2 * (x * b - w * z)), double(1 - 2 * (x * x + z * z)),
                                       double(2 * (b * z + w * x))};
          })};
}

Problem slider_crank() {
  const auto inertia = [](Real a) {
    const Real r = 0.1L, l = 0.3L, s = std::sin(a), c = std::cos(a), root = std::sqrt(l * l - r * r * s * s);
    const Real slider = -r * s - r * r * s * c / root, x = r * c / 2, z = (-r * s + slider) / 2,
               turn = r * c / root;
    return 0.02L + 0.5L * (x * x + z * z) + 0.003L * turn * turn + 0.8L * slider * slider;
  };
  const auto speed = [=](Real a) { return 10 * std::sqrt(inertia(0) / inertia(a)); };
  return {"slider-crank",
          "gravity: none\nparameters: {r: 0.1 m, l: 0.3 m, w: 10 rad/s}",
          R"yaml(
  crank:  {type: body.rigid, mass: 1 kg, principal_inertia: [0.02 kg*m^2, 0.02 kg*m^2, 0.02 kg*m^2]}
  rod:    {type: body.rigid, mass: 0.5 kg, principal_inertia: [0.003 kg*m^2, 0.003 kg*m^2, 0.003 kg*m^2], initial: {position: [0, 0, r + l/2]}}
  slider: {type: body.rigid, mass: 0.8 kg, principal_inertia: [0.001 kg*m^2, 0.001 kg*m^2, 0.001 kg*m^2], initial: {position: [0, 0, r + l]}}
  main:   {type: joint.revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, -1, 0], initial: {velocity: w}}
  pin:    {type: joint.revolute, between: [crank, rod], at: [0, 0, r], axis: [0, -1, 0], initial: {velocity: -w*(1 + r/l)}}
  wrist:  {type: joint.point_on_line, between: [rod, slider], at: [0, 0, r + l], axis: [0, -1, 0]}
  guide:  {type: joint.prismatic, between: [ground, slider], at: [0, 0, r + l], axis: [0, 0, 1]})yaml",
          1,
          {"main.angle", "main.velocity", "guide.displacement"},
          ode<1>([=](Real, const auto& y) { return std::array<Real, 1>{speed(y[0])}; }, {0}, 2e-3L,
                 [=](Real, const auto& y) {
                   const Real s = 0.1L * std::sin(y[0]);
                   return std::vector<double>{
                       double(y[0]), double(speed(y[0])),
                       double(0.1L * std::cos(y[0]) + std::sqrt(0.09L - s * s) - 0.4L)};
                 })};
}

Problem rc_and_mechanics() {
  return {
      "RC and mechanics",
      "",
      R"yaml(
  source:  {type: control.sine, amplitude: 2, frequency: 0.5 Hz}
  rc:      {type: control.first_order, gain: 1, time_constant: 0.2 s, input: source}
  coil:    {type: control.gain, gain: 3 N, input: rc, unit: N}
  mass:    {type: translational.mass, mass: 0.5 kg}
  push:    {type: translational.force, at: mass, input: coil}
  spring:  {type: translational.spring, stiffness: 20 N/m, between: [ground, mass]}
  damper:  {type: translational.damper, damping: 0.4 N*s/m, between: [ground, mass]})yaml",
      4,
      {"mass.position", "mass.velocity", "mass.acceleration", "rc"},
      ode<3>(
          [](Real t, const auto& y) {
            const Real u = 2 * std::sin(std::numbers::pi_v<Real> * t);
            return std::array<Real, 3>{(u - y[0]) / 0.2L, y[2], (3 * y[0] - 20 * y[1] - 0.4L * y[2]) / 0.5L};
          },
          {0, 0, 0}, 0.01L,
          [](Real, const auto& y) {
            return std::vector<double>{double(y[1]), double(y[2]),
                                       double((3 * y[0] - 20 * y[1] - 0.4L * y[2]) / 0.5L), double(y[0])};
          })};
}

std::vector<Problem> all_problems() {
  return {spring_mass(), stiff_controller(), pendulum(), heavy_top(), slider_crank(), rc_and_mechanics()};
}

}  // namespace

TEST_CASE("the global error follows the tolerance: slope 1 ± 0.15 over four decades") {
  for (const Problem& p : all_problems()) {
    std::vector<Measured> points;
    for (const double tolerance : p.tolerances) {
      points.push_back(measure(p, tolerance));
      const Measured& q = points.back();
      fmt::print("{:32} tolerance {:.0e}: error {:.3e}, {} steps, {} rejected\n", p.name, q.tolerance,
                 q.error, q.steps, q.rejected);
    }
    const double s = slope(points);
    fmt::print("{:32} slope {:.3f}\n", p.name, s);
    INFO(p.name);
    CHECK(std::abs(s - 1) <= 0.15);
    for (const Measured& q : points) CHECK(q.rejected <= q.steps / 4 + 5);
  }
}

namespace {

struct Oscillator {
  Position<1> q;
  System system;
  Oscillator() {
    SystemBuilder b;
    q = b.position<1>("q");
    b.add(translational::Mass{q, 1.0});
    b.add(translational::Spring{{}, q, 1.0});
    system = b.finish();
  }
};

}  // namespace

TEST_CASE("estimate over true local error of one step: both estimators are right where they look") {
  const Oscillator o;
  for (const double rho : {0.2, 0.8, 1.0}) {
    GeneralizedAlphaOptions options;
    options.mechanics = MechanicsParameters::chung_hulbert(rho);
    options.newton.tolerance = 1e-15;
    const double h = 0.01;
    GeneralizedAlpha stepper(o.system, options);
    State state = o.system.state();
    o.system.value(state, o.q)[0] = 0.8;
    o.system.rate(state, o.q)[0] = 0.6;
    stepper.start(state);
    for (int k = 0; k < 40; ++k) REQUIRE(stepper.advance(state, h).ok());
    REQUIRE(stepper.attempt(state, h).ok());
    const double q = o.system.value(state, o.q)[0], v = o.system.rate(state, o.q)[0];
    const double error_q = stepper.result().value[0] - (q * std::cos(h) + v * std::sin(h));
    const double error_v = stepper.result().rate[0] - (v * std::cos(h) - q * std::sin(h));
    const auto estimate = [&](ErrorEstimator estimator, bool velocity) {
      ErrorScales scales;
      (velocity ? scales.velocities : scales.positions) = {0, 1};
      scales.horizon = h;
      scales.estimator = estimator;
      scales.learn = false;  // of 1 m and 1 m/s
      return stepper.local_error(state, scales).size;
    };
    const double embedded_q = estimate(ErrorEstimator::embedded, false) / std::abs(error_q),
                 embedded_v = estimate(ErrorEstimator::embedded, true) / std::abs(error_v),
                 history_q = estimate(ErrorEstimator::history, false) / std::abs(error_q),
                 history_v = estimate(ErrorEstimator::history, true) / std::abs(error_v);
    fmt::print("rho = {}: embedded q {:.3f} v {:.3f}, history q {:.3f} v {:.3f}\n", rho, embedded_q,
               embedded_v, history_q, history_v);
    CHECK(std::abs(embedded_q - 1) < 0.05);
    CHECK(std::abs(embedded_v - 1) < 0.05);
    CHECK(std::abs(history_q - 1) < 0.05);
    CHECK(history_v < 0.1);  // it does not look there
  }
}

TEST_CASE("a step that is computed and not taken leaves no trace") {
  const problems::SpringMass p;
  GeneralizedAlphaOptions options;
  State a = p.initial(), b = a;
  GeneralizedAlpha plain(p.system, options), tried(p.system, options);
  plain.start(a);
  tried.start(b);
  for (int k = 0; k < 50; ++k) {
    const State before = b;
    REQUIRE(tried.attempt(b, 0.1).ok());
    REQUIRE(tried.attempt(b, 3.0).ok());
    State between;
    tried.interpolate(b, 0.3, between);
    CHECK(b.value == before.value);
    CHECK(b.rate == before.rate);
    CHECK(b.acceleration == before.acceleration);
    CHECK(b.store == before.store);
    REQUIRE(plain.advance(a, 0.05).ok());
    REQUIRE(tried.advance(b, 0.05).ok());
  }
  for (int i = 0; i < 6; ++i)
    CHECK(std::abs(p.quantities(a)[i] - p.quantities(b)[i]) < 1e-11);  // Newton's matrix differs
}

TEST_CASE("dense output is of second order or better in every quantity, rotations too") {
  // Differences to a run that steps to the times itself, over the spring-mass with all kinds.
  const problems::SpringMass p;
  Ladder ladder({"q", "v", "v'", "x"});
  for (const double h : {0.2, 0.1, 0.05}) {
    GeneralizedAlphaOptions options;
    GeneralizedAlpha stepper(p.system, options);
    State state = p.initial();
    stepper.start(state);
    const auto exact = spring_mass().exact();
    std::array<double, 4> worst{};
    while (state.t < 5 - 1e-9) {
      REQUIRE(stepper.attempt(state, h).ok());
      if (state.t > 2 * h) {
        State middle, end = stepper.result();
        stepper.interpolate(state, 0.5, middle);
        // The error of the interpolant alone: the error in the middle less that of both ends.
        const double t0 = state.t, tm = t0 + h / 2, t1 = t0 + h;
        const auto a = exact(t0), m = exact(tm), b = exact(t1);
        const auto qa = p.quantities(state), qm = p.quantities(middle), qb = p.quantities(end);
        for (int i = 0; i < 4; ++i)
          worst[i] = std::max(worst[i], std::abs((qm[i] - m[i]) - 0.5 * (qa[i] - a[i] + qb[i] - b[i])));
      }
      stepper.commit(state);
      state.t = std::round(state.t / h) * h;
    }
    ladder.add(h, {worst[0], worst[1], worst[2], worst[3]});
  }
  ladder.print("interpolant in the middle of a step");
  for (int i = 0; i < 4; ++i) CHECK(ladder.order(2, i) > 1.9);

  Problem top = heavy_top();
  CHECK(measure(top, 1e-6).error < 1e-4);
}

TEST_CASE("kinds have tolerances of their own, limits hold, what fails is named") {
  const Problem p = spring_mass();
  CHECK(measure(p, 1e-3, ", tolerances: {states: 1e-6}").error < 0.1 * measure(p, 1e-3).error);
  CHECK(measure(p, 1e-3, ", tolerances: {signals: 1e-5}").steps > 2 * measure(p, 1e-3).steps);
  const TextRun limited(p.components, "until: 5 s, adaptive: true, tolerance: 1e-2, h_max: 20 ms",
                        {"mass.position"}, p.head);
  CHECK(limited.statistics.largest_step <= 0.0202);
  CHECK(!limited.statistics.limited_by.empty());
  const TextRun failing(p.components, "until: 5 s, adaptive: true, tolerance: 1e-9, h_min: 10 ms",
                        {"mass.position"}, p.head, true);
  CHECK(failing.failure == "E-TOLERANCE");
}
