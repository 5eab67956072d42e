// Beams in motion: second order from the first step on, reactions and section forces included; damping of what the steps do not
// resolve as ρ∞ says; momentum; strains that rigid motions leave alone; equilibria that do not depend on the way; exact tangents.
#include "analyses/equilibrium.hpp"
#include "beam_case.hpp"
#include "components/beam/inertia.hpp"
#include "components/beam/segment.hpp"
#include "components/body/rigid.hpp"
#include "core/manifold.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Two beams at an angle, the first clamped, that a force at the tip bends, twists and stretches far, smoothly from rest.
const std::string section =
    "shear: [60 N, 50 N], torsion: 1.5 N*m^2, bending: [3 N*m^2, 2 N*m^2], mass: 1 kg/m, inertia: [0.03 "
    "kg*m, 0.02 "
    "kg*m, 0.01 kg*m]";
std::string elbow(double axial) {
  return fmt::format(R"yaml(
escapement: 1
gravity: none
components:
  beam: {{type: beam.line, from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 2, properties: {{axial: {0} N, {1}}}}}
  arm: {{type: beam.line, from: [0.6 m, 0, 0], to: [0.8 m, 0.5 m, 0.2 m], elements: 2, properties: {{axial: {0} N, {1}}}}}
  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}
  corner: {{type: joint.fixed, between: [beam.end, arm.start], at: [0.6 m, 0, 0]}}
  push: {{type: force.point, at: arm.end, input: [x, y, z]}}
  x: {{type: control.expression, expression: "(2 N)*sin(7*t/(1 s))", unit: N}}
  y: {{type: control.expression, expression: "(6 N)*sin(5*t/(1 s))", unit: N}}
  z: {{type: control.expression, expression: "(4 N)*sin(9*t/(1 s))", unit: N}}
simulate: {{until: 0.4 s, step: 1 ms}}
)yaml",
                     axial, section);
}
const std::vector<std::string> kinds = {"position", "velocity", "acceleration", "reaction", "section"};

/// Groups of values: of the tip, of the joints, of the first segments.
std::vector<std::vector<double>> groups(const Mechanism& m, const State& s) {
  std::vector<std::vector<double>> g(5);
  const auto add = [&](int k, const Vector3& v) {
    for (int i = 0; i < 3; ++i) g[k].push_back(v[i]);
  };
  add(0, m.vector(s, "arm.end.position"));
  add(1, m.vector(s, "arm.end.velocity"));
  add(2, m.acceleration(s, "arm.node3"));
  add(2, m.angular_acceleration(s, "arm.node3"));
  for (const std::string joint : {"root", "corner"})
    for (const char* part : {".force", ".torque"}) add(3, m.vector(s, joint + part));
  for (const std::string beam : {"beam", "arm"})
    for (const char* part : {".start.force", ".start.moment"}) add(4, m.vector(s, beam + part));
  return g;
}

using Course = std::vector<std::vector<std::vector<double>>>;  // [time][group][value]

/// Every `stride`-th step from the first one on.
Course course(const Mechanism& m, const std::vector<double>& steps, int stride) {
  Course c;
  int k = 0;
  m.run(steps, [&](const State& s) {
    if (k++ % stride == 0) c.push_back(groups(m, s));
  });
  return c;
}

std::vector<double> largest_errors(const Course& a, const Course& b) {
  REQUIRE(a.size() == b.size());
  std::vector<double> e(5, 0.0);
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t k = 0; k < 5; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < a[t][k].size(); ++i) sum = std::hypot(sum, a[t][k][i] - b[t][k][i]);
      e[k] = std::max(e[k], sum);
    }
  return e;
}

}  // namespace

TEST_CASE("second order from the first step on: positions to section forces, constant and changing steps") {
  Mechanism m(elbow(70));
  m.options.constraints = ConstraintForm::index2;
  const Course exact = course(m, constant_steps(0.4, 9600), 64);  // at 150 times
  for (const auto form : {ConstraintForm::index3, ConstraintForm::index2})
    for (const double rho : {0.5, 0.8})
      for (const bool changing : {false, true}) {
        m.options.constraints = form;
        m.options.mechanics = MechanicsParameters::chung_hulbert(rho);
        const std::vector<double> pattern =
            changing ? std::vector<double>{0.6, 1.4, 1.0} : std::vector<double>{1.0};
        const int every = static_cast<int>(pattern.size());
        Course at;
        for (std::size_t t = 0; t < exact.size(); t += every) at.push_back(exact[t]);
        Ladder ladder(kinds);
        for (const int n : {150, 300, 600})
          ladder.add(0.4 / n, largest_errors(course(m, pattern_steps(0.4, n, pattern), every * n / 150), at));
        ladder.print(
            fmt::format("two beams at an angle, largest errors from t = 0 to 0.4, {}, rho = {}, {} steps",
                        form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2", rho,
                        changing ? "0.6/1.4/1" : "constant"));
        ladder.check_second_order(0.15);
      }
}

