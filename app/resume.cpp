// `escapement resume`: goes on with a run from its last checkpoint.
#include <fmt/format.h>

#include <filesystem>

#include "external/trust.hpp"
#include "messages.hpp"
#include "record/checkpoint.hpp"
#include "resumed_run.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// The model as the run wrote it.
std::string model_of(const fs::path& folder) {
  const fs::path file = folder / "model.yaml";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !fs::exists(file, ignored))
    throw ModelError("E-FILE", "", "is no run folder", "the folder that `escapement run` named",
                     {folder.string(), 0, 0});
  std::string text;
  try {
    text = external::read_file(file);
  } catch (const external::LoadError& e) {
    throw ModelError(e.code, "", e.cause, e.hint);
  }
  if (!text.starts_with(RunFolder::model_heading))
    throw ModelError("E-CHECKPOINT", "", "is no model of a run", "the folder that `escapement run` named",
                     {file.string(), 0, 0});
  return text;
}

ResumedRun read_run(const fs::path& folder, const std::string& model) {
  const RunFolder held = RunFolder::of_run(folder);
  const Checkpoint checkpoint = read_checkpoint(folder);
  const auto refuse = [&](const std::string& cause, const std::string& hint) {
    throw ModelError("E-CHECKPOINT", "", cause, hint, {(folder / checkpoint_name).string(), 0, 0});
  };
  if (checkpoint.version != ESCAPEMENT_VERSION)
    refuse(fmt::format("was written by escapement {}, this is {}", checkpoint.version, ESCAPEMENT_VERSION),
           "the version that began the run, or run the model again");
  if (hash_of(std::string_view(model).substr(model.find('\n') + 1)) != checkpoint.model_hash)
    refuse("belongs to another model than model.yaml beside it", "restore model.yaml as the run wrote it");
  ResumedRun resumed{held, checkpoint.model_hash, {}, {}};
  try {
    Archive a(checkpoint.contents);
    a(resumed.run, resumed.recording);
  } catch (const ArchiveError& e) {
    refuse(fmt::format("is damaged: {}", e.what()), "run the model again");
  }
  return resumed;
}

}  // namespace

int resume(const Command& command) {
  const fs::path folder = command.arguments.at(0);
  const std::string model = model_of(folder);
  std::error_code ignored;
  if (!fs::exists(folder / checkpoint_name, ignored)) {
    if (!fs::exists(folder / "summary.json", ignored))
      throw ModelError("E-CHECKPOINT", "", "there is none: the run was not saved before it ended",
                       "run the model again; --checkpoint-every sets how often runs are saved",
                       {(folder / checkpoint_name).string(), 0, 0});
    if (command.json) print_json(Json::object().set("event", "ended").set("folder", folder.string()));
    else if (!command.quiet)
      fmt::print("{}: the run has ended, there is nothing to resume\n", folder.string());
    return 0;
  }
  const ResumedRun resumed = read_run(folder, model);
  return carry_out(command, folder / "model.yaml", &resumed);
}

}  // namespace escapement::app
