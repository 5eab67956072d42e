// Models with expressions and equations of the user's own: starts, conditions, flattened texts, reactions; and jumps next to
// regular times.
#include <doctest/doctest.h>

#include <cmath>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

const Registry& registry() {
  static const Registry all = standard_registry();
  return all;
}

struct Rows final : RunObserver {
  const Assembly* assembly = nullptr;
  std::vector<double> times;
  std::vector<std::vector<double>> values;  // as the channels
  void row(const State& s) override {
    times.push_back(s.t);
    values.emplace_back();
    for (const Channel& c : assembly->channels) values.back().push_back(assembly->read(c, s));
  }
  bool step(const StepDone&) override { return true; }
  double at(std::size_t row, const std::string& name) const {
    for (std::size_t i = 0; i < assembly->channels.size(); ++i)
      if (assembly->channels[i].name == name) return values[row][i];
    FAIL("no channel " << name);
    return 0;
  }
};

struct Ran {
  Model model;
  Assembly assembly;
  Rows rows;
  explicit Ran(Model m) : model(std::move(m)), assembly(assemble(model)) {
    rows.assembly = &assembly;
    const RunResult result = simulate(assembly, simulate_options(model), rows);
    if (result.failure) FAIL_CHECK(result.failure->cause);
  }
  explicit Ran(const std::string& text)
      : Ran(Model::read_text("escapement: 1\n" + text, "model", registry())) {}
  double last(const std::string& name) const { return rows.at(rows.times.size() - 1, name); }
};

}  // namespace

TEST_CASE("expressions that have no slope, or no value, where signals start from") {
  const Ran ran(R"yaml(
components:
  u: {type: control.constant, value: 4}
  n: {type: control.constant, value: 3}
  e: {type: control.expression, inputs: {u: u, n: n}, expression: [sqrt(u) + n, "sqrt(u^2 + n^2)", "cos(atan2(u, n))", u^n, u^0.5, n/u, log(u), "asin(n/u)"]}
simulate: {until: 0.1 s, step: 0.1 s}
)yaml");
  const double exact[] = {5, 5, 0.6, 64, 2, 0.75, std::log(4.0), std::asin(0.75)};
  for (int i = 0; i < 8; ++i)
    CHECK(ran.last("e.output." + std::to_string(i + 1)) == doctest::Approx(exact[i]).epsilon(1e-12));
}

TEST_CASE("a condition protects from the slope of what was not chosen") {
  const Ran ran(R"yaml(
components:
  tank: {type: math.equations, unknowns: {p: {kind: state, initial: 4}}, equations: {p: "der(p) = -(p > 1 ? sqrt(p - 1) : -sqrt(1 - p))"}}
simulate: {until: 1 s, step: 1 ms}
)yaml");
  // √(p − 1) falls by t/2.
  CHECK(ran.last("tank.p") == doctest::Approx(1 + std::pow(std::sqrt(3.0) - 0.5, 2)).epsilon(1e-6));
}

TEST_CASE("a loop that is singular where signals start from is solved where it is not") {
  const Ran ran(R"yaml(
components:
  s: {type: control.constant, value: 1}
  a: {type: control.sum, inputs: [s, th]}
  th: {type: control.tanh_saturation, limit: 2, input: a}
simulate: {until: 0.1 s, step: 0.1 s}
)yaml");
  const double a = ran.last("a.output");
  CHECK(std::abs(a - 1 - 2 * std::tanh(a / 2)) < 1e-12);
  CHECK(a == doctest::Approx(2.76245).epsilon(1e-5));
}

TEST_CASE("comparisons behind which others follow, beside a product") {
  const Ran ran(R"yaml(
components:
  w: {type: control.sine, amplitude: 3, frequency: 1 Hz}
  c: {type: control.constant, value: [2, -1]}
  pr: {type: control.product, inputs: [w, c]}
  cmp: {type: control.comparison, input: w, relation: ">=", constant: 0}
  a: {type: control.pulse, period: 0.4 s}
  b: {type: control.pulse, period: 0.2 s}
  xor: {type: control.logic, operation: xor, inputs: [a, b, cmp]}
simulate: {until: 2 s, step: 5 ms}
)yaml");
  for (std::size_t i = 0; i < ran.rows.times.size(); ++i) {
    const bool parity = (ran.rows.at(i, "a.output") > 0.5) != (ran.rows.at(i, "b.output") > 0.5);
    CHECK((ran.rows.at(i, "xor.output") > 0.5) == (parity != (ran.rows.at(i, "w.output") >= 0)));
  }
}