// ------------------------------------------------------------------ damping of what the steps do not resolve

namespace {

/// e'' = −ω² e with the parameters of ρ∞ at constant steps, from a stretch at rest: the values that theory says, step by step.
std::vector<double> theory(double omega, double h, double rho, int steps) {
  const MechanicsParameters m = MechanicsParameters::chung_hulbert(rho);
  const long double w2 = static_cast<long double>(omega) * omega;
  long double e = 1, v = 0, acceleration = -w2, a = -w2;
  std::vector<double> values{1};
  for (int i = 0; i < steps; ++i) {
    // (1−α_m) a₊ + α_m a = (1−α_f)(−ω² e₊) + α_f e'',  e₊ = e + h v + h²((½−β) a + β a₊)
    const long double known = e + h * v + h * h * (0.5L - m.beta) * a;
    const long double next = ((1 - m.alpha_f) * -w2 * known + m.alpha_f * acceleration - m.alpha_m * a) /
                             (1 - m.alpha_m + (1 - m.alpha_f) * w2 * h * h * m.beta);
    e = known + h * h * m.beta * next;
    v += h * ((1 - m.gamma) * a + m.gamma * next);
    a = next;
    acceleration = -w2 * e;
    values.push_back(static_cast<double>(e));
  }
  return values;
}

/// One segment with an end that may be moved along it.
std::string bar(double axial, bool held, const std::string& more) {
  return fmt::format(
      "escapement: 1\ngravity: none\ncomponents:\n  beam: {{type: beam.line, from: [0, 0, 0], to: [1 m, 0, "
      "0], elements: {}, properties: {{axial: {} N, {}}}}}\n{}{}simulate: {{until: 1 s, step: 1 ms}}\n",
      held ? 4 : 1, axial, section,
      held ? "  root: {type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}\n" : "", more);
}

/// The state with the end moved along x.
State stretched(const Mechanism& m, const std::string& node, double by) {
  State s = m.initial();
  s.value[m.variable(node).value + 4] += by;
  return s;
}

}  // namespace

