// B6: a four-bar mechanism of flexible bars, one of its joints out of line by 5 degrees (Bauchau, Betsch, Cardona and others,
// Multibody Syst. Dyn. 37, 2016): a rigid one could not move. Through the position in which all bars lie in line it snaps into the
// crossed form. There are published figures only, no numbers: this is the convergence of the runs among themselves.
#include "mechanism.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const std::string head = "parameters: {W: -0.6 rad/s, T: 0.5 s}\ngravity: none";

/// The speed comes up smoothly within 0.5 s; the problem steps it on.
std::string model(int n) {
  const std::string thick =
      "properties: {axial: 52.99e6 N, shear: [16.88e6 N, 16.88e6 N], torsion: 733.5 N*m^2, bending: [1131 "
      "N*m^2, 1131 "
      "N*m^2], mass: 1.997 kg/m, inertia: [85.2e-6 kg*m, 42.6e-6 kg*m, 42.6e-6 kg*m]}";
  const std::string thin =
      "properties: {axial: 13.25e6 N, shear: [4.22e6 N, 4.22e6 N], torsion: 45.84 N*m^2, bending: [70.66 "
      "N*m^2, 70.66 "
      "N*m^2], mass: 0.4992 kg/m, inertia: [5.324e-6 kg*m, 2.662e-6 kg*m, 2.662e-6 kg*m]}";
  return fmt::format(
      R"yaml(  ab: {{type: beam.line, from: [0, 0, 0], to: [0, 0.12 m, 0], elements: {0}, {2}}}
  bc: {{type: beam.line, from: [0, 0.12 m, 0], to: [0.24 m, 0.12 m, 0], elements: {1}, {2}}}
  cd: {{type: beam.line, from: [0.24 m, 0.12 m, 0], to: [0.24 m, 0, 0], elements: {0}, {3}}}
  A: {{type: joint.revolute, between: [ground, ab.start], at: [0, 0, 0], axis: [0, 0, 1]}}
  B: {{type: joint.revolute, between: [ab.end, bc.start], at: [0, 0.12 m, 0], axis: [0, 0, 1]}}
  C: {{type: joint.revolute, between: [bc.end, cd.start], at: [0.24 m, 0.12 m, 0], axis: [sin(5*pi/180), 0, cos(5*pi/180)]}}
  D: {{type: joint.revolute, between: [ground, cd.end], at: [0.24 m, 0, 0], axis: [0, 0, 1]}}
  drive: {{type: rotational.motion, at: A, angle: "t < T ? W/2*(t - T/pi*sin(pi*t/T)) : W*(t - T/2)"}}
)yaml",
      n, 2 * n, thick, thin);
}

const std::vector<std::string> channels = {"B.angle",           "C.angle",           "D.angle",
                                           "bc.end.position.z", "bc.start.moment.y", "cd.start.moment.y",
                                           "drive.torque"};
/// What counts as how much: rad, m, N m.
const double size[] = {1, 1, 1, 4e-3, 100, 100, 10};

TextRun run(int n, double step) {
  double rest = 0;
  TextRun r(model(n), fmt::format("until: 12 s, step: {} s, rho: 0.5", step), channels, head, false,
            [&](const Assembly& a, const State& s) {
              std::vector<double> rows(a.system.size());
              a.system.constraints(s, 0, -1, rows);
              for (const double x : rows) rest = std::max(rest, std::abs(x));
            });
  fmt::print(
      "B6: {} segments, h = {} s: constraints hold to {:.0e}; {} iterations, {} factorisations in {} steps\n",
      4 * n, step, rest, r.statistics.newton_iterations, r.statistics.factorizations, r.statistics.steps);
  CHECK(rest < 1e-12);
  return r;
}

}  // namespace

TEST_CASE("twelve seconds: joint angles, motion out of the plane, moments; converged in steps and segments") {
  const TextRun coarse = run(4, 0.01), fine = run(4, 0.005);
  const TextRun two = run(2, 0.01), eight = run(8, 0.01);
  for (const double t : {1.5, 4.5, 6.0, 9.0, 12.0}) {
    const auto &a = coarse.at(t), &b = fine.at(t), &c = two.at(t), &d = eight.at(t);
    fmt::print(
        "t = {:4}: B {:8.5f}, C {:8.5f}, D {:8.5f} rad; C is {:9.6f} m out of the plane; moments {:8.3f}, "
        "{:8.3f} N m\n",
        t, d[0], d[1], d[2], d[3], d[4], d[5]);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      INFO(channels[i], " at t = ", t);
      CHECK(std::abs(a[i] - b[i]) < 1e-5 * size[i]);  // the motion is slow: steps hardly matter
      if (i >= 4 && i < 6) continue;
      // Under constant moments and forces segments of any length are exact: what is left of them is small, and falls.
      CHECK(std::abs(a[i] - d[i]) < 0.5 * std::abs(c[i] - a[i]) + 1e-6 * size[i]);
      CHECK(std::abs(a[i] - d[i]) < 1e-4 * size[i]);
    }
    // The moment in the middle of the first segment: linear along the bar, so that three halvings lie on a line.
    for (const std::size_t i : {4, 5})
      CHECK(std::abs((a[i] - c[i]) - 2 * (d[i] - a[i])) < 0.02 * std::abs(a[i] - c[i]) + 1e-3 * size[i]);
  }
}
