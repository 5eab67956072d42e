// D2: a free asymmetric body. J = (1, 2, 3), ω0 = (1, 2, 0.5) as tabulated, with a translation added; the flip about the
// intermediate axis from ω0 = (0.01, 1, 0.01). On SO(3) × ℝ³ and on SE(3).
#include "problems/heavy_top.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;
using problems::vector3;

namespace {

constexpr Vector3 J{{1, 2, 3}};
constexpr double mass = 2;
constexpr Vector3 velocity0{{0.3, -0.7, 1.1}};  // world axes; R(0) = I

/// One instant in the same terms for both formulations.
struct Quantities {
  Vector3 x, velocity;  // of the centre of mass, world axes
  Rotation<double> R;
  Vector3 omega, alpha;  // body axes
  Vector3 spatial_momentum() const {
    return R * Vector3{{J[0] * omega[0], J[1] * omega[1], J[2] * omega[2]}};
  }
  double energy() const {
    return 0.5 * (mass * dot(velocity, velocity) + J[0] * omega[0] * omega[0] + J[1] * omega[1] * omega[1] +
                  J[2] * omega[2] * omega[2]);
  }
};

template <Manifold manifold>
struct FreeOn {
  static constexpr bool se3 = manifold == Manifold::se3;
  static constexpr const char* name = se3 ? "SE(3)" : "SO(3) x R3";
  Pose at;
  System system = [this] {
    SystemBuilder builder;
    builder.frames_move_on(manifold);
    at = builder.pose("body.frame");
    builder.add(body::Rigid{at, mass, diagonal(J[0], J[1], J[2]), {}});
    return builder.finish();
  }();
  State initial(const Vector3& omega) const {
    State s = system.state();
    for (int i = 0; i < 3; ++i) {
      system.rate(s, at)[i] = velocity0[i];
      system.rate(s, at)[3 + i] = omega[i];
    }
    return s;
  }
  Quantities quantities(const State& s) const {
    const auto q = system.value(s, at), v = system.rate(s, at);
    const Rotation<double> R{q[0], vector3(q, 1)};
    return {vector3(q, 4), se3 ? R * vector3(v) : vector3(v), R, vector3(v, 3),
            vector3(system.acceleration(s, at), 3)};
  }
};
using FreeBody = FreeOn<Manifold::r3so3>;
using FreePose = FreeOn<Manifold::se3>;

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

constexpr Vector3 omega0{{1, 2, 0.5}};

}  // namespace

TEST_CASE("the exact motion agrees with the reference at t = 5") {
  // reference/tables.md, freebody.
  problems::RotationMotion exact({J[0], J[1], J[2]}, {}, 0.0, omega0);
  const auto m = exact.at(5.0);
  const Rotation<double> R{0.15312126044802, {{0.276727092991294, -0.252728202817267, 0.914387473177619}}};
  CHECK(problems::distance(m.R, R) < 1e-13);
  CHECK(norm(m.omega - Vector3{{0.635852926038335, -2.14375629595542, -0.226795755068675}}) < 1e-13);
}

TEST_CASE_TEMPLATE("errors at t = 5 as tabulated, h = 0.1 … 0.0125", Body, FreeBody, FreePose) {
  const Body body;
  struct Row {
    double rho, R[4], omega[4], momentum;  // spatial momentum at h = 0.0125
  };
  // reference/tables.md, freebody, "exp body-right".
  const Row table[] = {{0.8,
                        {2.0156e-02, 5.0543e-03, 1.2643e-03, 3.1610e-04},
                        {1.1421e-03, 2.8556e-04, 7.1374e-05, 1.7840e-05},
                        2.64e-04},
                       {0.2,
                        {5.7685e-02, 1.4106e-02, 3.4593e-03, 8.5476e-04},
                        {5.6057e-03, 1.1680e-03, 2.6471e-04, 6.3080e-05},
                        8.94e-04},
                       {1.0,
                        {1.9183e-02, 4.8130e-03, 1.2043e-03, 3.0115e-04},
                        {1.0714e-03, 2.6815e-04, 6.7056e-05, 1.6765e-05},
                        2.48e-04}};
  problems::RotationMotion exact({J[0], J[1], J[2]}, {}, 0.0, omega0);
  const auto m = exact.at(5.0);
  for (const Row& row : table) {
    Ladder ladder({"R", "omega", "momentum"});
    for (int k = 0; k < 4; ++k) {
      const int n = 50 << k;
      const Quantities q =
          body.quantities(run(body.system, body.initial(omega0), scheme(row.rho), constant_steps(5.0, n)));
      const Vector3 momentum0{{J[0] * omega0[0], J[1] * omega0[1], J[2] * omega0[2]}};
      ladder.add(5.0 / n, {problems::distance(q.R, m.R), norm(q.omega - m.omega),
                           norm(q.spatial_momentum() - momentum0)});
      INFO(std::string(Body::name), " rho = ", row.rho, " h = ", 5.0 / n);
      CHECK(close(ladder.error(k, 0), row.R[k], 1e-4));
      CHECK(close(ladder.error(k, 1), row.omega[k], 1e-4));
    }
    ladder.print(fmt::format("free body on {}, rho = {}, errors at t = 5", Body::name, row.rho));
    CHECK(close(ladder.error(3, 2), row.momentum, 5e-3));
  }
}

