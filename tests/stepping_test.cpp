// Parameter sets and their conditions; failures that are values, leave the state alone and name rows; consistent start.
#include <doctest/doctest.h>

#include "components/math/equations.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/mass.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;

namespace {

bool names(const std::vector<ParameterWarning>& warnings, const char* condition) {
  for (const auto& w : warnings)
    if (w.condition == condition) return true;
  return false;
}

/// x' = f: one state, given as a callable.
template <class F>
System first_order(F f, StateVariable<1>* handle = nullptr) {
  SystemBuilder b;
  const auto x = b.state<1>("x");
  if (handle) *handle = x;
  b.add(math::equations(
      std::tuple(x),
      [f](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) -= f(z(std::get<0>(h)), z.t); },
      [](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) += z(std::get<0>(h)); }));
  return b.finish();
}

}  // namespace

TEST_CASE("named parameter sets satisfy their conditions and have the promised radius") {
  for (double rho : {0.0, 0.2, 0.5, 0.8, 0.9, 1.0}) {
    const auto ch = MechanicsParameters::chung_hulbert(rho);
    CHECK(check(ch).empty());
    CHECK(ch.radius_at_infinity() == doctest::Approx(rho).epsilon(1e-6));
    const auto jwh = StateParameters::jansen_whiting_hulbert(rho);
    CHECK(check(jwh).empty());
    CHECK(jwh.radius_at_infinity() == doctest::Approx(rho).epsilon(1e-9));
    // JWH numbers on mechanics: (1 + 3ρ)/(3 + ρ).
    CHECK(MechanicsParameters::jansen_whiting_hulbert(rho).radius_at_infinity() ==
          doctest::Approx((1 + 3 * rho) / (3 + rho)).epsilon(1e-6));
    if (rho >= 0.5) CHECK(check(MechanicsParameters::hilber_hughes_taylor(rho)).empty());
  }
  CHECK(check(MechanicsParameters::trapezoidal()).empty());
  CHECK(check(StateParameters::trapezoidal()).empty());
  CHECK_THROWS_AS(MechanicsParameters::chung_hulbert(1.1), ModelError);
  CHECK_THROWS_AS(MechanicsParameters::hilber_hughes_taylor(0.3), ModelError);
}

TEST_CASE("raw parameters: the violated condition is named") {
  CHECK(names(check(MechanicsParameters{0, 0, 0.25, 0.6}), "order"));
  CHECK(names(check(MechanicsParameters{0.6, 0.7, 0.5, 0.6}), "zero-stability"));
  CHECK(names(check(MechanicsParameters{0.4, 0.3, 0.25, 0.4}), "A-stability"));
  CHECK(names(check(MechanicsParameters::stormer()), "A-stability"));
  CHECK_FALSE(names(check(MechanicsParameters::stormer()), "order"));
  CHECK(names(check(StateParameters::backward_euler()), "order"));
  CHECK(names(check(StateParameters{0.6, 0.5, 0.4}), "zero-stability"));
  CHECK(names(check(StateParameters{0.5, 0.4, 0.4}), "A-stability"));
  // A stepper carries them.
  SystemBuilder b;
  const auto q = b.position<1>("q");
  b.add(translational::Mass{q, 1.0});
  const System s = b.finish();
  GeneralizedAlphaOptions o;
  o.mechanics = {0, 0, 0.25, 0.6};
  CHECK(names(GeneralizedAlpha(s, o).parameter_warnings(), "order"));
}

TEST_CASE("backward Euler for states is 1/(1 + h) exactly; Störmer is explicit") {
  StateVariable<1> x;
  const System s = first_order([](const auto& x, const auto&) { return -1.0 * x; }, &x);
  GeneralizedAlphaOptions o;
  o.states = StateParameters::backward_euler();
  GeneralizedAlpha stepper(s, o);
  State state = s.state();
  s.value(state, x)[0] = 1;
  stepper.start(state);
  for (double h : {0.1, 0.3, 0.05}) REQUIRE(stepper.advance(state, h).ok());
  CHECK(s.value(state, x)[0] == doctest::Approx(1 / (1.1 * 1.3 * 1.05)).epsilon(1e-12));

  SystemBuilder b;
  const auto q = b.position<1>("q");
  b.add(translational::Mass{q, 1.0});
  b.add(translational::Spring{{}, q, 4.0});
  const System oscillator = b.finish();
  o.mechanics = MechanicsParameters::stormer();
  GeneralizedAlpha explicit_stepper(oscillator, o);
  State z = oscillator.state();
  z.value[0] = 1;
  explicit_stepper.start(z);
  // Leapfrog: q1 = q0 + h v0 + h²/2 a0, v1 = v0 + h/2 (a0 + a1).
  REQUIRE(explicit_stepper.advance(z, 0.1).ok());
  CHECK(z.value[0] == doctest::Approx(1 - 0.005 * 4).epsilon(1e-14));
  CHECK(z.rate[0] == doctest::Approx(-0.05 * (4 + 4 * 0.98)).epsilon(1e-14));
}

TEST_CASE("a step that cannot converge is not taken: state and history unchanged, rows named") {
  // x' = x² + 1 − blow-up: with h = 10 the implicit equation has no solution.
  const System s = first_order([](const auto& x, const auto&) { return x * x + 1.0; });
  GeneralizedAlpha stepper(s, {});
  State state = s.state();
  stepper.start(state);
  const State before = state;
  const auto history = stepper.history;
  const auto report = stepper.advance(state, 10.0);
  CHECK_FALSE(report.ok());
  CHECK(state.value == before.value);
  CHECK(state.rate == before.rate);
  CHECK(state.t == before.t);
  CHECK(stepper.history.w == history.w);
  const std::string text = describe(report.newton, s);
  CHECK(text.find("`x`") != std::string::npos);
  CHECK(text.find("rate law") != std::string::npos);
  // … and goes on with a smaller step.
  CHECK(stepper.advance(state, 0.01).ok());
}