TEST_CASE("a stretch that the steps do not resolve decays as rho_inf says, and stays with rho_inf = 1") {
  const double h = 1e-3, axial = 1e12,
               omega = std::sqrt(12 * axial);  // ωh = 3464: two free ends of a consistent mass
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    Mechanism m(bar(axial, false, ""));
    m.options.mechanics = MechanicsParameters::chung_hulbert(rho);
    m.options.history = StartHistory::classical;
    m.options.settling = false;  // the scheme itself
    const double by = 1e-6;
    std::vector<double> strain;
    run(m.system(), stretched(m, "beam.node2", by), m.options, constant_steps(60 * h, 60),
        [&](const State& s) { strain.push_back(m(s, "beam.start.strain.x") / by); });
    const std::vector<double> expected = theory(omega, h, rho, 60);
    double worst = 0;
    for (int i = 0; i <= 60; ++i) worst = std::max(worst, std::abs(strain[i] - expected[i]));
    const double late = std::abs(*std::max_element(
        strain.end() - 20, strain.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    fmt::print(
        "rho_inf {}: after 60 steps {:.1e} of the stretch is left, n^2 rho^n = {:.1e}; off theory by "
        "{:.1e}\n",
        rho, late, rho == 1 ? 1 : 3600 * std::pow(rho, 60), worst);
    CHECK(worst < 1e-7);  // rounding of 1 m + 1e-6 m, times n² until it decays
    if (rho == 1) CHECK(late > 0.99);
    if (rho < 1) CHECK(late < 4 * 3600 * std::pow(rho, 40) + 1e-9);
  }
}

TEST_CASE("slow bending keeps its order while a stiff stretch dies out") {
  const std::string push =
      "  push: {type: force.point, at: beam.end, input: [still, y, still]}\n  still: {type: "
      "control.constant, value: 0, "
      "unit: N}\n  y: {type: control.expression, expression: \"(0.5 N)*sin(5*t/(1 s))\", unit: N}\n";
  Mechanism m(bar(1e8, true, push));  // lowest axial mode: 1.6e4/s
  m.options.constraints = ConstraintForm::index2;
  m.options.mechanics = MechanicsParameters::chung_hulbert(0.5);
  std::vector<double> stretch;                          // of the last segment, at the end
  const auto sampled = [&](const State& from, int n) {  // at 100 times
    std::vector<std::array<double, 3>> values;
    int k = 0;
    const State end = run(m.system(), from, m.options, constant_steps(1, n), [&](const State& s) {
      if (k++ % (n / 100) == 0)
        values.push_back({m(s, "beam.end.position.y"), m(s, "beam.end.velocity.y"), m(s, "root.torque.z")});
    });
    stretch.push_back(m(end, "beam.end.strain.x"));
    return values;
  };
  const auto exact = sampled(m.initial(), 16000);
  Ladder ladder({"deflection", "velocity", "root torque"});
  for (const int n : {500, 1000, 2000}) {
    const auto values = sampled(stretched(m, "beam.node5", 1e-8), n);
    std::vector<double> e(3, 0.0);
    for (std::size_t t = 0; t < exact.size(); ++t)
      for (int i = 0; i < 3; ++i) e[i] = std::max(e[i], std::abs(values[t][i] - exact[t][i]));
    ladder.add(1.0 / n, e);
    CHECK(std::abs(stretch.back() - stretch.front()) < 1e-11);  // 4e-8 at the start
  }
  ladder.print("cantilever that starts with 4 N too much tension, rho = 0.5, largest errors until t = 1");
  ladder.check_second_order(0.1);
}

TEST_CASE("steps of a ringing beam: Newton starts once more from velocities that stay") {
  // A tension of 400 N that the steps do not resolve, in a beam that buckles under 5 N: along the last accelerations Newton is led
  // astray.
  const std::string push =
      "  push: {type: force.point, at: beam.end, input: [still, y, still]}\n  still: {type: "
      "control.constant, value: 0, "
      "unit: N}\n  y: {type: control.expression, expression: \"(0.5 N)*sin(5*t/(1 s))\", unit: N}\n";
  Mechanism m(bar(1e8, true, push));
  m.options.constraints = ConstraintForm::index2;
  m.options.mechanics = MechanicsParameters::chung_hulbert(0.5);
  const State s = run(m.system(), stretched(m, "beam.node5", 1e-6), m.options, constant_steps(1, 250));
  const State calm = m.run(constant_steps(1, 250));
  CHECK(std::abs(m(s, "beam.end.position.y") - m(calm, "beam.end.position.y")) < 1e-6);
}

// ------------------------------------------------------------------ momentum

TEST_CASE("a free beam in flight: momentum to rounding, angular momentum to the order of the scheme") {
  const std::string flight = fmt::format(R"yaml(
escapement: 1
gravity: none
components:
  beam: {{type: beam.line, from: [1 m, 2 m, 0], to: [1 m, 2 m, 1 m], up: [1, 0, 0], elements: 6, properties: {{axial: 70 N, {}}}, initial: {{velocity: [1 m/s, -2 m/s, 0.5 m/s], angular_velocity: [5 rad/s, 3 rad/s, 4 rad/s]}}}}
simulate: {{until: 1 s, step: 1 ms}}
)yaml",
                                         section);
  const Vector3 inertia{{0.03, 0.02, 0.01}};
  for (const double rho : {0.5, 0.8, 1.0}) {
    Mechanism m(flight);
    m.options.mechanics = MechanicsParameters::chung_hulbert(rho);
    Ladder ladder({"angular momentum"});
    for (const int n : {250, 500, 1000}) {
      Momentum first;
      bool begun = false;
      double linear = 0, angular = 0, stretch = 0;
      m.run(constant_steps(1, n), [&](const State& s) {
        const Momentum p = momentum(nodes_of(m.system(), s, "beam"), 1, 1, inertia);
        if (!begun) first = p, begun = true;
        linear = std::max(linear, norm(p.linear - first.linear));
        angular = std::max(angular, norm(p.angular - first.angular));
        stretch = std::max(stretch, std::abs(m(s, "beam.start.strain.x")));
      });
      CHECK(linear < 1e-12 * n);  // what Newton leaves over in n steps
      CHECK(norm(first.linear) > 1);
      CHECK(stretch > 0.005);  // it does stretch
      ladder.add(1.0 / n, {angular});
    }
    ladder.print(fmt::format("free beam, largest change of its angular momentum, rho = {}", rho));
    ladder.check_second_order(0.1);
  }
}