TEST_CASE_TEMPLATE("order 2 from t = 0; momentum and energy", Body, FreeBody, FreePose) {
  const Body body;
  for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.6, 1.4}}) {
    Ladder ladder({"R", "omega", "omega'", "spatial mom.", "energy"});
    Ladder centre({"x", "linear mom."});
    double drift = 0;  // of the linear momentum, at any step size
    for (int n : {400, 800, 1600, 3200}) {
      problems::RotationMotion exact({J[0], J[1], J[2]}, {}, 0.0, omega0);
      std::vector<double> e(5, 0.0), c(2, 0.0);
      Quantities start;
      run(body.system, body.initial(omega0), scheme(0.8), pattern_steps(5.0, n, pattern),
          [&](const State& s) {
            const auto m = exact.at(s.t);
            const Quantities q = body.quantities(s);
            if (s.t == 0) start = q;
            const double d[5] = {
                problems::distance(q.R, m.R), norm(q.omega - m.omega), norm(q.alpha - m.alpha),
                norm(q.spatial_momentum() - start.spatial_momentum()), std::abs(q.energy() - start.energy())};
            for (int i = 0; i < 5; ++i) e[i] = std::max(e[i], d[i]);
            c[0] = std::max(c[0], norm(q.x - s.t * velocity0));
            c[1] = std::max(c[1], mass * norm(q.velocity - velocity0));
          });
      ladder.add(5.0 / n, e);
      centre.add(5.0 / n, c);
      drift = std::max(drift, c[1]);
    }
    const std::string title = fmt::format("free body on {}, largest errors over [0, 5], {} steps", Body::name,
                                          pattern.size() == 1 ? "constant" : "0.6/1.4");
    ladder.print(title);
    ladder.check_second_order(0.05);
    if (std::is_same_v<Body, FreeBody>) {  // world axes: nothing acts on the centre of mass
      fmt::print("linear momentum: largest change {:.1e}; centre of mass: error {:.1e}\n", drift,
                 centre.error(3, 0));
      CHECK(drift == 0.0);
      CHECK(centre.error(3, 0) < 1e-12);
    } else {  // body axes: the velocity turns with the body, to second order
      centre.print(title);
      centre.check_second_order(0.05);
    }
  }
}

TEST_CASE_TEMPLATE("the flip: omega at t = 10, 50, 100 by Richardson extrapolation", Body, FreeBody,
                   FreePose) {
  // Jacobi elliptic functions and DOP853 (benchmarks.yaml, D2_freebody_flip): certain to 1e-9.
  const Vector3 expected[3] = {{{-0.8745734378911, 0.484996187341, 0.5050012205479}},
                               {{-0.9999644885994, 0.0130775204094, 0.5773875008634}},
                               {{0.009550413197, -1.0000043947942, 0.0098524175076}}};
  const Vector3 flip{{0.01, 1, 0.01}};
  problems::RotationMotion exact({J[0], J[1], J[2]}, {}, 0.0, flip);
  const double times[3] = {10, 50, 100};
  for (int k = 0; k < 3; ++k) CHECK(norm(exact.at(times[k]).omega - expected[k]) < 1e-9);

  const Body body;
  GeneralizedAlphaOptions o = scheme(0.8);
  o.newton.tolerance = 1e-15;  // the unstable axis multiplies what Newton leaves over by some hundreds
  std::vector<std::vector<double>> rungs;
  for (int n : {5000, 10000, 20000, 40000}) {
    std::vector<double> values;
    int step = 0;
    run(body.system, body.initial(flip), o, constant_steps(100.0, n), [&](const State& s) {
      for (double t : times)
        if (step == std::lround(t * n / 100)) {
          const Quantities q = body.quantities(s);
          values.insert(values.end(), q.omega.e, q.omega.e + 3);
        }
      ++step;
    });
    rungs.push_back(std::move(values));
  }
  fmt::print("\nflip on {}, h = 0.02 … 0.0025: errors of omega\n", Body::name);
  for (std::size_t i = 0; i < 9; ++i) {
    const double first = richardson(rungs[0][i], rungs[1][i], rungs[2][i]);
    const double second = richardson(rungs[1][i], rungs[2][i], rungs[3][i]);
    const double limit = (16 * second - first) / 15, right = expected[i / 3][i % 3];
    fmt::print("  t = {:3}  omega_{} {:16.12f}  error {:9.1e}  (finest step {:.1e})\n", times[i / 3],
               i % 3 + 1, limit, limit - right, rungs[3][i] - right);
    CHECK(std::abs(limit - right) <= 1e-9);
  }
}