TEST_CASE("numbers that are none are reported by row, never recorded") {
  const System s = first_order([](const auto& x, const auto& t) { return sqrt(0.5 - t) + 0.0 * x; });
  GeneralizedAlpha stepper(s, {});
  State state = s.state();
  stepper.start(state);
  StepReport report;
  while (state.t < 1 && report.ok()) report = stepper.advance(state, 0.1);
  CHECK(report.newton.status == NewtonStatus::not_finite);
  CHECK(std::isfinite(state.value[0]));
  CHECK(state.t < 0.51);
  CHECK(describe(report.newton, s).find("not a finite number") != std::string::npos);
}

TEST_CASE("inconsistent starts are refused by name, or projected on request") {
  SystemBuilder b;
  const auto q = b.position<2>("bob");
  const auto l = b.multiplier<1>("rod");
  b.add(planar::Mass{q, 1.0, {{0, -9.81}}});
  b.add(planar::Distance{{}, q, l, 1.0});
  const System s = b.finish();
  State state = s.state();
  state.value[0] = 1.1;
  GeneralizedAlpha refusing(s, {});
  CHECK_THROWS_WITH_AS(refusing.start(state), doctest::Contains("`rod` (holonomic constraint)"), ModelError);
  state.value[0] = 1.0;
  state.rate[0] = 0.3;
  CHECK_THROWS_WITH_AS(refusing.start(state), doctest::Contains("velocities violate"), ModelError);

  GeneralizedAlphaOptions o;
  o.start.project = true;
  GeneralizedAlpha projecting(s, o);
  state.value[0] = 0.8, state.value[1] = 0.9;
  state.rate[0] = 0.3, state.rate[1] = 0.1;
  const auto report = projecting.start(state);
  CHECK(std::hypot(state.value[0], state.value[1]) == doctest::Approx(1).epsilon(1e-12));
  CHECK(std::abs(state.value[0] * state.rate[0] + state.value[1] * state.rate[1]) < 1e-12);
  // m v̇ = m g − λ n with n·v̇ = −v²: λ = m (v² + n·g).
  const double v2 = state.rate[0] * state.rate[0] + state.rate[1] * state.rate[1];
  CHECK(s.value(state, l)[0] == doctest::Approx(v2 - 9.81 * state.value[1]).epsilon(1e-10));
}

TEST_CASE(
    "start with singular stores: a floating capacitor keeps its charge, nodes without store are algebraic") {
  // Source 1 V – R – node a –(C)– node b – R – ground: one capacitor, two nodes (singular store), C v' conserved.
  SystemBuilder b;
  const auto u = b.state<2>("nodes", {.unit = "V", .equation = "charge balance"});
  b.add(math::equations(
      std::tuple(u),
      [](const auto& h, const auto& z, auto& row) {
        const auto v = z(std::get<0>(h));
        row(std::get<0>(h))[0] += (v[0] - 1.0) / 2.0;
        row(std::get<0>(h))[1] += v[1] / 3.0;
      },
      [](const auto& h, const auto& z, auto& row) {
        const auto v = z(std::get<0>(h));
        row(std::get<0>(h))[0] += 0.5 * (v[0] - v[1]);
        row(std::get<0>(h))[1] -= 0.5 * (v[0] - v[1]);
      }));
  const System s = b.finish();
  State state = s.state();
  state.value[0] = 0.7, state.value[1] = 0.5;  // capacitor at 0.2 V; currents of the guess do not balance
  GeneralizedAlpha stepper(s, {});
  stepper.start(state);
  // i = (1 − va)/2 = vb/3 and va − vb = 0.2: vb = 0.48, va = 0.68.
  CHECK(state.value[0] - state.value[1] == doctest::Approx(0.2).epsilon(1e-9));
  CHECK(state.value[1] == doctest::Approx(0.48).epsilon(1e-8));
  CHECK(state.rate[0] == doctest::Approx(0.16).epsilon(1e-8));
  // Then it charges with τ = C (R1 + R2) = 2.5 s.
  for (int k = 0; k < 1000; ++k) REQUIRE(stepper.advance(state, 2.5e-3).ok());
  CHECK(state.value[0] - state.value[1] == doctest::Approx(1 - 0.8 * std::exp(-1.0)).epsilon(1e-6));
}

TEST_CASE("misuse is named: steps that are none, a foreign state, advance before start") {
  const System s = first_order([](const auto& x, const auto&) { return -1.0 * x; });
  GeneralizedAlpha stepper(s, {});
  State state = s.state();
  CHECK_THROWS_WITH_AS(stepper.advance(state, 0.1), doctest::Contains("before start"), ModelError);
  stepper.start(state);
  CHECK_THROWS_AS(stepper.advance(state, 0.0), ModelError);
  CHECK_THROWS_AS(stepper.advance(state, -0.1), ModelError);
  CHECK_THROWS_AS(stepper.advance(state, std::nan("")), ModelError);
  State foreign;
  CHECK_THROWS_WITH_AS(stepper.start(foreign), doctest::Contains("System::state()"), ModelError);
}
