// Every element passes the element checker; a deliberately wrong one does not.
#include <doctest/doctest.h>

#include "components/body/rigid.hpp"
#include "components/control/state_space.hpp"
#include "components/control/tanh_saturation.hpp"
#include "components/joint/ball.hpp"
#include "components/math/equations.hpp"
#include "components/planar/body.hpp"
#include "components/planar/damper.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/knife_edge.hpp"
#include "components/planar/mass.hpp"
#include "components/planar/spring.hpp"
#include "components/translational/damper.hpp"
#include "components/translational/force.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"
#include "core/element_check.hpp"
#include "core/tap.hpp"

using namespace escapement;

namespace {

void check(SystemBuilder& builder, ElementCheckOptions options = {}) {
  const System system = builder.finish();
  for (const auto& fault : check_elements(system, options)) FAIL_CHECK(fault);
}

bool any_contains(const std::vector<std::string>& faults, const char* text) {
  for (const auto& f : faults)
    if (f.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("translational elements") {
  SystemBuilder b;
  const auto p = b.position<1>("p"), q = b.position<1>("q");
  b.add(translational::Mass{p, 2.0});
  b.add(translational::Mass{q, 0.5});
  b.add(translational::Spring{p, q, 30.0, 0.2});
  b.add(translational::Spring{{}, p, 10.0});
  b.add(translational::Damper{p, q, 1.5});
  check(b);
}

TEST_CASE("force, acceleration tap, state space, saturation") {
  SystemBuilder b;
  const auto p = b.position<1>("p");
  const auto u = b.signal<1>("u"), a = b.signal<1>("a"), y = b.signal<1>("y");
  const auto x = b.state<1>("x");
  b.add(translational::Mass{p, 2.0});
  b.add(AccelerationTap<Position<1>>{p, a});
  b.add(control::StateSpace<1, 1, 1>{x, a, u, {{{-0.3}}}, {{{2.0}}}, {{{1.5}}}, {{{0.4}}}});
  b.add(control::TanhSaturation{u, y, 0.7});
  b.add(translational::Force{p, y});
  check(b);
}

TEST_CASE("wide state space") {
  SystemBuilder b;
  const auto x = b.state<2>("x");
  const auto u = b.signal<2>("u");
  const auto y = b.signal<1>("y");
  b.add(control::StateSpace<2, 2, 1>{
      x, u, y, {{{0, 1}, {-2, -3}}}, {{{0, 1}, {1, 0.5}}}, {{{1, 2}}}, {{{0.1, 0.2}}}});
  b.add(math::equations(std::tuple(u), [](const auto& h, const auto& z, auto& row) {
    const auto& [u] = h;
    row(u) += z(u);
  }));
  check(b);
}

TEST_CASE("planar elements, hand-written tangents against the oracle") {
  SystemBuilder b;
  const auto p = b.position<2>("p"), q = b.position<2>("q");
  const auto l = b.multiplier<1>("l"), l0 = b.multiplier<1>("l0");
  b.add(planar::Mass{p, 2.0, {{0.3, -9.81}}});
  b.add(planar::Mass{q, 0.7, {{0.0, -9.81}}});
  b.add(planar::Distance{p, q, l, 0.8});
  b.add(planar::Distance{{}, p, l0, 0.5});
  b.add(planar::Spring{p, q, 20.0, 0.4});
  b.add(planar::Damper{p, q, 0.6});
  check(b, {.tolerance = 1e-5});  // random points may come close to each other
}

TEST_CASE("planar body with offset and knife edge") {
  SystemBuilder b;
  const auto q = b.position<3>("sleigh");
  const auto mu = b.slip_multiplier<1>("blade");
  b.add(planar::Body{q, 1.3, 0.4, 0.6, {{0.5, -1.0}}});
  b.add(planar::KnifeEdge{q, mu});
  check(b);
}

TEST_CASE("rigid body and ball joint on SO(3) x R3 and on SE(3)") {
  const Matrix3 J{{{2.0, 0.1, -0.2}, {0.1, 3.0, 0.3}, {-0.2, 0.3, 2.5}}};
  SystemBuilder b;
  const auto x = b.position<3>("x");
  const auto R = b.orientation("R");
  const auto l = b.multiplier<3>("l");
  b.add(body::Rigid{x, R, 1.7, J, {{0.0, 0.2, -9.81}}});
  b.add(joint::Ball{x, R, l, {{0.3, -0.4, 0.2}}, {{0.1, 0.2, 0.3}}});
  check(b);

  SystemBuilder c;
  const auto at = c.pose("at");
  const auto k = c.multiplier<3>("k");
  c.add(body::RigidPose{at, 1.7, J, {{0.0, 0.2, -9.81}}});
  c.add(joint::BallPose{at, k, {{0.3, -0.4, 0.2}}, {{0.1, 0.2, 0.3}}});
  check(c);
}

namespace {

/// A pendulum-like energy of a rotation alone, V = a·R b: Hessian and geometric stiffness are right-trivialised.
struct Alignment {
  Orientation at;
  auto variables() const { return std::tie(at); }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const auto d = z(at) * Vec3<S>{{S(0.3), S(-0.5), S(0.8)}};
    return 2.0 * d[0] - d[1] + 0.5 * d[2] * d[2];
  }
};

/// Momentum that depends on a state: no rate of it is known.
struct Leaking {
  Position<1> at;
  StateVariable<1> mass;
  auto variables() const { return std::tie(at, mass); }
  void store(const auto& z, auto& out) const {
    out(at) += z(mass) * z.rate(at);
    out(mass) += z(mass);
  }
};

}  // namespace

TEST_CASE("an orientation-dependent potential: second derivatives on SO(3)") {
  SystemBuilder b;
  b.add(Alignment{b.orientation("R")});
  check(b);
}

namespace {

/// A one-sided spring: kink at contact.
struct Stop {
  Position<1> at;
  static constexpr int kinks = 1;
  auto variables() const { return std::tie(at); }
  auto potential(const auto& z) const {
    const auto depth = z(at);
    return depth > 0.0 * depth ? 50.0 * depth * depth : 0.0 * depth;
  }
  double kink(const auto& z, int) const { return z(at); }
};

/// Wrong by a sign in its hand-written tangent, and without the energy it claims.
struct WrongMass {
  Position<1> at;
  double mass;
  static constexpr bool constant_inertia = true, analytic = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += mass * z.rate(at); }
  auto energy(const auto& z) const { return 0.25 * mass * square(z.rate(at)); }
  template <class L>
  void assemble(const Values<double, L>&, const std::array<double, 1>& a, const Shift& c, Rows<double, L>& r,
                auto* k) const {
    r.r[0] = mass * a[0];
    if (k) (*k)(at, 0, at, 0) = -mass * c.acceleration;
  }
};

}  // namespace

TEST_CASE("both sides of kinks are visited") {
  SystemBuilder b;
  b.add(Stop{b.position<1>("stop")});
  check(b);
}

TEST_CASE("the checker finds wrong tangents, wrong overrides, wrong energy and one-sided kinks") {
  SystemBuilder b;
  b.add(WrongMass{b.position<1>("m"), 2.0});
  const System wrong = b.finish();
  const auto faults = check_elements(wrong);
  CHECK(any_contains(faults, "tangent of row"));
  CHECK(any_contains(faults, "hand-written"));
  CHECK(any_contains(faults, "power"));

  SystemBuilder c;
  c.add(Stop{c.position<1>("stop")});
  const System one_sided = c.finish();
  CHECK(any_contains(check_elements(one_sided, {.states = 1}), "one side only"));
}

TEST_CASE("a store that depends on an unknown without a rate is refused") {
  SystemBuilder b;
  b.add(Leaking{b.position<1>("rocket"), b.state<1>("fuel")});
  CHECK_THROWS_AS(b.finish(), ModelError);
}

namespace {

/// A constraint that follows a state: multipliers of order 0.
struct Follower {
  Position<1> at;
  StateVariable<1> target;
  Multiplier<1> force;
  auto variables() const { return std::tie(at, target, force); }
  void violation(const auto& z, auto& out) const { out(force) += z(at) - z(target); }
};

/// Claims constant inertia, but is a pendulum-like mass matrix.
struct Claimant {
  Position<1> at;
  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += (2.0 + cos(z(at))) * z.rate(at); }
};

}  // namespace

TEST_CASE("constraints on states, and false claims of constant inertia, are refused") {
  SystemBuilder b;
  b.add(Follower{b.position<1>("p"), b.state<1>("x"), b.multiplier<1>("l")});
  CHECK_THROWS_WITH_AS(b.finish(), doctest::Contains("E-INDEX"), ModelError);
  SystemBuilder c;
  c.add(Claimant{c.position<1>("p")});
  CHECK_THROWS_WITH_AS(c.finish(), doctest::Contains("constant_inertia"), ModelError);
}

TEST_CASE("messages: untouched unknowns, doubled names, foreign handles") {
  {
    SystemBuilder b;
    const auto p = b.position<1>("p");
    b.position<1>("lonely");
    b.add(translational::Mass{p, 1.0});
    CHECK_THROWS_WITH_AS(b.finish(), doctest::Contains("lonely"), ModelError);
  }
  {
    SystemBuilder b;
    const auto p = b.position<1>("p"), q = b.position<1>("p");
    b.add(translational::Mass{p, 1.0});
    b.add(translational::Mass{q, 1.0});
    CHECK_THROWS_WITH_AS(b.finish(), doctest::Contains("two unknowns"), ModelError);
  }
}