// ------------------------------------------------------------------ statics: objectivity, path, tangent

namespace {

/// A dead force.
struct Force {
  Pose at;
  Vector3 force;
  auto variables() const { return std::tie(at); }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    push(z, out, at, as<S>(force), Vec3<S>{});
  }
};

/// A clamped beam of eight segments with dead forces at its middle and its end.
struct Statics {
  std::vector<Pose> nodes;  // the first one is ground
  System system;
  Statics(const Vector3& middle, const Vector3& end) : system(build(middle, end)) {}
  System build(const Vector3& middle, const Vector3& end) {
    constexpr int n = 8;
    constexpr double l = 1.0 / n;
    beam::Stiffness k{};
    const double diagonal_of[6] = {500, 300, 250, 1.5, 3, 2};
    for (int i = 0; i < 6; ++i) k[i][i] = diagonal_of[i];
    SystemBuilder b;
    nodes.resize(1);
    for (int i = 1; i <= n; ++i) {
      nodes.push_back(b.pose(fmt::format("node{}", i)));
      b.add(body::Rigid{nodes[i], 0, diagonal(l, l, l)});
      b.add(beam::Inertia{nodes[i - 1], nodes[i], l});
      b.add(beam::Segment{nodes[i - 1], nodes[i], {}, {}, l, beam::of_segment(k, l)});
    }
    b.add(Force{nodes[n / 2], middle});
    b.add(Force{nodes[n], end});
    return b.finish();
  }
  State straight() const {
    State s = system.state();
    for (std::size_t i = 1; i < nodes.size(); ++i) system.value(s, nodes[i])[4] = static_cast<double>(i) / 8;
    return s;
  }
};

double largest(std::span<const double> x) {
  double m = 0;
  for (double e : x) m = std::max(m, std::abs(e));
  return m;
}

/// Full Newton steps on the equilibrium, each with the matrix of its own point; the largest residual before each.
std::vector<double> newton_residuals(const Statics& beam, State& s) {
  const int n = beam.system.size();
  std::vector<double> r(n), values(beam.system.pattern().nonzeros()), moved(s.value.size()), history;
  const auto solver = make_solver(n);
  solver->analyze(beam.system.pattern(), {});
  for (int k = 0; k < 30; ++k) {
    beam.system.tangent(s, Shift::stiffness(), {}, r, values);
    history.push_back(largest(r));
    if (history.back() < 1e-12) break;
    REQUIRE(solver->factor(values).ok);
    for (double& x : r) x = -x;
    solver->solve(r);
    move_positions(beam.system, s.value, r, moved, {});
    s.value = moved;
  }
  return history;
}

/// The largest |K_ij − K_ji|.
double asymmetry(const System& system, const State& s, double* size) {
  const Pattern& p = system.pattern();
  std::vector<double> r(p.n), values(p.nonzeros()), dense(static_cast<std::size_t>(p.n) * p.n);
  system.tangent(s, Shift::stiffness(), {}, r, values);
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) dense[p.row[k] * p.n + j] += values[k];
  double worst = 0;
  *size = largest(dense);
  for (int i = 0; i < p.n; ++i)
    for (int j = 0; j < i; ++j) worst = std::max(worst, std::abs(dense[i * p.n + j] - dense[j * p.n + i]));
  return worst;
}

}  // namespace

