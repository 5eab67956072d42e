#include <Eigen/Dense>
#include "problems/heavy_top.hpp"
#include "support.hpp"
using namespace escapement;
using namespace escapement::validation;
using problems::TopQuantities;

GeneralizedAlphaOptions scheme(double rho, ConstraintForm form) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.constraints = form;
  o.newton.tolerance = 1e-12;
  return o;
}
GeneralizedAlphaOptions published(double rho) {
  auto o = scheme(rho, ConstraintForm::index3);
  o.history = StartHistory::classical;
  o.offset_projection = false;
  return o;
}
std::vector<double> differences(const TopQuantities& a, const TopQuantities& b) {
  return {norm(a.x - b.x), problems::distance(a.R, b.R), norm(a.omega - b.omega), norm(a.acceleration - b.acceleration),
          norm(a.alpha - b.alpha), norm(a.force - b.force)};
}
const std::vector<std::string> names = {"x", "R", "Omega", "acceleration", "Omega'", "lambda"};
template <class Top>
std::vector<double> largest_errors(const Top& top, const GeneralizedAlphaOptions& o, const std::vector<double>& steps) {
  problems::HeavyTopMotion exact;
  std::vector<double> e(names.size(), 0.0);
  run(top.system, top.initial(), o, steps, [&](const State& s) {
    const auto d = differences(top.quantities(s), exact.at(s.t));
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = std::max(e[i], d[i]);
  });
  return e;
}
template <class Top>
void explore() {
  const Top top;
  problems::HeavyTopMotion exact;
  auto r = exact.at(0.2);
  fmt::print("{:.14f} {:.14f} {:.14f} l {:.12f} {:.12f} {:.12f}\n", r.x[0], r.x[1], r.x[2], r.force[0], r.force[1], r.force[2]);
  for (double rho : {0.8, 0.5}) {
  Ladder l(names);
  for (int n : {100, 200, 400, 800, 1600}) {
    const State s = run(top.system, top.initial(), published(rho), constant_steps(0.2, n));
    l.add(0.2 / n, differences(top.quantities(s), exact.at(0.2)));
  }
  l.print(fmt::format("published rho {} t=0.2 {}", rho, Top::name));
  Ladder p(names);
  for (int n : {50, 100, 200, 400, 800}) p.add(0.1 / n, largest_errors(top, published(rho), constant_steps(0.1, n)));
  p.print("published max over [0, .1]");
  }
  for (double T : {0.1, 0.2})
  for (auto f : {ConstraintForm::index3, ConstraintForm::index2})
    for (auto pat : {std::vector<double>{1}, {0.6, 1.4}, {0.3, 0.7}}) {
      Ladder m(names);
      for (int n : {100, 200, 400, 800, 1600}) m.add(T / n, largest_errors(top, scheme(0.8, f), pattern_steps(T, n, pat)));
      m.print(fmt::format("T {} {} {} pattern {}", T, Top::name, f == ConstraintForm::index3 ? "i3" : "i2", pat[0]));
    }
}
TEST_CASE("x") { explore<problems::HeavyTop>(); explore<problems::HeavyTopPose>(); }