TEST_CASE("the flattened model keeps units that are spelt like parameters") {
  const std::string text = R"yaml(
parameters: {s: 3, m: 2 kg}
components:
  u: {type: control.constant, value: 1}
  y: {type: control.expression, inputs: {u: u}, expression: "u*(2 N*s) + (3 N/m)*(1 m*s)*s"}
  e: {type: math.equations, unknowns: {x: {kind: state, initial: s}}, equations: {x: "der(x*s) = -x*(2/(1 s))*s"}}
simulate: {until: 1 s, step: 0.01 s}
)yaml";
  const Ran once(text);
  const Ran again(Model::from_tree(once.model.flattened(), registry()));
  CHECK(once.last("y.output") == 11);
  CHECK(again.last("y.output") == 11);
  CHECK(again.last("e.x") == once.last("e.x"));
}

TEST_CASE("reactions act the right way whichever side the inertia stands on, wherever the parts start") {
  for (const char* row : {"((20 kg/m)*(0.2 m - x))*der2(x) = 0", "0 = ((20 kg/m)*(0.2 m - x))*der2(x)"}) {
    const Ran ran(std::string(R"yaml(
components:
  bead:
    type: math.equations
    unknowns: {x: {kind: position, unit: m, initial: 0.06 m}, y: {kind: position, unit: m, initial: -0.8 m}, rod: {kind: multiplier, unit: N/m}}
    equations:
      x: ")yaml") +
                  row + R"yaml("
      y: (2 kg)*der2(y) = -(2 kg)*(9.81 m/s^2)
      rod: (x^2 + y^2 - 0.6436 m^2)/2 = 0
simulate: {until: 0.01 s, step: 1 ms}
)yaml");
    CHECK(ran.rows.at(0, "bead.x_acceleration") < 0);  // towards the lowest point
    CHECK(ran.rows.at(0, "bead.rod") > 0);
  }
  // Without inertia of its own: a damper pushes a mass along.
  for (const char* row : {"(5 N*s/m)*der(x) = 1 N", "1 N - (5 N*s/m)*der(x) = 0"}) {
    const Ran ran(std::string(R"yaml(
components:
  mass: {type: translational.mass, mass: 1 kg}
  e:
    type: math.equations
    sliders: {a: mass}
    unknowns: {x: {kind: position, unit: m}, tie: {kind: multiplier, unit: N}}
    equations: {x: ")yaml") +
                  row + R"yaml(", tie: x - a = 0}
simulate: {until: 3 s, step: 1 ms}
)yaml");
    CHECK(ran.last("mass.position") ==
          doctest::Approx(0.2 * (3 - 0.2 * (1 - std::exp(-15.0)))).epsilon(1e-5));
  }
}

TEST_CASE("a variable exponent in a constraint, from rest") {
  const auto bead = [](const char* constraint) {
    return Ran(std::string(R"yaml(
components:
  e:
    type: math.equations
    unknowns: {x: {kind: position}, y: {kind: position, initial: 1}, l: {kind: multiplier}}
    equations: {x: der2(x) = 1, y: der2(y) = 0, l: ")yaml") +
               constraint + "\"}\nsimulate: {until: 0.1 s, step: 1 ms}\n");
  };
  const Ran power = bead("2^x - y = 0"), exponential = bead("exp(0.6931471805599453*x) - y = 0");
  for (std::size_t i = 0; i < power.rows.times.size(); ++i)
    CHECK(power.rows.at(i, "e.l") == doctest::Approx(exponential.rows.at(i, "e.l")).epsilon(1e-9));
}

TEST_CASE("jumps next to regular times: no step so short that multipliers drown in rounding") {
  const std::string pendulum = R"yaml(
components:
  bob: {type: planar.mass, mass: 1 kg, gravity: [0, -9.81 m/s^2], initial: {position: [0.6 m, -0.8 m]}}
  rod: {type: planar.distance, length: 1 m, between: [ground, bob]}
)yaml";
  const std::string run = "simulate: {until: 2 s, step: 10 ms}\n";
  const Ran plain(pendulum + run);
  for (const char* jump : {"control.pulse, period: 0.6666666666 s", "control.pulse, period: 0.666666667 s",
                           "control.step, time: 0.999999997 s", "control.step, time: 1.000000003 s",
                           "control.step, time: 0.999999 s", "control.step, time: 1.99999999 s"}) {
    CAPTURE(jump);
    const Ran ran(pendulum + "  p: {type: " + jump + "}\n" + run);
    REQUIRE(ran.rows.times.size() == plain.rows.times.size());
    double worst = 0;
    for (std::size_t i = 0; i < ran.rows.times.size(); ++i) {
      CHECK(std::abs(ran.rows.times[i] - plain.rows.times[i]) < 1e-12);
      worst = std::max(worst, std::abs(ran.rows.at(i, "rod.tension") - plain.rows.at(i, "rod.tension")));
    }
    CHECK(worst < 2e-3);  // the error of the step itself is 5e-3; a sliver would make it hundreds
  }
}
