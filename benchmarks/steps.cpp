// Time per step of small systems, over the bare solver work of that step (factor + solve of the same matrix).
#include "components/body/rigid.hpp"
#include "components/joint/joint.hpp"
#include "problems/pendulum.hpp"
#include "problems/spring_mass.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

void measure(const std::string& name, const System& system, State s, double h) {
  GeneralizedAlpha stepper(system, {});
  stepper.start(s);
  long iterations = 0, factorizations = 0, steps = 0;
  const double per_step = seconds([&] {
    const auto report = stepper.advance(s, h);
    iterations += report.newton.iterations;
    factorizations += report.newton.factorizations;
    ++steps;
  });
  stepper.newton().factor();
  std::vector<double> b(system.size(), 1.0);
  const double factor = seconds([&] { stepper.newton().factor(); });
  const double solve = seconds([&] { stepper.newton().solver().solve(b); });
  const double bare = (factor * factorizations + solve * iterations) / steps;
  report("steps", fmt::format("{} ({} unknowns, {})", name, system.size(), stepper.newton().solver().name()),
         per_step / bare, "its own factor and solve calls alone", per_step * 1e6, "us per step");
  report("steps", name + ", Newton iterations per step", static_cast<double>(factorizations) / steps,
         "factorisations per step", static_cast<double>(iterations) / steps, "iterations");
}

}  // namespace

int main() {
  const problems::SpringMass spring_mass;
  measure("controlled spring-mass", spring_mass.system, spring_mass.initial(), 0.01);
  const problems::Pendulum pendulum;
  measure("pendulum", pendulum.system, pendulum.initial(1.0, 0.5), 1e-3);

  SystemBuilder b;
  const auto at = b.pose("top");
  const auto f = b.multiplier<3>("f");
  b.add(body::Rigid{at, 15.0, diagonal(0.234375, 0.46875, 0.234375), {{0, 0, -9.81}}});
  b.add(joint::spherical({}, at, f, {}, {{0, -1, 0}}));
  const System top = b.finish();
  State s = top.state();
  top.value(s, at)[5] = 1.0;
  top.rate(s, at)[4] = 150;
  top.rate(s, at)[5] = -4.61538;
  top.rate(s, at)[0] = 4.61538;
  measure("heavy top", top, s, 5e-4);
}
