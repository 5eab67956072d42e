// M6: Fourbar1 of the Modelica Standard Library, a spatial loop: angle and rate of j1 at t = 2.5 and 5 s against Dymola's
// figures and against the exact motion of one degree of freedom, order 2.
#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// At the angle φ of j1: the inertia of φ', the potential energy and the slide, and its derivative.
struct Exact {
  Real mass, potential, slide, slide_rate;
  explicit Exact(Real phi) {
    const Real d = 0.05L, rho = 7700, g = 9.80665L, pi = std::acos(-1.0L);
    const auto bar = [&](Real length) {
      const Real m = rho * pi * d * d / 4 * length;
      return std::array{m, m * d * d / 8,
                        m * (d * d / 16 + length * length / 12)};  // mass, inertia along, across
    };
    const auto b1 = bar(std::sqrt(0.26L)), b2 = bar(0.2L), b3 = bar(std::sqrt(1.1L));
    const Real c = std::cos(phi), s = std::sin(phi);
    const Real y = 0.5L * c - 0.1L * s, z = 0.5L * s + 0.1L * c;  // the ball; y' = −z, z' = y
    slide = std::sqrt(1.1L - (y - 0.2L) * (y - 0.2L) - z * z);
    slide_rate = ((y - 0.2L) * z - z * y) / slide;
    // b3 from the Cardan joint to the ball: v = R_y(α) R_z(β) (−1, 0.3, 0.1).
    const Real vx = -slide, vy = y - 0.2L, dvx = -slide_rate, dvy = -z, dvz = y;
    const Real beta = std::acos(vy / std::sqrt(1.09L)) - std::atan2(1.0L, 0.3L);
    const Real across = -std::cos(beta) - 0.3L * std::sin(beta);
    const Real beta_rate = dvy / across, across_rate = (std::sin(beta) - 0.3L * std::cos(beta)) * beta_rate;
    const Real size = vx * vx + z * z;  // (v_x, v_z) = R(α) (across, 0.1)
    const Real sin_a = (0.1L * vx - across * z) / size, cos_a = (across * vx + 0.1L * z) / size;
    const Real alpha_rate = -(dvz + sin_a * across_rate) / vx;
    // ω = α' y + β' z', along the bar and across.
    const Real along = (alpha_rate * vy + beta_rate * (sin_a * vx + cos_a * z)) / std::sqrt(1.1L);
    const Real square = alpha_rate * alpha_rate + beta_rate * beta_rate;
    const Real cx = slide_rate + dvx / 2, cy = dvy / 2, cz = dvz / 2;  // velocity of its centre
    mass = b1[2] + b1[0] * 0.26L / 4 + b2[0] * slide_rate * slide_rate +
           b3[0] * (cx * cx + cy * cy + cz * cz) + b3[1] * along * along + b3[2] * (square - along * along);
    potential = g * (b1[0] * y / 2 + b3[0] * (0.2L + vy / 2));
  }
};

Real rate(Real phi) {
  const Exact start(0), now(phi);
  const Real w = 300 * std::acos(-1.0L) / 180;
  return std::sqrt((start.mass * w * w + 2 * (start.potential - now.potential)) / now.mass);
}

}  // namespace

TEST_CASE("angle and rate of j1") {
  // msl_v4.0.0_reference/Fourbar1.csv.gz (benchmarks.yaml, M6): good to 1e-4.
  const double dymola[4] = {19.867257902157814, 7.829235325209652, 40.3282362223391, 11.739421903908035};
  ReferenceOde<1> exact([](Real, const std::array<Real, 1>& y) { return std::array{rate(y[0])}; }, {0},
                        0.005L);
  std::vector<double> expected;
  for (Real t : {2.5L, 5.0L}) {
    const Real phi = exact.at(t)[0];
    expected.push_back(static_cast<double>(phi));
    expected.push_back(static_cast<double>(rate(phi)));
  }
  for (const char* frames : {"r3so3", "se3"}) {
    const Mechanism m("M6_fourbar1", {{"simulate.frames", frames}});
    const double w = 300 * std::acos(-1.0) / 180;
    CHECK(close(m(m.initial(), "j1.velocity"), w, 1e-14));
    CHECK(close(m(m.initial(), "j2.velocity"), -0.02 * w, 1e-12));  // from the lengths
    CHECK(std::abs(m(m.initial(), "j1.angle")) < 1e-14);
    Extrapolation e;
    for (int n : {2000, 4000, 8000, 16000}) {
      std::vector<double> values;
      int step = 0;
      m.run(constant_steps(5, n), [&](const State& s) {
        if (step * 2 == n || step == n)
          for (const char* channel : {"j1.angle", "j1.velocity"}) values.push_back(m(s, channel));
        if (step % 100 == 0) {  // |b3| keeps its length: the slide follows from the angle
          const Exact there(m(s, "j1.angle"));
          CHECK(std::abs(m(s, "j2.displacement") + 1 - static_cast<double>(there.slide)) < 1e-11);
        }
        ++step;
      });
      e.add(5.0 / n, values);
    }
    fmt::print("\nFourbar1, frames on {}, h = 2.5 … 0.3125 ms, against Dymola\n", frames);
    const char* const names[] = {"j1.phi(2.5)", "j1.w(2.5)", "j1.phi(5)", "j1.w(5)"};
    for (std::size_t i = 0; i < 4; ++i) check_limit(e, i, names[i], dymola[i], 1e-4 * std::abs(dymola[i]));
    fmt::print("against the exact motion\n");
    for (std::size_t i = 0; i < 4; ++i) check_limit(e, i, names[i], expected[i], 1e-8);
    Ladder ladder({"j1.phi(2.5)", "j1.w(2.5)", "j1.phi(5)", "j1.w(5)"});
    for (std::size_t r = 0; r < 3; ++r) {
      std::vector<double> errors;
      for (std::size_t i = 0; i < 4; ++i) errors.push_back(e.values[r][i] - expected[i]);
      ladder.add(e.h[r], errors);
    }
    ladder.print("errors");
    ladder.check_second_order(0.1);
  }
}
