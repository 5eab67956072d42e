// A shaft on two supports: its critical speed; with an unbalanced disc in the middle the whirl of Jeffcott's rotor below, at and
// above that speed in closed form, the way through it, and the disc that turns about its centre of mass beyond.
#include <Eigen/Eigenvalues>
#include <numbers>

#include "components/beam/inertia.hpp"
#include "components/beam/segment.hpp"
#include "components/body/rigid.hpp"
#include "mechanism.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi, EI = 2500.0 / 48, GA = 1e6, shaft_mass = 1e-3, mass = 1, e = 1e-3;

/// The lowest frequency of bending of a uniform shaft of n segments, from K and M of the segments.
double lowest_frequency(int n, double bending, double shear, double line_mass) {
  const double l = 1.0 / n;
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = i == 0 ? 1e9 : i < 3 ? shear : bending;
  SystemBuilder b;
  std::vector<Pose> nodes;
  for (int i = 0; i <= n; ++i) {
    nodes.push_back(b.pose(fmt::format("node{}", i)));
    b.add(body::Rigid{nodes[i], 0, diagonal(1e-9, 1e-9, 1e-9)});
    if (i == 0) continue;
    b.add(beam::Inertia{nodes[i - 1], nodes[i], line_mass * l});
    b.add(beam::Segment{nodes[i - 1], nodes[i], {}, {}, l, beam::of_segment(k, l)});
  }
  const System system = b.finish();
  State s = system.state();
  for (int i = 0; i <= n; ++i) system.value(s, nodes[i])[4] = i * l;
  const Pattern& p = system.pattern();
  const auto dense = [&](const Shift& shift) {
    std::vector<double> r(p.n), values(p.nonzeros());
    system.tangent(s, shift, {}, r, values);
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(p.n, p.n);
    for (int j = 0; j < p.n; ++j)
      for (int q = p.column_begin[j]; q < p.column_begin[j + 1]; ++q) m(p.row[q], j) += values[q];
    return m;
  };
  const Eigen::MatrixXd K = dense(Shift::stiffness()), M = dense(Shift::mass());
  std::vector<int> free;  // bending in one plane: along y and about z, without the ends' y
  for (int i = 0; i <= n; ++i) {
    if (i > 0 && i < n) free.push_back(6 * i + 1);
    free.push_back(6 * i + 5);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K(free, free), M(free, free));
  return std::sqrt(solver.eigenvalues()[0]);
}

/// The shaft is driven through a joint that lets it bend; its mass counts little.
std::string model() {
  const std::string half =
      "elements: 2, properties: {axial: 1e7 N, shear: [1e6 N, 1e6 N], torsion: 100 N*m^2, bending: "
      "[2500/48*(1 N*m^2), "
      "2500/48*(1 N*m^2)], mass: 1e-3 kg/m, inertia: [2e-6 kg*m, 1e-6 kg*m, 1e-6 kg*m]}}\n";
  return "  left: {type: beam.line, from: [0, 0, 0], to: [0.5 m, 0, 0], " + half +
         "  right: {type: beam.line, from: [0.5 m, 0, 0], to: [1 m, 0, 0], " + half + R"yaml(
  hub: {type: body.rigid, mass: 0.01 kg, principal_inertia: [1e-4 kg*m^2, 1e-4 kg*m^2, 1e-4 kg*m^2]}
  disc: {type: body.rigid, mass: 1 kg, principal_inertia: [0.01 kg*m^2, 0.005 kg*m^2, 0.005 kg*m^2], com: [0, 0, 1 mm], initial: {position: [0.5 m, 0, 0]}, frames: {heavy: {position: [0, 0, 1 mm]}}}
  bearing: {type: joint.revolute, between: [ground, hub], at: [0, 0, 0], axis: [1, 0, 0]}
  drive: {type: rotational.motion, at: bearing, angle: "t < T ? W/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)) : W*(t - T/2)"}
  coupling: {type: joint.universal, between: [hub, left.start], at: [0, 0, 0], axis: [1, 0, 0]}
  fit: {type: joint.fixed, between: [left.end, disc], at: [0.5 m, 0, 0]}
  press: {type: joint.fixed, between: [disc, right.start], at: [0.5 m, 0, 0]}
  support: {type: joint.point_on_line, between: [ground, right.end], at: [1 m, 0, 0], axis: [1, 0, 0]}
  drag_y: {type: control.expression, inputs: {v: disc.velocity.y}, expression: "-c*v", unit: N}
  drag_z: {type: control.expression, inputs: {v: disc.velocity.z}, expression: "-c*v", unit: N}
  still: {type: control.constant, value: 0, unit: N}
  air: {type: force.point, at: disc, input: [still, drag_y, drag_z]}
)yaml";
}

