// Controlled spring-mass (Brüls & Arnold): reference by 34-digit extrapolation; the errors of the published algorithm
// at h = 0.1 … 0.0125; variable steps with and without the update of γ_n, θ_n; step ratios beyond the proved bound.
#include <random>

#include "problems/spring_mass.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

// q, v, v̇, x, ẋ, g^a at t = 5 and t = 20 (34-digit extrapolation, two runs agree to 2e-27).
constexpr std::array<double, 6> at5 = {-0.56605302318534703096, 2.0474401496906458771,
                                       -0.43144019711077057557, -3.3403246703146352474,
                                       0.93804874298654233054,  -0.99749322029611760653};
constexpr std::array<double, 6> at20 = {-0.10889184542209238602,   0.012641312917356571743,
                                        -0.0012054272545796326239, -0.1105453809490839259,
                                        0.012742136251319878263,   -0.11009727267667201864};
const std::vector<std::string> names = {"q", "v", "vdot", "x", "xdot", "g_a"};

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.states = StateParameters::jansen_whiting_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

std::vector<double> errors(const problems::SpringMass& p, const GeneralizedAlphaOptions& o,
                           const std::vector<double>& steps, const std::array<double, 6>& exact) {
  const auto got = p.quantities(run(p.system, p.initial(), o, steps));
  std::vector<double> e(6);
  for (int i = 0; i < 6; ++i) e[i] = got[i] - exact[i];
  return e;
}

}  // namespace

TEST_CASE("constant steps: the tabulated errors, order 2 in all six quantities") {
  const problems::SpringMass p;
  // e_q, e_v, e_vdot, e_x, e_xdot, e_ga at t = 5 for rho = 0.8.
  const double table[4][6] = {
      {-3.844661e-3, 5.547499e-3, 3.803313e-3, -8.326282e-3, -4.492010e-3, -4.134762e-5},
      {-9.686573e-4, 1.390721e-3, 9.582236e-4, -2.088056e-3, -1.132707e-3, -1.043373e-5},
      {-2.425458e-4, 3.480050e-4, 2.399308e-4, -5.225173e-4, -2.836513e-4, -2.615025e-6},
      {-6.065546e-5, 8.703098e-5, 6.000123e-5, -1.306725e-4, -7.093448e-5, -6.542280e-7}};
  Ladder ladder(names);
  for (int k = 0; k < 4; ++k) {
    const int n = 50 << k;
    ladder.add(5.0 / n, errors(p, scheme(0.8), constant_steps(5.0, n), at5));
    for (int i = 0; i < 6; ++i) {
      INFO("h = ", 5.0 / n, " quantity ", names[i], " got ", ladder.errors[k][i]);
      CHECK(close(ladder.errors[k][i], table[k][i], 1e-4));
    }
  }
  ladder.print("Controlled spring-mass, rho = 0.8, errors at t = 5 s");
  ladder.check_second_order(0.05);
}

TEST_CASE("reference values to 1e-9 by Richardson extrapolation") {
  const problems::SpringMass p;
  for (const auto& [t, exact] : {std::pair{5.0, at5}, std::pair{20.0, at20}}) {
    std::array<double, 6> g[3];
    for (int k = 0; k < 3; ++k)
      g[k] = p.quantities(
          run(p.system, p.initial(), scheme(0.8), constant_steps(t, static_cast<int>(t * 640) << k)));
    for (int i = 0; i < 6; ++i) {
      const double limit = richardson(g[0][i], g[1][i], g[2][i]);
      INFO("t = ", t, " ", names[i], " got ", limit);
      CHECK(std::abs(limit - exact[i]) < 1e-9);
    }
  }
}

TEST_CASE("every rho: order 2 in every quantity, constant steps") {
  const problems::SpringMass p;
  for (double rho : {0.0, 0.2, 0.5, 0.8, 0.9, 1.0}) {
    Ladder ladder(names);
    for (int n : {400, 800, 1600, 3200})
      ladder.add(5.0 / n, errors(p, scheme(rho), constant_steps(5.0, n), at5));
    ladder.print(fmt::format("rho = {}", rho));
    ladder.check_second_order(0.05);
  }
}

