// Cases in which a careless engine would be silently wrong.
#include <doctest/doctest.h>

#include <cmath>

#include "components/math/equations.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/knife_edge.hpp"
#include "components/planar/mass.hpp"
#include "components/translational/mass.hpp"
#include "problems/pendulum.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;

namespace {

State run(const System& system, State state, const GeneralizedAlphaOptions& o, double h, double until) {
  GeneralizedAlpha stepper(system, o);
  stepper.start(state);
  while (state.t < until - 0.5 * h) {
    const auto report = stepper.advance(state, h);
    INFO(describe(report.newton, system));
    REQUIRE(report.ok());
  }
  return state;
}

}  // namespace

TEST_CASE("a matrix that has become far too stiff is noticed, however small its increments") {
  // k(t) (y - sin t) = 0 with k falling from 1e12 to 1: increments of the old matrix are 1e-12 of what they should be.
  SystemBuilder b;
  const auto y = b.signal<1>("y");
  b.add(math::equations(std::tuple(y), [](const auto& h, const auto& z, auto& row) {
    const auto k = value(z.t) < 0.5 ? 1e12 : 1.0;
    row(std::get<0>(h)) += k * (z(std::get<0>(h)) - sin(z.t));
  }));
  const System s = b.finish();
  CHECK(run(s, s.state(), {}, 0.1, 3.0).value[0] == doctest::Approx(std::sin(3.0)).epsilon(1e-9));
}

TEST_CASE("a switch that opens: the node follows its other branch") {
  SystemBuilder b;
  const auto u = b.state<1>("node");
  b.add(math::equations(
      std::tuple(u),
      [](const auto& h, const auto& z, auto& row) {
        const double g = value(z.t) < 0.0105 ? 1e3 : 1e-9;
        row(std::get<0>(h)) += g * (z(std::get<0>(h)) - 1.0) + 1e-9 * z(std::get<0>(h));
      },
      [](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) += 1e-12 * z(std::get<0>(h)); }));
  const System s = b.finish();
  State start = s.state();
  start.value[0] = 1.0;
  CHECK(run(s, start, {}, 1e-3, 0.2).value[0] == doctest::Approx(0.5).epsilon(1e-6));
}

TEST_CASE("rounding in a mechanism does not excuse unrelated signals") {
  SystemBuilder b;
  const auto q = b.position<2>("bob");
  const auto l = b.multiplier<1>("rod");
  const auto y = b.signal<1>("y");
  b.add(planar::Mass{q, 1.0, {{0, -9.81}}});
  b.add(planar::Distance{{}, q, l, 1.0});
  b.add(math::equations(std::tuple(y), [](const auto& h, const auto& z, auto& row) {
    const auto v = z(std::get<0>(h));
    row(std::get<0>(h)) += v * v * v - 1e-9;
  }));
  const System s = b.finish();
  State state = s.state();
  state.value[0] = std::sin(1.0), state.value[1] = -std::cos(1.0);
  s.value(state, y)[0] = 1e-3;
  GeneralizedAlpha stepper(s, {});
  stepper.start(state);
  for (int k = 0; k < 20; ++k) {
    const auto report = stepper.advance(state, 1e-6);
    if (report.ok()) CHECK(s.value(state, y)[0] == doctest::Approx(1e-3).epsilon(1e-4));
  }
}

namespace {

/// A horizontal force on a point mass that an event switches.
struct Push {
  Position<2> at;
  static constexpr int memory = 1;
  auto variables() const { return std::tie(at); }
  void flow(const auto& z, auto& out) const { out(at)[0] -= z.memory[0]; }
};

}  // namespace

