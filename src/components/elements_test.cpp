// Every element passes the element checker; a deliberately wrong one does not.
#include <doctest/doctest.h>

#include <sstream>

#include "components/by_hand_check.hpp"
#include "components/control/constant.hpp"
#include "components/control/linear.hpp"
#include "components/control/pid.hpp"
#include "components/control/sine.hpp"
#include "components/control/state_space.hpp"
#include "components/control/step.hpp"
#include "components/control/table_map.hpp"
#include "components/control/tanh_saturation.hpp"
#include "components/math/equations.hpp"
#include "components/planar/body.hpp"
#include "components/planar/damper.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/knife_edge.hpp"
#include "components/planar/mass.hpp"
#include "components/planar/spring.hpp"
#include "components/registry.hpp"
#include "components/translational/backlash.hpp"
#include "components/translational/damper.hpp"
#include "components/translational/end_stop.hpp"
#include "components/translational/force.hpp"
#include "components/translational/friction.hpp"
#include "components/translational/lever.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/motion.hpp"
#include "components/translational/spring.hpp"
#include "core/element_check.hpp"
#include "model/assembly.hpp"

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
  b.tap_acceleration(p, a);
  b.add(control::StateSpace<1, 1, 1>{x, a, u, {{{-0.3}}}, {{{2.0}}}, {{{1.5}}}, {{{0.4}}}});
  b.add(control::TanhSaturation{u, y, 0.7});
  b.add(translational::Force{p, y});
  check(b);
}

namespace {

std::shared_ptr<const Expression> law(const char* text, std::vector<std::string> inputs) {
  Scope scope;
  scope.find = [&](std::string_view name) -> std::optional<Name> {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == name) return Name{{}, static_cast<int>(i), 0, false};
    return std::nullopt;
  };
  return std::make_shared<const Expression>(Expression::compile(text, scope));
}

}  // namespace

TEST_CASE("springs and dampers by a law, all outputs as signals") {
  SystemBuilder b;
  const auto p = b.position<1>("p"), q = b.position<1>("q");
  b.add(translational::Mass{p, 2.0});
  b.add(translational::Mass{q, 0.5});
  const auto points = std::make_shared<const Table>(
      std::vector<double>{-3, 0, 3}, std::vector<double>{-9, 0, 6}, Table::Interpolation::smooth);
  const translational::SpringByLaw table{p, q, std::make_shared<const TablePieces>(points, false), nullptr,
                                         0.2};
  const translational::SpringByLaw cubic{{}, p, nullptr, law("3*e + 2*e^3 + 0.4*v", {"e", "v"})};
  const translational::DamperByLaw air{p, q, law("2*v^3 + v", {"v"})};
  b.add(table);
  tap_outputs(b, cubic, "cubic");
  tap_outputs(b, air, "air");
  tap_outputs(b, translational::Spring{p, q, 3.0, 0.1}, "spring");
  tap_outputs(b, translational::Damper{p, q, 3.0}, "damper");
  check(b);
}

TEST_CASE("gap: both limits, one limit, no play; energy and loss") {
  for (const auto& [lower, upper] :
       {std::pair(-0.5, 0.4), std::pair(-double(INFINITY), 0.1), std::pair(0.3, 0.3)}) {
    SystemBuilder b;
    const auto p = b.position<1>("p"), q = b.position<1>("q");
    b.add(translational::Mass{p, 2.0});
    b.add(translational::Mass{q, 0.5});
    b.add(translational::Gap{p, q, lower, upper, 80.0, 40.0});
    check(b, {.states = 60});
  }
}

TEST_CASE("rigid stops and sticking friction, in all their modes") {
  SystemBuilder b;
  const auto p = b.position<1>("p"), q = b.position<1>("q");
  b.add(translational::Mass{p, 2.0});
  b.add(translational::Mass{q, 0.5});
  b.add(translational::RigidStop{p, q, b.multiplier<1>("push"), b.signal<1>("force"), -0.3, 0.4, 0.5, 1e-3});
  b.add(translational::StickSlip{p, q, b.slip_multiplier<1>("hold"), b.signal<1>("rub"), 1.0, 1.6, 0.3, 0.4});
  tap_outputs(b, translational::Depth{p, q, -0.3, 0.4}, "depth");
  tap_outputs(b, translational::RelativeVelocity{p, q}, "velocity");
  check(b, {.states = 60});
}

