// Steps whose guess leaves the domain of a function, steps about a signed square root, and prescribed steps that have no
// solution as a whole (T-newton-5, T-newton-6, T-step-6).
#include <fmt/format.h>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// A rigid volume V of stiffness beta that fills through an orifice from the pressure ps: with x = ps − p, ẋ = −k √x, so
/// √x falls along a line and is zero from 2 √ps/k on.
struct Tank {
  double V, beta, Cd, A, ps;
  static constexpr double rho = 870;
  double k() const { return beta / V * Cd * A * std::sqrt(2 / rho); }
  double full() const { return 2 * std::sqrt(ps) / k(); }
  double pressure(double t) const {
    const double root = std::max(0.0, std::sqrt(ps) - 0.5 * k() * t);
    return ps - root * root;
  }
  TextRun run(const std::string& flow, const std::string& settings) const {
    return TextRun(fmt::format("  tank: {{type: math.equations, unknowns: {{p: {{kind: state, "
                               "initial: 0, nominal: 1e7}}, Q: {{kind: signal, nominal: 1e-4}}}}, equations: "
                               "{{p: \"der({}*p) = Q\", "
                               "Q: \"Q = {}*{}\"}}}}",
                               V / beta, Cd * A * std::sqrt(2 / rho), fmt::format(fmt::runtime(flow), ps)),
                   settings, {"tank.p"}, "units: SI");
  }
};

const Tank tanks[] = {{1e-3, 1.4e9, 0.7, 1e-6, 20e6},
                      {2e-4, 1.1e9, 0.61, 3e-7, 5e6},
                      {5e-2, 8e8, 0.8, 2e-5, 35e6},
                      {1e-3, 1.6e9, 0.7, 4e-7, 3e5}};

}  // namespace

TEST_CASE("a root whose argument stays positive ends no run, whatever the guess of a step") {
  for (const Tank& tank : tanks)
    for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
      double before = 0;
      for (const int steps : {25, 50, 100, 200}) {
        INFO("k = ", tank.k(), ", rho = ", rho, ", steps: ", steps);
        const double until = 0.999 * tank.full();
        const TextRun run =
            tank.run("sqrt({} - p)", fmt::format("until: {}, step: {}, rho: {}", until, until / steps, rho));
        double error = 0;
        for (std::size_t i = 0; i < run.t.size(); ++i)
          error = std::max(error, std::abs(run.rows[i][0] - tank.pressure(run.t[i])) / tank.ps);
        // The acceleration ẍ = k²/2 is constant: x is a parabola, which second order follows but for its end.
        CHECK(error < 0.5 / steps / steps);
        if (before > 0) CHECK(error < 0.4 * before + 1e-13);
        before = error;
      }
    }
}

TEST_CASE("a signed square root settles at zero") {
  for (const Tank& tank : tanks)
    for (const double rho : {0.0, 0.5, 0.8}) {
      const int steps = 150;
      INFO("k = ", tank.k(), ", rho = ", rho);
      const double until = 3 * tank.full();
      const TextRun run = tank.run("sqrt(abs({0} - p))*sign({0} - p)",
                                   fmt::format("until: {}, step: {}, rho: {}", until, until / steps, rho));
      for (std::size_t i = 0; i < run.t.size(); ++i)
        CHECK(std::abs(run.rows[i][0] - tank.pressure(run.t[i])) < 10 * tank.ps / steps / steps);
      CHECK(std::abs(run.last[0] - tank.ps) < 1e-6 * tank.ps);
    }
}

TEST_CASE("a step without a solution is halved, and the run returns to its grid") {
  // ẋ = x², x = x0/(1 − x0 t): an implicit step h has a solution only while 4 κ x is below 1.
  for (const double x0 : {1.0, 0.2, 40.0})
    for (const std::string scheme : {"generalized-alpha", "variational"}) {
      INFO("x0 = ", x0, ", ", scheme);
      const std::string model = fmt::format(
          "  a: {{type: math.equations, unknowns: {{x: {{kind: state, initial: {}}}}}, equations: {{x: "
          "\"der(x) = x*x\"}}}}",
          x0);
      const double until = 0.95 / x0, h = until / 10;
      const std::string settings = fmt::format("until: {}, step: {}, scheme: {}", until, h, scheme);
      const TextRun run(model, settings, {"a.x"}, "units: SI");
      CHECK(run.statistics.substeps > 0);
      CHECK(run.statistics.warnings.size() == 1);
      REQUIRE(run.t.size() == 11);
      for (int i = 0; i <= 10; ++i) CHECK(run.t[i] == doctest::Approx(i * h));
      CHECK(run.rows[5][0] == doctest::Approx(x0 / (1 - x0 * run.t[5])).epsilon(0.02));
      CHECK(std::abs(x0 / run.last[0] - 0.05) < 0.05);  // errors of x grow like x²
      const TextRun fine(model, fmt::format("until: {}, step: {}, scheme: {}", until, h / 100, scheme),
                         {"a.x"}, "units: SI");
      CHECK(fine.statistics.substeps == 0);
      CHECK(fine.statistics.warnings.empty());
      CHECK(fine.last[0] == doctest::Approx(20 * x0).epsilon(0.01));

      const TextRun off(model, settings + ", substeps: 0", {"a.x"}, "units: SI", true);
      CHECK(off.failure == "E-NEWTON");
      // Where there is none at any size the run ends.
      const TextRun beyond(model, fmt::format("until: {}, step: {}, scheme: {}", 2 / x0, h, scheme), {"a.x"},
                           "units: SI", true);
      CHECK(beyond.failure == "E-NEWTON");
      CHECK(beyond.state.t == doctest::Approx(1 / x0).epsilon(0.05));
    }
}