TEST_CASE("jumps on constrained systems keep order 2 in the multiplier") {
  SystemBuilder b;
  const auto q = b.position<2>("bob");
  const auto l = b.multiplier<1>("rod");
  b.add(planar::Mass{q, 1.0, {{0, -9.81}}});
  b.add(planar::Distance{{}, q, l, 1.0});
  b.add(Push{q});
  const System s = b.finish();
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    double error[4];
    int rung = 0;
    for (int n : {50, 100, 200, 400}) {
      const double h = 0.5 / n;
      GeneralizedAlphaOptions o;
      o.constraints = form;
      GeneralizedAlpha stepper(s, o);
      State state = s.state();
      state.value[0] = std::sin(1.0), state.value[1] = -std::cos(1.0);
      stepper.start(state);
      // Exact: θ'' = -g sin θ + F cos θ, λ = ω² + g cos θ + F sin θ, by RK4.
      double th = 1, w = 0, force = 0, worst = 0;
      for (int k = 0; k < n; ++k) {
        if (k == n / 2) {
          state.memory[0] = force = 30;
          stepper.discontinuity(state);
        }
        REQUIRE(stepper.advance(state, h).ok());
        for (int i = 0; i < 20; ++i) {
          const double d = h / 20;
          const auto f = [&](double x) { return -9.81 * std::sin(x) + force * std::cos(x); };
          const double k1 = w, l1 = f(th), k2 = w + d / 2 * l1, l2 = f(th + d / 2 * k1), k3 = w + d / 2 * l2,
                       l3 = f(th + d / 2 * k2), k4 = w + d * l3, l4 = f(th + d * k3);
          th += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
          w += d / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        }
        const double exact = w * w + 9.81 * std::cos(th) + force * std::sin(th);
        worst = std::max(worst, std::abs(s.value(state, l)[0] - exact));
      }
      error[rung++] = worst;
    }
    const double order = std::log2(error[2] / error[3]);
    INFO("errors ", error[0], " ", error[1], " ", error[2], " ", error[3]);
    CHECK(order > 1.85);
  }
}

TEST_CASE("a state that only moves with positions starts with its true rate") {
  // Incompressible chamber: d/dt q + p = 0 with pressure p acting on the mass: v' = p, so p = -v, v' = -v.
  SystemBuilder b;
  const auto q = b.position<1>("piston");
  const auto p = b.state<1>("chamber");
  b.add(translational::Mass{q, 1.0});
  b.add(math::equations(
      std::tuple(q, p),
      [](const auto& h, const auto& z, auto& row) {
        row(std::get<0>(h)) -= z(std::get<1>(h));
        row(std::get<1>(h)) += z(std::get<1>(h));
      },
      [](const auto& h, const auto& z, auto& row) { row(std::get<1>(h)) += z(std::get<0>(h)); }));
  const System s = b.finish();
  State state = s.state();
  state.rate[0] = 1.0;
  GeneralizedAlpha stepper(s, {});
  stepper.start(state);
  CHECK(s.value(state, p)[0] == doctest::Approx(-1).epsilon(1e-10));
  CHECK(state.acceleration[0] == doctest::Approx(-1).epsilon(1e-10));
}

TEST_CASE("a jump keeps what is stored: a capacitor to a stepping source") {
  SystemBuilder b;
  const auto u = b.state<1>("node");
  b.add(math::equations(
      std::tuple(u),
      [](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) += 1.0 * z(std::get<0>(h)); },
      [](const auto& h, const auto& z, auto& row) {
        row(std::get<0>(h)) += z(std::get<0>(h)) - (value(z.t) < 0.4999 ? 0.0 : 1.0);
      }));
  const System s = b.finish();
  State state = s.state();
  GeneralizedAlpha stepper(s, {});
  stepper.start(state);
  for (int k = 0; k < 49; ++k) REQUIRE(stepper.advance(state, 0.01).ok());
  state.t = 0.5;  // the source has stepped
  stepper.discontinuity(state);
  CHECK(state.store[0] == doctest::Approx(0.0));
  CHECK(state.value[0] == doctest::Approx(1.0));
}

TEST_CASE("redundant rods of almost the same length share a bounded load") {
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    SystemBuilder b;
    const auto q = b.position<2>("bob");
    const auto l1 = b.multiplier<1>("rod1"), l2 = b.multiplier<1>("rod2");
    b.add(planar::Mass{q, 1.0, {{0, -9.81}}});
    b.add(planar::Distance{{}, q, l1, 1.0});
    b.add(planar::Distance{{}, q, l2, 1.0 + 1e-14});
    const System s = b.finish();
    const problems::Pendulum single;
    GeneralizedAlphaOptions o;
    o.constraints = form;
    const State once = run(single.system, single.initial(1.0, 0.5), o, 1e-3, 1.0);
    o.proximal = 1e-5;
    State state = s.state();
    state.value[0] = std::sin(1.0), state.value[1] = -std::cos(1.0);
    state.rate[0] = 0.5 * std::cos(1.0), state.rate[1] = 0.5 * std::sin(1.0);
    const State twice = run(s, state, o, 1e-3, 1.0);
    CHECK(twice.value[2] + twice.value[3] == doctest::Approx(once.value[2]).epsilon(1e-6));
    CHECK(std::abs(twice.value[2]) < 100);
    CHECK(std::abs(twice.value[0] - once.value[0]) < 1e-9);
  }
}