TEST_CASE("friction: rows and loss") {
  SystemBuilder b;
  const auto p = b.position<1>("p"), q = b.position<1>("q");
  b.add(translational::Mass{p, 2.0});
  b.add(translational::Mass{q, 0.5});
  b.add(translational::Friction{p, q, 1.0, 1.6, 0.3, 0.2, 0.4});
  check(b);
}

TEST_CASE("prescribed motion and transmission") {
  SystemBuilder b;
  const auto p = b.position<1>("p"), q = b.position<1>("q"), r = b.position<1>("r"), c = b.position<1>("c");
  const auto u = b.signal<1>("u");
  for (const auto& at : {p, q, c}) b.add(translational::Mass{at, 2.0});
  b.add(translational::MotionByLaw{p, b.multiplier<1>("l"), law("0.3*sin(2*t) + t^2", {"t"})});
  b.add(translational::ReferenceFilter{r, u, 3.0, 0.7});
  b.add(translational::MotionByReference{q, r, b.multiplier<1>("k")});
  b.add(translational::Transmission{p, q, c, b.multiplier<1>("g"), 3.0, 0.1});
  b.add(control::Sine{u, 2.0, 0.5, 0.1, 0.2});
  check(b);
}

TEST_CASE("a drive does not act on its own reference") {
  SystemBuilder b;
  const auto q = b.position<1>("q"), r = b.position<1>("r");
  const auto u = b.signal<1>("u");
  const auto l = b.multiplier<1>("l");
  b.add(translational::Mass{q, 2.0});
  b.add(translational::ReferenceFilter{r, u, 3.0, 0.7});
  b.add(translational::MotionByReference{q, r, l});
  b.add(control::Constant{u, 0.0});
  const System system = b.finish();
  State s = system.state();
  system.value(s, l)[0] = 5.0;
  std::vector<double> rows(system.size());
  system.residual(s, {}, rows);
  CHECK(rows[system.variables()[q.variable].row] == 5.0);
  CHECK(rows[system.variables()[r.variable].row] == 0.0);
}

TEST_CASE("sources, linear terms, controller and limiter") {
  SystemBuilder b;
  const auto r = b.signal<1>("r"), y = b.signal<1>("y"), f = b.signal<1>("f");
  const auto v = b.signal<1>("v", {.nominal = 3.0}), u = b.signal<1>("u");
  const auto i = b.state<1>("i"), d = b.state<1>("d"), x = b.state<1>("x");
  b.add(control::Constant{r, 2.0});
  b.add(control::Sine{f, 2.0, 0.5, 0.1, 0.2});
  tap_outputs(b, control::Pid{r, y, f, v, i, d, 3.0, 0.5, 0.2, 0.05, 0.7, 0.3}, "part");
  b.add(control::TableMap{v, u, control::saturation(-1.0, 1.5)});
  b.add(control::StateFromSignal{i, u, 4.0});
  b.add(control::StateFromSignal{i, v, -4.0});
  b.add(control::Integrated{x});
  b.add(control::StateFromSignal{x, u, 2.0});
  b.add(control::LinearTerm<StateVariable<1>, StateVariable<1>>{x, x, -0.5});
  b.add(control::Defined{y});
  b.add(control::SignalFromState{y, x, 1.0});
  b.add(control::SignalFromSignal{y, f, 0.1});
  const auto jump = b.signal<1>("jump");
  b.add(control::Step{jump, 1.0, 2.0});
  check(b);
}

TEST_CASE("every registered example assembles and passes the element checker") {
  const Registry registry = standard_registry();
  for (const ComponentType& type : registry.types()) {
    CAPTURE(type.name);
    std::string text = "escapement: 1\ngravity: [0, 0, -9.81 m/s^2]\n";
    if (!type.nodes.empty()) text += "nodes: {" + type.nodes + "}\n";
    text += "components:\n";
    std::istringstream lines(type.example);
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    try {
      const Assembly assembly = assemble(Model::read_text(text, type.name, registry));
      for (const auto& fault : check_elements(assembly.system)) FAIL_CHECK(fault);
    } catch (const std::exception& e) {
      FAIL_CHECK(e.what());
    }
  }
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
  tap_outputs(b, planar::Spring{p, q, 20.0, 0.4}, "spring");
  tap_outputs(b, planar::Damper{p, q, 0.6}, "damper");
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
  static constexpr bool constant_inertia = true, by_hand = true, rates = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += mass * z.rate(at); }
  auto energy(const auto& z) const { return 0.25 * mass * square(z.rate(at)); }
  void parts(const auto&, const auto& a, const auto& out) const {
    out.row(0) = mass * a[0];
    if (out.slopes()) out.mass(0, 0) = -mass;
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