struct Whirl {
  double last = 0,
         heavy = 0;  // how far the shaft and the centre of mass are off the axis, mean of the last 0.2 s
  double peak = 0, at = 0;  // m, s
};

Whirl whirl(double speed, double run_up, double damping, double until, double step) {
  const TextRun run(
      model(), fmt::format("until: {} s, step: {} s, rho: 0.8, constraints: index-2", until, step),
      {"left.end.position.y", "left.end.position.z", "disc.heavy.position.y", "disc.heavy.position.z"},
      fmt::format("parameters: {{W: {} rad/s, T: {} s, c: {} N*s/m}}\ngravity: none", speed, run_up,
                  damping));
  Whirl w;
  int count = 0;
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const auto& r = run.rows[i];
    const double off = std::hypot(r[0], r[1]);
    if (off > w.peak) w.peak = off, w.at = run.t[i];
    if (run.t[i] < until - 0.2) continue;
    w.last += off, w.heavy += std::hypot(r[2], r[3]), ++count;
  }
  w.last /= count, w.heavy /= count;
  return w;
}

/// The middle of a shaft on two supports gives by L³/48EI, and by L/4GA in shear; 17/35 of its mass move with the disc.
const double stiffness = 1 / (1 / (48 * EI) + 1 / (4 * GA)), moved = mass + 17.0 / 35 * shaft_mass;
const double critical = std::sqrt(stiffness / moved);

double jeffcott(double speed, double damping) {
  return mass * e * speed * speed / std::hypot(stiffness - moved * speed * speed, damping * speed);
}

}  // namespace

TEST_CASE("critical speed of a uniform shaft: pi^2 sqrt(EI/(rho A L^4))") {
  const double exact = pi * pi * std::sqrt(EI / 2.0);
  Ladder ladder({"critical speed"});
  for (const int n : {4, 8, 16}) ladder.add(1.0 / n, {lowest_frequency(n, EI, 1e9, 2.0) / exact - 1});
  ladder.print("uniform shaft, relative error of the critical speed");
  ladder.check_second_order(0.05);
  // Velocities that are linear between the nodes miss (π/n)²/6 of the kinetic energy of a half sine.
  CHECK(256 * ladder.error(2, 0) == doctest::Approx(pi * pi / 12).epsilon(0.02));
}

TEST_CASE("whirl of the unbalanced disc below, at and above the critical speed") {
  for (const double ratio : {0.5, 0.9, 1.0, 1.1, 2.0}) {
    const double speed = ratio * critical;
    const Whirl w = whirl(speed, 0.5, 10, 3, 5e-4);
    const double exact = jeffcott(speed, 10);
    fmt::print(
        "{:.1f} of the critical speed: the shaft is {:.6e} m off, {:.6e} in closed form; the centre of mass "
        "{:.3e} m\n",
        ratio, w.last, exact, w.heavy);
    // The whirl turns by Ωh in a step: (Ωh)²/12 of the forces, times what resonance makes of it; the shaft bends by 5 mm of 1 m.
    CHECK(close(w.last, exact, 5e-4));
    if (ratio < 0.8) CHECK(w.heavy > w.last + 0.9 * e);  // the heavy side is outside
    if (ratio > 1.5) CHECK(w.heavy < 0.5 * e);           // the disc turns about its centre of mass
  }
}

TEST_CASE("through the critical speed and beyond") {
  const double damping = 4, until = 8;
  const Whirl w = whirl(3 * critical, 6, damping, until, 1e-3),
              fine = whirl(3 * critical, 6, damping, until, 5e-4);
  const double resonance = mass * e * critical / damping;  // if it stayed there
  fmt::print(
      "run up to three times the critical speed: at most {:.3e} m off at {:.2f} s (steady {:.2e}); then "
      "{:.4e}, {:.4e} in "
      "closed form; centre of mass {:.1e}\n",
      fine.peak, fine.at, resonance, fine.last, jeffcott(3 * critical, damping), fine.heavy);
  CHECK(close(w.peak, fine.peak, 5e-3));
  CHECK(fine.peak < resonance);
  CHECK(fine.peak > 3 * e);
  CHECK(close(fine.last, jeffcott(3 * critical, damping), 2e-3));
  CHECK(fine.heavy < 0.15 * e);
}
