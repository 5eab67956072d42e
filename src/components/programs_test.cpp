// Elements whose unknowns are counted at run time pass the same checker: the user's equations in all their sorts, and a
// delay with a history.
#include <doctest/doctest.h>

#include "components/control/delay.hpp"
#include "components/math/user_equations.hpp"
#include "components/registry.hpp"
#include "core/element_check.hpp"
#include "model/assembly.hpp"

using namespace escapement;

namespace {

Assembly model(const std::string& components) {
  static const Registry registry = standard_registry();
  std::string text = "escapement: 1\ncomponents:\n";
  text += components;
  return assemble(Model::read_text(text, "programs", registry));
}

void check(const Assembly& a, ElementCheckOptions options = {}) {
  for (const auto& fault : check_elements(a.system, options)) FAIL_CHECK(fault);
}

}  // namespace

TEST_CASE("equations of every sort: exact tangents, the same rows twice") {
  check(model(R"yaml(
  other: {type: translational.mass, mass: 2 kg}
  shaft: {type: rotational.inertia, inertia: 2 kg*m^2}
  point: {type: planar.mass, mass: 3 kg}
  wave: {type: control.sine, frequency: 1 Hz, amplitude: 2}
  e:
    type: math.equations
    inputs: {u: wave, b: other.acceleration}
    sliders: {o: other}
    shafts: {w: shaft}
    points: {p: point}
    unknowns:
      x: {kind: position, initial: 0.3}
      y: {kind: position}
      z: {kind: state}
      c: {kind: state}
      s: {kind: signal}
      rod: {kind: multiplier}
      roll: {kind: slip_multiplier}
      free: {kind: slip_multiplier, reaction: none}
    equations:
      x: (2 + sin(y)^2)*der2(x) + cos(x)*der2(y) = -3*x^3 + u*s - der(x)*abs(der(x)) + free^2*exp(z/4)
      y: "3*der2(y) = tanh(z) - x*y + free"
      z: der((2 + x^2)*z + t*y) = -z*s + atan2(x, 2 + y^2)
      c: der(c^3 + c) = s - c + b + der2(y)
      s: s + 0.2*s^3 = x*der(x) - rod*z + u^2 + sqrt(3 + c^2)
      rod: x^2 + y^2*p.x + o/(1 m)*w/(1 rad) = 2 + sin(t/(1 s))
      roll: der(x)*cos(y) - x*der(w) + t*der(p.y) = 0
      free: der(y)*(1 + x^2) = sin(t/(1 s))
    forces: {o: (3 N)*z*o/(1 m), w: (2 N*m)*s, p.x: (1 N)*x*y, p.y: (1 N)*der(x)}
)yaml"),
        {.states = 40});
}

TEST_CASE("a delay with a history: the tangent along the input within the step") {
  SystemBuilder b;
  const auto u = b.signal<1>("u"), y = b.signal<1>("y");
  b.add_dynamic(std::make_unique<control::Delay>(u, y, 0.25, std::nullopt));
  const System system = b.finish();
  State s = system.state();
  const auto rows = [&](double t, double now) {
    s.t = t;
    system.value(s, u)[0] = now;
    system.value(s, y)[0] = 0;
    std::vector<double> r(2), values(system.pattern().nonzeros());
    system.tangent(s, {}, {}, r, values);
    return std::pair(-r[system.variables()[y.variable].row],
                     -values[system.pattern().find(system.variables()[y.variable].row,
                                                   system.variables()[u.variable].row)]);
  };
  const auto cubic = [](double t) { return 1 - 2 * t + 3 * t * t - t * t * t; };
  // Before anything is remembered: the input as it is.
  CHECK(rows(0, 1.0) == std::pair(1.0, 1.0));
  for (double t : {0.0, 0.2, 0.3, 0.7, 0.8, 0.9}) {
    s.t = t;
    system.value(s, u)[0] = cubic(t);
    system.remember(s, t == 0);
  }
  // A cubic is repeated exactly, by remembered values alone or with the input at the end of the step.
  for (double t : {1.0, 1.1, 1.14}) {
    const auto [value, weight] = rows(t, cubic(t));
    CHECK(value == doctest::Approx(cubic(t - 0.25)).epsilon(1e-13));
    CHECK(weight == 0.0);
  }
  for (double t : {1.16, 1.3, 1.5}) {
    const auto [value, weight] = rows(t, cubic(t));
    CHECK(value == doctest::Approx(cubic(t - 0.25)).epsilon(1e-12));
    const double e = 1e-4;
    CHECK(weight == doctest::Approx((rows(t, cubic(t) + e).first - value) / e).epsilon(1e-8));
    CHECK(weight > 0);
  }
  // Nothing is interpolated across a jump: after it the output waits on the old side, then takes the new one.
  s.t = 0.9;
  system.value(s, u)[0] = 5;
  system.remember(s, true);
  CHECK(system.next_break(s) == doctest::Approx(0.25));  // the start itself comes out first
  s.t = 0.25;
  system.pass_breaks(s, 0);
  s.t = 1.0;
  CHECK(system.next_break(s) == doctest::Approx(1.15));
  s.t = 1.1;
  system.value(s, u)[0] = 5;
  system.remember(s, false);
  CHECK(rows(1.15, 5).first == doctest::Approx(cubic(0.9)).epsilon(1e-12));
  s.t = 1.15;
  system.pass_breaks(s, 1e-12);
  CHECK(rows(1.15, 5).first == doctest::Approx(5));
  CHECK(rows(1.2, 5).first == doctest::Approx(5));
  CHECK(std::isinf(system.next_break(s)));
}

TEST_CASE("a delay remembers no more than it needs") {
  SystemBuilder b;
  const auto u = b.signal<1>("u"), y = b.signal<1>("y");
  b.add_dynamic(std::make_unique<control::Delay>(u, y, 0.1, 0.0));
  const System system = b.finish();
  State s = system.state();
  std::size_t largest = 0;
  for (int k = 0; k < 100000; ++k) {
    s.t = k * 1e-3;
    system.remember(s, k == 0);
    largest = std::max(largest, s.delays[0].samples.size());
  }
  CHECK(largest < 300);
}
