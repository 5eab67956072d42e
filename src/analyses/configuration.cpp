#include "analyses/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/equilibrium.hpp"
#include "analyses/simulate.hpp"
#include "core/redundancy.hpp"

namespace escapement {
namespace {

/// Nobody looks at this run.
struct Unobserved final : RunObserver {
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

Configuration after_a_run(const Model& model, const Assembly& assembly, double time) {
  SimulateOptions options = simulate_options(model);
  check_scheme(model, assembly, options);
  options.until = time;
  options.output_times = {};
  options.output_interval = 0;
  Unobserved nobody;
  RunResult result = simulate(assembly, options, nobody);
  if (result.failure)
    throw ModelError(result.failure->code, result.failure->where, result.failure->cause,
                     result.failure->hint);
  Configuration c;
  c.state = std::move(result.state);
  if (c.state.t < time * (1 - 1e-9))
    c.warnings.push_back({"W-ENDED",
                          fmt::format("{} ended the run at t = {:g} s: the modes are those there",
                                      result.statistics.ended_by, c.state.t),
                          "", result.statistics.ended_by, c.state.t});
  if (constraint_rank(assembly.system, c.state).redundant() > 0) c.proximal = 1e-9;
  return c;
}

Configuration in_steady_motion(const Assembly& assembly, PrepareOptions options) {
  options.mode = StartMode::assembled;
  Prepared prepared = prepare(assembly, options);
  StartOptions start = options.start;
  start.proximal = std::max(start.proximal, prepared.proximal);
  make_consistent(assembly.system, prepared.state, start);
  find_steady_motion(assembly.system, prepared.state, start);
  return {std::move(prepared.state), start.proximal, std::move(prepared.warnings), std::move(prepared.notes)};
}

Configuration as_it_starts(const Assembly& assembly, PrepareOptions options, bool still) {
  if (still) options.mode = StartMode::equilibrium;
  still = options.mode == StartMode::equilibrium;
  Prepared prepared = prepare_consistent(assembly, options);
  State& state = prepared.state;
  if (still) std::fill(state.acceleration.begin(), state.acceleration.end(), 0.0);  // rounding
  return {std::move(state), prepared.proximal, std::move(prepared.warnings), std::move(prepared.notes)};
}

}  // namespace

Assembly assemble_for_linearization(Model& model) {
  model.simulate.set("frames", std::string("se3"), true);
  return assemble(model);
}

Configuration configure(const Model& model, const Assembly& assembly, const ConfigurationChoice& choice) {
  const PrepareOptions options = prepare_options(model);
  Configuration c =
      choice.kind == ConfigurationChoice::Kind::time ? after_a_run(model, assembly, choice.time)
      : choice.kind == ConfigurationChoice::Kind::steady
          ? in_steady_motion(assembly, options)
          : as_it_starts(assembly, options, choice.kind == ConfigurationChoice::Kind::equilibrium);
  if (!assembly.samplers.empty())
    c.warnings.push_back(
        {"W-HELD", "the outputs of sampled blocks are held: their control takes no part in the modes"});
  if (!assembly.triggers.empty() || !assembly.switching.empty())
    c.warnings.push_back(
        {"W-HELD", "events do not happen: what switches stays as it is in this configuration"});
  return c;
}

}  // namespace escapement