TEST_CASE("constraints written by users: an index-3 pendulum, a skate") {
  SystemBuilder b;
  const auto q = b.position<2>("bob");
  const auto l = b.multiplier<1>("rod");
  b.add(planar::Mass{q, 1.0, {{0, -9.81}}});
  b.add(math::constraint(std::tuple(q, l), [](const auto& h, const auto& z, auto& row) {
    const auto x = z(std::get<0>(h));
    row(std::get<1>(h)) += norm(x) - 1.0;
  }));
  const System s = b.finish();
  State state = s.state();
  state.value[0] = 1.0;
  const problems::Pendulum reference;
  const State a = run(s, state, {}, 1e-3, 0.5);
  const State e = run(reference.system, reference.initial(std::acos(0.0), 0.0), {}, 1e-3, 0.5);
  CHECK(a.value[0] == doctest::Approx(e.value[0]).epsilon(1e-9));

  SystemBuilder c;
  const auto p = c.position<2>("skate");
  const auto mu = c.slip_multiplier<1>("blade");
  c.add(planar::Mass{p, 1.0, {{1.0, 2.0}}});
  c.add(math::slip_constraint(std::tuple(p, mu), [](const auto& h, const auto& z, auto& row) {
    const auto v = z.rate(std::get<0>(h));
    row(std::get<1>(h)) += v[0] - v[1];
  }));
  const System t = c.finish();
  const State end = run(t, t.state(), {}, 0.01, 1.0);
  CHECK(end.rate[0] == doctest::Approx(1.5));
  CHECK(end.rate[1] == doctest::Approx(1.5));
}

TEST_CASE("elements that ask for what the core cannot do are refused") {
  const auto refused = [](auto element) {
    SystemBuilder b;
    try {
      element(b);
      b.finish();
    } catch (const ModelError& e) {
      return e.code;
    }
    return std::string("accepted");
  };
  // flow into the row of a holonomic multiplier
  CHECK(refused([](SystemBuilder& b) {
          const auto q = b.position<1>("q");
          const auto l = b.multiplier<1>("l");
          b.add(math::equations(std::tuple(q, l), [](const auto& h, const auto& z, auto& row) {
            row(std::get<1>(h)) += z(std::get<0>(h)) - 0.1;
          }));
        }) == "E-ELEMENT");
  // a raw nonholonomic row that reads a state
  CHECK(refused([](SystemBuilder& b) {
          const auto q = b.position<1>("q");
          const auto x = b.state<1>("x");
          const auto m = b.slip_multiplier<1>("m");
          b.add(math::equations(std::tuple(q, x, m), [](const auto& h, const auto& z, auto& row) {
            row(std::get<2>(h)) += z.rate(std::get<0>(h)) - z(std::get<1>(h));
          }));
        }) == "E-INDEX");
  // momentum that is not M(q, t) v
  CHECK(refused([](SystemBuilder& b) {
          const auto q = b.position<1>("q");
          b.add(math::equations(
              std::tuple(q), [](const auto&, const auto&, auto&) {},
              [](const auto& h, const auto& z, auto& row) {
                row(std::get<0>(h)) += z.rate(std::get<0>(h)) + cos(z(std::get<0>(h)));
              }));
        }) == "E-STORE");
  // a handle captured instead of taken from the first argument
  CHECK(refused([](SystemBuilder& b) {
          const auto x = b.state<1>("x");
          b.add(math::equations(
              std::tuple(x), [x](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) += z(x); }));
        }) == "E-ELEMENT");
  // a handle of another builder
  CHECK(refused([](SystemBuilder& b) {
          SystemBuilder other;
          const auto foreign = other.position<1>("q");
          b.position<1>("p");
          b.add(translational::Mass{foreign, 1.0});
        }) == "E-TOPOLOGY");
}
