// The spin-up of a beam about its root (Kane, Ryan & Banerjee 1987; Simo & Vu-Quoc 1987): it lags behind while it is accelerated,
// stiffens as it turns, and runs with the stretch that rotation gives it. A linear beam would bend without bound.
#include <numbers>

#include "mechanism.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi, axial = 2.8e7, mass = 1.2, length = 10, speed = 6, until = 15;

std::string model(int n) {
  return fmt::format(
      R"yaml(  beam: {{type: beam.line, from: [0, 0, 0], to: [10 m, 0, 0], elements: {}, properties: {{axial: 2.8e7 N, shear: [1e7 N, 1e7 N], torsion: 1.4e4 N*m^2, bending: [1.4e4 N*m^2, 1.4e4 N*m^2], mass: 1.2 kg/m, inertia: [12e-4 kg*m, 6e-4 kg*m, 6e-4 kg*m]}}}}
  hinge: {{type: joint.revolute, between: [ground, beam.start], at: [0, 0, 0], axis: [0, 0, 1]}}
  drive: {{type: rotational.motion, at: hinge, angle: "t < T ? W/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)) : W*(t - T/2)"}}
)yaml",
      n);
}

double angle(double t) {
  if (t >= until) return speed * (t - until / 2);
  return speed / until * (t * t / 2 + std::pow(until / (2 * pi), 2) * (std::cos(2 * pi * t / until) - 1));
}

struct Result {
  double lag = 0, time = 0;       // of the tip behind the turning axis, at most; when
  double stretch = 0, swing = 0;  // after the spin-up: mean of the tip's distance, largest lag
  RunStatistics statistics;
};

Result spin_up(int n, double step, double rho = 0.8) {
  const TextRun run(model(n), fmt::format("until: 20 s, step: {} s, rho: {}", step, rho),
                    {"beam.end.position.x", "beam.end.position.y"},
                    "parameters: {T: 15 s, W: 6 rad/s}\ngravity: none");
  Result r;
  int after = 0;
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const double c = std::cos(angle(run.t[i])), s = std::sin(angle(run.t[i]));
    const double along = c * run.rows[i][0] + s * run.rows[i][1] - length;
    const double across = c * run.rows[i][1] - s * run.rows[i][0];
    if (across < r.lag) r.lag = across, r.time = run.t[i];
    if (run.t[i] < until) continue;
    r.stretch += along;
    r.swing = std::max(r.swing, std::abs(across));
    ++after;
  }
  r.stretch /= after;
  r.statistics = run.statistics;
  return r;
}

}  // namespace

TEST_CASE("deflection while it spins up, stretch afterwards") {
  // y'' = −k² y for the place y(x) of each section, k² = ρAΩ²/EA, free at the end: y = sin(kx)/(k cos kL). To first order
  // ρAΩ²L³/3EA.
  const double k = std::sqrt(mass * speed * speed / axial), exact = std::tan(k * length) / k - length;
  CHECK(exact == doctest::Approx(mass * speed * speed * std::pow(length, 3) / (3 * axial)).epsilon(1e-4));
  CHECK(exact == doctest::Approx(5.14e-4).epsilon(1e-3));
  Extrapolation time, space;
  double swing = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    const Result r = spin_up(8, h);
    fmt::print(
        "8 segments, h = {} s: lag {:.6f} m at {:.2f} s, stretch {:.5e} m, {} iterations, {} "
        "factorisations\n",
        h, r.lag, r.time, r.stretch, r.statistics.newton_iterations, r.statistics.factorizations);
    time.add(h, {r.lag, r.stretch});
    swing = r.swing;
  }
  for (const int n : {4, 8, 16}) {
    const Result r = spin_up(n, 0.01);
    fmt::print("{} segments, h = 0.01 s: lag {:.6f} m, stretch {:.5e} m\n", n, r.lag, r.stretch);
    space.add(1.0 / n, {r.lag, r.stretch});
  }
  for (const Extrapolation* e : {&time, &space}) {
    const auto& v = e->values;
    CHECK(std::log2((v[1][0] - v[0][0]) / (v[2][0] - v[1][0])) == doctest::Approx(2).epsilon(0.08));
  }
  // Both errors are taken off; the published runs, with four elements, read 0.577.
  const double lag = time.limit(0) + space.limit(0) - space.values[1][0];
  // The tip still swings by a: that shortens its distance by ½∫w'², less than a²/L.
  const double stretch = time.limit(1) + space.limit(1) - space.values[1][1];
  fmt::print(
      "in the limit: lag {:.5f} m; stretch {:.5e} m, {:.5e} in closed form, of which swinging by {:.1e} m "
      "takes up to {:.0e}\n",
      lag, stretch, exact, swing, swing * swing / length);
  CHECK(lag == doctest::Approx(-0.577).epsilon(0.01));
  CHECK(stretch < exact);
  CHECK(stretch > exact - swing * swing / length);
}
