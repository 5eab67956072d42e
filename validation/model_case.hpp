// What validation cases that are model files share: read from validation/models, run with a given step, read channels at
// given times.
#pragma once
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

namespace escapement::validation {

/// The model of an example, assembled.
inline Assembly example(const std::string& name, const std::string& file = "model.yaml") {
  static const Registry registry = standard_registry();
  return assemble(Model::read_file(std::filesystem::path(ESCAPEMENT_EXAMPLES) / name / file, registry));
}

inline double channel(const Assembly& assembly, const State& state, const std::string& name) {
  for (const Channel& c : assembly.channels)
    if (c.name == name) return assembly.read(c, state);
  FAIL("no channel " << name);
  return 0;
}

/// Values of these channels at these times (which are multiples of the step), [time][channel].
inline std::vector<std::vector<double>> run_model(const std::string& name, double step,
                                                  const std::vector<double>& times,
                                                  const std::vector<std::string>& channels) {
  struct Observer final : RunObserver {
    const Assembly* assembly;
    std::vector<const Channel*> wanted;
    std::vector<double> times;
    std::vector<std::vector<double>> values;
    void row(const State& s) override {
      for (std::size_t i = 0; i < times.size(); ++i)
        if (std::abs(s.t - times[i]) < 1e-9)
          for (const Channel* c : wanted) values[i].push_back(assembly->read(*c, s));
    }
    bool step(const StepDone&) override { return true; }
  };
  const Registry registry = standard_registry();
  ReadOptions options;
  options.set = {{"simulate.step", fmt::format("{} s", step)}};
  const Model model = Model::read_file(std::filesystem::path(ESCAPEMENT_VALIDATION_MODELS) / (name + ".yaml"),
                                       registry, options);
  const Assembly assembly = assemble(model);
  Observer observer;
  observer.assembly = &assembly;
  for (const std::string& c : channels) observer.wanted.push_back(assembly.select({{c, {}, {}}}).at(0));
  observer.times = times;
  observer.values.resize(times.size());
  const RunResult result = simulate(assembly, simulate_options(model), observer);
  if (result.failure) FAIL(result.failure->cause);
  for (const Warning& w : result.statistics.warnings)  // none is due on models that are right
    FAIL_CHECK(name, ", step ", step, ": ", w.code, " ", w.message);
  for (const auto& v : observer.values) REQUIRE(v.size() == channels.size());
  return observer.values;
}

}  // namespace escapement::validation
