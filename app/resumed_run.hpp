// A run that was interrupted or killed, as its folder holds it.
#pragma once
#include <optional>
#include <string>

#include "command_line.hpp"
#include "record/run_folder.hpp"
#include "recording.hpp"

namespace escapement::app {

struct ResumedRun {
  RunFolder folder;
  std::string model_hash;
  std::string run;  // for simulate()
  RecordingState recording;
};

/// Carries out `run` and `equilibrium`, or goes on with a run. Returns the exit status.
int carry_out(const Command& command, const std::filesystem::path& model, const ResumedRun* resumed);

}  // namespace escapement::app
