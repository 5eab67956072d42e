// B1: IFToMM A01, a point mass on a massless rod of 1 m, from the horizontal at rest, g = 9.81: positions at t = 1, 5,
// 10 by extrapolation, the period, the energy limit of the benchmark. A body in space on joint.distance, and a
// planar.mass on planar.distance.
#include "mechanism.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("x and y at t = 1, 5, 10") {
  // Closed form, Jacobi elliptic functions in 30 digits (benchmarks.yaml, B1_simple_pendulum_A01).
  const double expected[3][2] = {{0.986291751131875, -0.165010853125541},
                                 {-0.942305435043757, -0.334754338414001},
                                 {-0.275087462576117, -0.961419205099125}};
  Mechanism pendulum("B1_simple_pendulum");
  pendulum.options.newton.tolerance = 1e-14;  // 40,000 steps: what Newton leaves over sums up
  pendulum.options.newton.keep_matrix = false;
  for (const std::string body : {"bob", "point"}) {
    Extrapolation e;
    for (int n : {2500, 5000, 10000, 20000, 40000}) {
      std::vector<double> values;
      int step = 0;
      pendulum.run(constant_steps(10, n), [&](const State& s) {
        for (int t : {1, 5, 10})
          if (step * 10 == t * n)
            for (const char* part : {".position.x", ".position.y"})
              values.push_back(pendulum(s, body + part));
        ++step;
      });
      e.add(10.0 / n, values);
    }
    fmt::print("\nsimple pendulum, {}\n", body);
    for (std::size_t i = 0; i < 6; ++i)
      check_limit(e, i,
                  fmt::format(
                      "{}({})", "xy" [i % 2], std::array { 1, 5, 10 }[i / 2]),
                  expected[i / 2][i % 2], 1e-12);
  }
}

TEST_CASE("period and energy") {
  // Half a period after the start the bob is at rest at x = +1: the time where y' goes through zero.
  const Mechanism pendulum("B1_simple_pendulum");
  Extrapolation e;
  double drift = 0;
  for (int n : {1000, 2000, 4000, 8000}) {
    double last_t = 0, last_rate = 0, half_period = 0, last_acceleration = 0;
    drift = 0;
    pendulum.run(constant_steps(1.25, n), [&](const State& s) {
      const double rate = pendulum.velocity(s, "bob")[1], a = pendulum.acceleration(s, "bob")[1];
      // Hermite's cubic of y' between the two steps, its zero by bisection.
      if (s.t > 1 && last_rate > 0 && rate <= 0) {
        const double h = s.t - last_t;
        double low = 0, high = 1;
        for (int k = 0; k < 60; ++k) {
          const double u = 0.5 * (low + high);
          const double y = (1 + 2 * u) * (1 - u) * (1 - u) * last_rate +
                           u * (1 - u) * (1 - u) * h * last_acceleration + u * u * (3 - 2 * u) * rate +
                           u * u * (u - 1) * h * a;
          (y > 0 ? low : high) = u;
        }
        half_period = last_t + low * h;
      }
      last_t = s.t, last_rate = rate, last_acceleration = a;
      drift = std::max(drift, std::abs(pendulum(s, "bob.energy")));
    });
    e.add(1.25 / n, {2 * half_period});
  }
  fmt::print("\n");
  check_limit(e, 0, "period", 2.3678419475762373, 1e-10);  // benchmarks.yaml

  // The benchmark allows 5e-5 J over 10 s.
  Ladder ladder({"energy"});
  for (int n : {10000, 20000, 40000}) {
    drift = 0;
    pendulum.run(constant_steps(10, n),
                 [&](const State& s) { drift = std::max(drift, std::abs(pendulum(s, "bob.energy"))); });
    ladder.add(10.0 / n, {drift});
  }
  ladder.print("simple pendulum, largest energy error over 10 s (J)");
  ladder.check_second_order(0.1);
  CHECK(ladder.error(1, 0) < 5e-5);
}
