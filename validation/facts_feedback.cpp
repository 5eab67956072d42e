// Controllers that measure accelerations and reaction forces (Brüls & Arnold, eqns 3–4), with and without a state in
// between: the loops are algebraic and run through mechanics and constraints. Second order from t = 0 in positions,
// velocities, accelerations, multipliers, states and commands; separate damping of mechanics and states.
#include "linear_reference.hpp"
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

Assembly model(const std::string& name) {
  static const Registry registry = standard_registry();
  return assemble(
      Model::read_file(std::filesystem::path(ESCAPEMENT_VALIDATION_MODELS) / (name + ".yaml"), registry));
}

GeneralizedAlphaOptions scheme(double rho, double rho_states) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.states = StateParameters::jansen_whiting_hulbert(rho_states);
  o.newton.tolerance = 1e-13;
  o.settling = false;  // the scheme itself
  return o;
}

/// Largest errors over [0, 2 s] of named channels against what `exact(t)` gives, for a ladder of steps.
template <class Exact>
void check_order(const std::string& name, const std::vector<std::string>& channels, Exact make_exact) {
  const Assembly a = model(name);
  for (const auto& [rho, rho_states] : {std::pair(0.8, 0.8), std::pair(0.9, 0.0), std::pair(0.2, 0.5)})
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.7, 1.3, 1.0, 0.8}}) {
      Ladder ladder(channels);
      for (int n = 800; n <= 6400; n *= 2) {
        std::vector<double> worst(channels.size(), 0.0);
        auto exact = make_exact();
        run(a.system, a.initial, scheme(rho, rho_states), pattern_steps(2.0, n, pattern),
            [&](const State& s) {
              const std::vector<double> is = exact(s.t);
              for (std::size_t i = 0; i < channels.size(); ++i)
                worst[i] = std::max(worst[i], std::abs(channel(a, s, channels[i]) - is[i]));
            });
        ladder.add(2.0 / n, worst);
      }
      ladder.print(fmt::format("{}, rho {} and {}, {} steps", name, rho, rho_states,
                               pattern.size() == 1 ? "constant" : "varying"));
      ladder.check_second_order(0.1);
    }
}

}  // namespace

TEST_CASE("feedback of an acceleration, at once and through a lag") {
  // With q'' = (−20 q − 4 z)/4:  d/dt (q, v, z) = A (q, v, z).
  check_order("acceleration_feedback",
              {"cart.position", "cart.velocity", "cart.acceleration", "lag.output", "command.output"}, [] {
                RealMatrix A(3, 3);
                A << 0, 1, 0, -5, 0, -1, -25, 0, -10;
                return [A](double t) -> std::vector<double> {
                  RealVector start(3);
                  start << 0.5L, 1, 0;
                  const RealVector x = exponential(A * Real(t)) * start;
                  const double a = static_cast<double>(-5 * x(0) - x(2));
                  return {static_cast<double>(x(0)), static_cast<double>(x(1)), a, static_cast<double>(x(2)),
                          -3 * a - 4 * static_cast<double>(x(2))};
                };
              });
}

namespace {

/// The pendulum in its angle: T (1 + 0.4 sin θ) = m (ω² + g cos θ) − 0.5 z sin θ, classical Runge–Kutta in long double.
class FedBackPendulum {
 public:
  std::vector<double> operator()(double t) {
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 5e-4)));
    const Real h = (static_cast<Real>(t) - t_) / n;
    for (int i = 0; i < n && h > 0; ++i) step(h);
    t_ = t;
    const Real T = tension(y_), F = force(y_);
    return {double(std::sin(y_[0])),
            double(-std::cos(y_[0])),
            double(std::cos(y_[0]) * y_[1]),
            double(F / 2 - T * std::sin(y_[0]) / 2),
            double(T),
            double(y_[2]),
            double(F)};
  }

 private:
  using State3 = Eigen::Matrix<Real, 3, 1>;  // angle, its rate, z
  static Real tension(const State3& y) {
    return (2 * (y[1] * y[1] + 9.81L * std::cos(y[0])) - 0.5L * y[2] * std::sin(y[0])) /
           (1 + 0.4L * std::sin(y[0]));
  }
  static Real force(const State3& y) { return -0.4L * tension(y) - 0.5L * y[2]; }
  static State3 rate(const State3& y) {
    return State3(y[1], -9.81L * std::sin(y[0]) + force(y) * std::cos(y[0]) / 2, (tension(y) - y[2]) / 0.1L);
  }
  void step(Real h) {
    const State3 a = rate(y_), b = rate(y_ + h / 2 * a), c = rate(y_ + h / 2 * b), d = rate(y_ + h * c);
    y_ += h / 6 * (a + 2 * b + 2 * c + d);
  }
  State3 y_ = State3(std::asin(0.6L), 0, 0);
  Real t_ = 0;
};

}  // namespace

TEST_CASE("feedback of a reaction force, at once and through a lag") {
  check_order("reaction_feedback",
              {"bob.position.x", "bob.position.y", "bob.velocity.x", "bob.acceleration.x", "rod.tension",
               "lag.output", "command.output"},
              [] { return FedBackPendulum(); });
}

TEST_CASE("each radius damps only what it should; the coupled pair") {
  const Assembly a = example("coupled_stability");
  const auto size = [&](const State& s, const char* what) { return std::abs(channel(a, s, what)); };
  // Far beyond resolution an oscillator and a lag shrink by their own radius per step, two roots of equal size: over 40
  // steps (k ρᵏ) the k-th root tends to ρ like 1 + log(k)/k.
  for (const auto& [rho, rho_states] : {std::pair(0.8, 0.8), std::pair(0.8, 0.3), std::pair(0.5, 0.8)}) {
    State at[2];
    for (int i = 0; i < 2; ++i)
      at[i] = run(a.system, a.initial, scheme(rho, rho_states), std::vector<double>(i == 0 ? 30 : 60, 142.0));
    const auto rate = [&](const char* what) {
      return std::pow(size(at[1], what) / size(at[0], what), 1.0 / 30);
    };
    const double mechanics = rate("stiff_mass.position"), states = rate("fast_lag.output");
    fmt::print("rho {} and {}: a stiff oscillator shrinks by {:.3f} per step, a fast lag by {:.3f}\n", rho,
               rho_states, mechanics, states);
    CHECK(mechanics / rho > 0.97);
    CHECK(mechanics / rho < 1.06);
    CHECK(states / rho_states > 0.97);
    CHECK(states / rho_states < 1.06);
  }
  // Growth of the coupled pair: stable by default, 1.0625 per step with the mechanics' parameters on the state.
  for (const bool same : {false, true}) {
    GeneralizedAlphaOptions o = scheme(0.8, 0.8);
    if (same) o.states = StateParameters::chung_hulbert(0.8);
    const State s = run(a.system, a.initial, o, std::vector<double>(200, 142.0));
    const State e = run(a.system, a.initial, o, std::vector<double>(300, 142.0));
    const double growth = std::pow(size(e, "mass.position") / size(s, "mass.position"), 0.01);
    fmt::print("the coupled pair at h = 142, {} parameters: {:.4f} per step\n", same ? "the same" : "its own",
               growth);
    if (same) CHECK(std::abs(growth - 1.0625) < 1e-4);
    else CHECK(growth < 1);
  }
}
