// One assembled model, many runs at once: what events set in one of them does not reach the others.
#include <doctest/doctest.h>

#include <thread>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

/// Events set parameters of springs, dampers, a table and a C function, to values that depend on the input, at times that do, too.
const char* const model_of_springs = R"yaml(escapement: 1
components:
  level: {type: control.input, value: 1}
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 20 N/m, between: [ground, mass]}
  damper: {type: translational.damper, damping: 0.1 N*s/m, between: [ground, mass]}
  rub: {type: translational.friction, between: [ground, mass], coulomb: 0.05 N, static: 0.08 N, stribeck_velocity: 0.1 m/s}
  late: {type: control.delay, delay: 0.13 s, input: mass.position}
  gain: {type: control.gain, gain: 2, input: late}
  lag:
    type: control.c_function
    input: gain
    parameters: {time_constant: 0.2 s}
    code: |
CODE
  push: {type: translational.force, at: mass, input: lag}
  stiffer: {type: event.crossing, inputs: {x: mass.position, u: level}, expression: x - 0.5*u*(1 m), direction: falling, set: {spring.stiffness: (30 + 10*u)*(1 N/m)}}
  softer: {type: event.crossing, inputs: {v: mass.velocity, u: level}, expression: v - 0.3*u*(1 m/s), direction: rising, set: {damper.damping: 0.2*u*(1 N*s/m)}}
simulate: {until: 4 s, step: 5 ms, scheme: SCHEME}
)yaml";

struct Rows final : RunObserver {
  const Assembly& assembly;
  std::vector<double> numbers;
  explicit Rows(const Assembly& a) : assembly(a) {}
  void row(const State& s) override {
    numbers.push_back(s.t);
    for (const Channel& c : assembly.channels) numbers.push_back(assembly.read(c, s));
  }
  bool step(const StepDone&) override { return true; }
};

std::vector<double> run(const Assembly& assembly, const SimulateOptions& options, double level) {
  Rows rows(assembly);
  Simulation simulation(assembly, options, rows);
  simulation.begin();
  const auto input = std::find_if(assembly.channels.begin(), assembly.channels.end(),
                                  [](const Channel& c) { return c.name == "level.output"; });
  REQUIRE(input != assembly.channels.end());
  for (const auto& g : assembly.system.groups())
    if (const auto* group = dynamic_cast<const ElementGroup*>(g.get()))
      for (int k = 0; k < group->size(); ++k)
        if (group->type().rows == 1 && group->variables_of(k)[0] == input->from.variable)
          simulation.state().memory[group->memory_of(k)] = level;
  simulation.jump();
  while (!simulation.finished()) simulation.step();
  const RunResult result = simulation.end();
  CHECK_MESSAGE(!result.failure, result.failure->cause);
  CHECK(result.statistics.event_count >= 2);
  return rows.numbers;
}

}  // namespace

TEST_CASE("eight threads run one assembly with events and numbers of their own, bit by bit as alone") {
  const Registry registry = standard_registry();
  std::string code;
  for (const ComponentType& t : registry.types())
    if (t.name == "control.c_function") code = t.example.substr(t.example.find("    #include"));
  std::string indented;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) indented += "  " + line + "\n";
  for (const char* const scheme : {"generalized-alpha", "variational", "spook"}) {
    CAPTURE(scheme);
    std::string model_text = model_of_springs;
    model_text.replace(model_text.find("CODE\n"), 5, indented);
    model_text.replace(model_text.find("SCHEME"), 6, scheme);
    const Model model = Model::read_text(model_text, "parallel", registry);
    const Assembly assembly = assemble(model);
    const SimulateOptions options = simulate_options(model);
    constexpr int runs = 8;
    std::vector<std::vector<double>> alone(runs), together(runs);
    const auto level = [](int k) { return 0.6 + 0.1 * k; };
    for (int k = 0; k < runs; ++k) alone[k] = run(assembly, options, level(k));
    std::vector<std::thread> threads;
    for (int k = 0; k < runs; ++k)
      threads.emplace_back([&, k] { together[k] = run(assembly, options, level(k)); });
    for (std::thread& t : threads) t.join();
    for (int k = 0; k < runs; ++k) {
      CAPTURE(k);
      CHECK(alone[k] == together[k]);
      if (k > 0) CHECK(alone[k] != alone[k - 1]);
    }
  }
}