TEST_CASE("steps 0.3H / 0.7H: first order with fixed parameters, second with the update") {
  const problems::SpringMass p;
  // |e_q(5)| at H = 0.2 … 0.0125: fixed γ, and updated γ_n, θ_n with constant β (as published).
  struct Row {
    double rho;
    double fixed[5], updated[5];
  };
  const Row table[] = {{0.8,
                        {7.502621e-3, 2.471801e-3, 9.147578e-4, 3.759809e-4, 1.675719e-4},
                        {5.463436e-3, 1.395010e-3, 3.557942e-4, 8.969340e-5, 2.248168e-5}},
                       {0.0,
                        {5.924270e-2, 1.981605e-2, 7.560664e-3, 3.208980e-3, 1.463690e-3},
                        {4.098115e-2, 9.682102e-3, 2.343363e-3, 5.767138e-4, 1.431778e-4}},
                       {0.2,
                        {3.313756e-2, 1.172361e-2, 4.684926e-3, 2.052452e-3, 9.543197e-4},
                        {2.071838e-2, 4.993503e-3, 1.226415e-3, 3.040385e-4, 7.572098e-5}},
                       {0.5,
                        {1.517819e-2, 5.554996e-3, 2.271768e-3, 1.009198e-3, 4.729760e-4},
                        {9.003404e-3, 2.244114e-3, 5.613415e-4, 1.401527e-4, 3.499946e-5}},
                       {0.9,
                        {5.990181e-3, 1.784470e-3, 5.893277e-4, 2.174053e-4, 8.923624e-5},
                        {4.991072e-3, 1.272514e-3, 3.272785e-4, 8.333444e-5, 2.102605e-5}},
                       {1.0,
                        {5.288792e-3, 1.309113e-3, 3.272141e-4, 8.164112e-5, 2.038008e-5},
                        {5.288792e-3, 1.309113e-3, 3.272141e-4, 8.164112e-5, 2.038008e-5}}};
  for (const Row& row : table) {
    Ladder fixed(names), updated(names), with_beta(names);
    for (int k = 0; k < 5; ++k) {
      const int n = 50 << k;
      const auto steps = pattern_steps(5.0, n, {0.3, 0.7});
      GeneralizedAlphaOptions o = scheme(row.rho);
      with_beta.add(10.0 / n, errors(p, o, steps, at5));
      o.update_beta = false;
      updated.add(10.0 / n, errors(p, o, steps, at5));
      o.update_parameters = false;
      fixed.add(10.0 / n, errors(p, o, steps, at5));
      INFO("rho = ", row.rho, " n = ", n, " fixed ", fixed.error(k, 0), " updated ", updated.error(k, 0));
      CHECK(close(fixed.error(k, 0), row.fixed[k], 1e-4));
      CHECK(close(updated.error(k, 0), row.updated[k], 1e-4));
    }
    fixed.print(fmt::format("0.3H/0.7H, rho = {}, fixed parameters", row.rho));
    updated.print(fmt::format("0.3H/0.7H, rho = {}, gamma_n and theta_n updated, beta constant", row.rho));
    with_beta.print(fmt::format("0.3H/0.7H, rho = {}, gamma_n, theta_n, beta_n updated", row.rho));
    updated.check_second_order(0.05);
    with_beta.check_second_order(0.05);
    if (row.rho < 0.8) CHECK(fixed.order(4, 0) < 1.2);
  }
}

TEST_CASE("random step ratios keep the order") {
  const problems::SpringMass p;
  for (const double ratio : {2.0, 5.0}) {
    for (double rho : {0.0, 0.2, 0.5, 0.8, 0.9}) {
      // The geometric mean over seeds of the largest error, from N = 100 to N = 1600: the mean order over 4 doublings.
      double log_error[2] = {0, 0};
      for (int seed = 0; seed < 8; ++seed) {
        int k = 0;
        for (int n : {100, 1600}) {
          std::mt19937_64 random(seed);
          std::uniform_real_distribution<double> exponent(-std::log(ratio), std::log(ratio));
          std::vector<double> steps;
          double h = 1;
          for (int i = 0; i < n; ++i) {
            steps.push_back(h);
            double s = std::exp(exponent(random));
            if (h * s > 4 || h * s < 0.25) s = 1 / s;
            h *= s;
          }
          const auto e = errors(p, scheme(rho), pattern_steps(5.0, n, steps), at5);
          log_error[k++] += std::log(std::max(std::abs(e[0]), std::abs(e[3]))) / 8;
        }
      }
      const double order = (log_error[0] - log_error[1]) / std::log(16.0);
      fmt::print("random ratios in [1/{0}, {0}], rho = {1}: mean order {2:.2f}\n", ratio, rho, order);
      CHECK(order > 1.8);
      CHECK(order < 2.2);
    }
  }
}

TEST_CASE("ratios beyond the proved bound: an isolated restart keeps the order") {
  const problems::SpringMass p;
  for (double rho : {0.8, 0.9}) {
    Ladder ladder({"q", "x"});
    int restarts = 0;
    double largest_gamma = 0;
    for (int n : {90, 180, 360, 720, 1440}) {
      const auto steps = pattern_steps(5.0, n, {1, 1, 1, 1, 0.2, 0.04, 0.04, 0.2, 1});
      GeneralizedAlpha stepper(p.system, scheme(rho));
      State s = p.initial();
      stepper.start(s);
      restarts = 0;
      for (double h : steps) {
        const auto report = stepper.advance(s, h);
        REQUIRE(report.ok());
        restarts += report.restarted;
        largest_gamma = std::max(largest_gamma, std::abs(stepper.coefficients().gamma));
      }
      const auto got = p.quantities(s);
      ladder.add(5.0 / n, {got[0] - at5[0], got[3] - at5[3]});
    }
    ladder.print(
        fmt::format("steps shrinking by 25 within two steps, rho = {}: {} restarts, largest gamma {:.3f}",
                    rho, restarts, largest_gamma));
    CHECK(restarts > 0);
    CHECK(largest_gamma < 1 - MechanicsParameters::chung_hulbert(rho).alpha_m);
    ladder.check_second_order(0.05);
  }
}
