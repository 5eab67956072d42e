// What a run reports at its end: summary.json, and the lines on a terminal.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "analyses/run_result.hpp"
#include "analyses/simulate_options.hpp"
#include "command_line.hpp"
#include "messages.hpp"
#include "model/assembly.hpp"
#include "recording.hpp"

namespace escapement::app {

/// A run that is over.
struct FinishedRun {
  const Model& model;
  const Assembly& assembly;
  const SimulateOptions& options;
  const RunResult& result;
  const Recording& recording;
  double wall_seconds;
  const Pace* pace;  // none: it did not keep step with the clock
  const std::optional<ModelError>& failure;
  const std::optional<FailurePoint>& failed_at;
};

Json summary_json(const FinishedRun& run, const std::string& model_hash);
void print_summary(const FinishedRun& run, const std::string& program);
/// Of a rest: the channels there.
void print_equilibrium(const FinishedRun& run);

}  // namespace escapement::app
