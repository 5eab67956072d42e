// Events that set parameters: all that is evaluated afterwards has them, also within steps: rows of results, and where in a step
// something switches.
#include <doctest/doctest.h>

#include <cmath>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "report/scene_json.hpp"

using namespace escapement;

namespace {

struct Rows final : RunObserver {
  const Assembly& assembly;
  std::shared_ptr<const Assembly> with_changes;
  std::vector<double> times, bent;  // bending moment over curvature of the first piece of a beam
  std::vector<std::vector<double>> values;
  explicit Rows(const Assembly& a) : assembly(a) {}
  void changed(std::shared_ptr<const Assembly> a) override { with_changes = std::move(a); }
  void row(const State& s) override {
    times.push_back(s.t);
    values.emplace_back();
    for (const Channel& c : assembly.channels) values.back().push_back(assembly.read(c, s));
    if (assembly.scene.beams.empty()) return;
    std::vector<double> motion;
    read_motion(with_changes ? *with_changes : assembly, s, motion);
    const double* const piece = &motion[7 * assembly.scene.nodes.size()];
    bent.push_back(piece[11] / piece[5]);
  }
  bool step(const StepDone&) override { return true; }
};

struct Ran {
  Model model;
  Assembly assembly;
  Rows rows;
  RunResult result;
  explicit Ran(const std::string& text)
      : model(Model::read_text("escapement: 1\n" + text, "model", registry())),
        assembly(assemble(model)),
        rows(assembly),
        result(simulate(assembly, simulate_options(model), rows)) {
    if (result.failure) FAIL_CHECK(result.failure->code << " " << result.failure->cause);
  }
  double at(std::size_t row, const std::string& name) const {
    for (std::size_t i = 0; i < assembly.channels.size(); ++i)
      if (assembly.channels[i].name == name) return rows.values.at(row)[i];
    FAIL("no channel " << name);
    return 0;
  }
  double event(const std::string& who) const {
    for (const auto& e : result.statistics.events)
      if (e.what.find(who) != std::string::npos) return e.time;
    FAIL("no event of " << who);
    return 0;
  }
  static const Registry& registry() {
    static const Registry all = standard_registry();
    return all;
  }
};

}  // namespace

TEST_CASE("rows within steps have the parameters of their time") {
  for (const char* const steps : {"adaptive: true, tolerance: 1e-4", "step: 7 ms"}) {
    CAPTURE(steps);
    const Ran ran(std::string(R"yaml(
components:
  block: {type: translational.mass, mass: 2 kg, initial: {position: 0.4 m}}
  spring: {type: translational.spring, stiffness: 70 N/m, between: [ground, block]}
  stiffen: {type: event.crossing, expression: t/(1 s) - 0.13, set: {spring.stiffness: 310 N/m}}
simulate: {until: 0.5 s, output_every: 20 ms, )yaml") +
                  steps + "}\n");
    REQUIRE(ran.rows.times.size() > 20);
    for (std::size_t k = 0; k < ran.rows.times.size(); ++k) {
      const double stiffness = ran.at(k, "spring.force") / ran.at(k, "spring.elongation");
      CHECK(stiffness == doctest::Approx(ran.rows.times[k] < 0.13 ? 70 : 310).epsilon(1e-9));
    }
  }
}

TEST_CASE("what switches is located with the parameters that events have set") {
  // Against a wall that has moved to 0.07 m: from 0.3 m at −1 m/s after 0.23 s.
  const Ran wall(R"yaml(
components:
  ball: {type: translational.mass, mass: 1 kg, initial: {position: 0.3 m, velocity: -1 m/s}}
  wall: {type: translational.end_stop, lower: 0 m, restitution: 0.5, between: [ground, ball]}
  move: {type: event.crossing, expression: t/(1 s) - 0.002, set: {wall.lower: 0.07 m}}
simulate: {until: 0.4 s, step: 50 ms}
)yaml");
  CHECK(wall.event("wall") == doctest::Approx(0.23).epsilon(1e-9));
  CHECK(wall.at(wall.rows.times.size() - 1, "ball.position") ==
        doctest::Approx(0.07 + 0.5 * 0.17).epsilon(1e-9));
  const Ran relay(R"yaml(
components:
  ramp: {type: control.ramp, slope: 1 1/s}
  relay: {type: control.relay, threshold: 0.3, input: ramp}
  raise: {type: event.crossing, expression: t/(1 s) - 0.15, set: {relay.threshold: 0.67}}
simulate: {until: 1 s, step: 100 ms}
)yaml");
  CHECK(relay.event("relay") == doctest::Approx(0.67).epsilon(1e-9));
  const Ran table(R"yaml(
components:
  block: {type: translational.mass, mass: 1 kg, initial: {position: 0.6 m}}
  spring: {type: translational.spring, table: [[-0.1 m, -25 N], [0, 0], [0.3 m, 12 N]], rest_length: 0.3 m, between: [ground, block]}
  relax: {type: event.crossing, expression: t/(1 s) - 0.1, set: {spring.rest_length: 0.17 m}}
simulate: {until: 1 s, step: 5 ms}
)yaml");
  CHECK(table.result.statistics.steps < 400);
  const Ran stop(R"yaml(
components:
  ball: {type: translational.mass, mass: 1 kg, initial: {position: 0.2 m}}
  weight: {type: control.constant, value: -9.81 N, unit: N}
  pull: {type: translational.force, at: ball, input: weight}
  floor: {type: translational.end_stop, lower: 0 m, stiffness: 3000 N/m, damping: 5 N*s/m, between: [ground, ball]}
  calm: {type: event.crossing, expression: t/(1 s) - 0.43, set: {floor.damping: 80 N*s/m}}
simulate: {until: 1 s, step: 5 ms}
)yaml");
  CHECK(stop.result.statistics.steps < 400);
}

TEST_CASE("pictures of beams have the parameters that events have set") {
  const Ran ran(R"yaml(
gravity: [0, -9.81 m/s^2, 0]
components:
  blade: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 4, rectangle: {width: 3 cm, height: 1 cm}, youngs_modulus: 3e9 Pa, poisson_ratio: 0.3, density: 2000 kg/m^3, damping: {stiffness: 5 ms}}
  root: {type: joint.fixed, between: [ground, blade.start], at: [0, 0, 0]}
  harden: {type: event.crossing, expression: t/(1 s) - 0.05, set: {blade.youngs_modulus: 9e9 Pa}}
simulate: {until: 0.1 s, step: 1 ms}
)yaml");
  REQUIRE(ran.rows.bent.size() == 101);
  CHECK(ran.rows.bent.back() == doctest::Approx(3 * ran.rows.bent[20]).epsilon(1e-6));
}
