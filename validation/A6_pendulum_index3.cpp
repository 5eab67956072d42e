// A6: index-3 pendulum of the IVP test set, x'' = -x λ, y'' = -y λ - 1, x² + y² = 1, from (1, 0) with velocity (0, 1).
#include "problems/pendulum.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

TEST_CASE("unit pendulum at t = 1 and t = 10") {
  const problems::Pendulum p(1.0);
  GeneralizedAlphaOptions o;
  o.newton.tolerance = 1e-13;
  struct Reference {
    double t, x, y, lambda;
  };
  // Angle form, DOP853 at 2e-14.
  for (const Reference& r : {Reference{1.0, 0.867348640600442, 0.4977010504796682, -0.49310315143901},
                             Reference{10.0, 0.8843923830927, 0.4667441619641, -0.4002324858923}}) {
    double x[3], y[3], l[3];
    for (int k = 0; k < 3; ++k) {
      const State s = run(p.system, p.initial(std::acos(-1.0) / 2, 1.0), o,
                          constant_steps(r.t, static_cast<int>(250 * r.t) << k));
      x[k] = p.system.value(s, p.q)[0], y[k] = p.system.value(s, p.q)[1],
      l[k] = p.system.value(s, p.tension)[0];
    }
    fmt::print("t = {}: x {:.12f} y {:.12f} lambda {:.10f}\n", r.t, richardson(x[0], x[1], x[2]),
               richardson(y[0], y[1], y[2]), richardson(l[0], l[1], l[2]));
    CHECK(std::abs(richardson(x[0], x[1], x[2]) - r.x) < 1e-9);
    CHECK(std::abs(richardson(y[0], y[1], y[2]) - r.y) < 1e-9);
    CHECK(std::abs(richardson(l[0], l[1], l[2]) - r.lambda) < 1e-7);
  }
}