TEST_CASE("the same equilibrium whichever load comes first") {
  const Vector3 middle{{1, 4, -3}}, end{{-2, 3, 5}}, none{};
  const Statics first(middle, none), second(none, end), both(middle, end);
  State a = first.straight(), b = first.straight(), c = first.straight();
  find_equilibrium(first.system, a, {});
  const double way = norm(Vector3{{a.value[7 * 7 + 4] - 1, a.value[7 * 7 + 5], a.value[7 * 7 + 6]}});
  find_equilibrium(both.system, a, {});
  find_equilibrium(second.system, b, {});
  find_equilibrium(both.system, b, {});
  find_equilibrium(both.system, c, {});
  double ab = 0, ac = 0;
  for (std::size_t i = 0; i < a.value.size(); ++i) {
    ab = std::max(ab, std::abs(a.value[i] - b.value[i]));
    ac = std::max(ac, std::abs(a.value[i] - c.value[i]));
  }
  fmt::print(
      "equilibrium: the tip moves {:.2f} m under the first load; other order {:.1e}, at once {:.1e} apart\n",
      way, ab, ac);
  CHECK(way > 0.1);
  CHECK(ab < 1e-10);
  CHECK(ac < 1e-10);
}

TEST_CASE(
    "Newton converges quadratically on the tangent by hand; at equilibrium under dead loads it is "
    "symmetric") {
  const Statics beam({{1, 4, -3}}, {{-2, 3, 5}});
  State s = beam.straight();
  find_equilibrium(beam.system, s, {});
  // A little aside, then home.
  State aside = s;
  std::vector<double> u(beam.system.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 5e-3 * std::sin(1.0 + 7.0 * static_cast<double>(i));
  move_positions(beam.system, s.value, u, aside.value, {});
  double size = 0;
  const double away = asymmetry(beam.system, aside, &size);
  const std::vector<double> r = newton_residuals(beam, aside);
  fmt::print("full Newton, largest residuals:");
  for (double x : r) fmt::print(" {:.1e}", x);
  const double there = asymmetry(beam.system, aside, &size);
  fmt::print("\nasymmetry of the tangent: {:.1e} aside, {:.1e} at equilibrium, of {:.0f}\n", away, there,
             size);
  // Each residual is at most a constant times the square of the one before, until rounding (1e-12 N of 500 N per strain).
  for (std::size_t k = 1; k < r.size(); ++k) CHECK(r[k] < 100 * r[k - 1] * r[k - 1] + 1e-11);
  CHECK(r.size() <= 8);
  CHECK(away > 1e-3);
  CHECK(there < 1e-12 * size);
}

TEST_CASE("a rigid motion on top of a deformed beam changes no strain and turns its forces with it") {
  const Statics beam({{1, 4, -3}}, {{-2, 3, 5}});
  State s = beam.straight();
  find_equilibrium(beam.system, s, {});
  // The nodes without the clamped one, as a free beam of the same shape.
  Mechanism m(bar(70, false, ""), {{"beam.elements", "8"}});
  const auto place = [&](const Frame<double>& motion) {
    State t = m.initial();
    const std::vector<Frame<double>> shape = [&] {
      std::vector<Frame<double>> f{Frame<double>{}};
      for (std::size_t i = 1; i < beam.nodes.size(); ++i) {
        const auto q = beam.system.value(s, beam.nodes[i]);
        f.push_back({{q[0], {{q[1], q[2], q[3]}}}, {{q[4], q[5], q[6]}}});
      }
      return f;
    }();
    int k = 0;
    for (const Variable& v : m.system().variables()) {
      if (v.kind != Kind::position) continue;
      const Frame<double> f = motion * shape[k++];
      const double numbers[7] = {f.R.w, f.R.u[0], f.R.u[1], f.R.u[2], f.x[0], f.x[1], f.x[2]};
      std::copy(numbers, numbers + 7, t.value.begin() + v.value);
    }
    return t;
  };
  const State at_home = place({});
  double worst = 0, strained = 0;
  for (const Vector3& turn :
       {Vector3{{0.3, 0.2, -0.5}}, Vector3{{2, -1.5, 1}}, Vector3{{0, 3.1, 0}}, Vector3{{-4, 5, 9}}}) {
    const State elsewhere = place({exp_so3(turn), {{3, -7, 11}}});
    for (const char* end : {"start", "end"})
      for (const char* what : {"strain", "curvature"}) {
        const std::string channel = std::string("beam.") + end + "." + what;
        worst = std::max(worst, norm(m.vector(elsewhere, channel) - m.vector(at_home, channel)));
        strained = std::max(strained, norm(m.vector(at_home, channel)));
      }
  }
  fmt::print("strains change by {:.1e} under rigid motions, curvature is up to {:.1f}/m\n", worst, strained);
  CHECK(strained > 0.5);
  CHECK(worst < 1e-12);
}
