// `escapement run` and `equilibrium`: a run folder with the model as run, the results as they come, and a summary.
#include <fmt/format.h>

#include <filesystem>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "interruption.hpp"
#include "model_files.hpp"
#include "progress.hpp"
#include "quantity.hpp"
#include "real_time.hpp"
#include "record/checkpoint.hpp"
#include "resumed_run.hpp"
#include "run_summary.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// One row of results, at rest.
SimulateOptions still_options(const Model& model) {
  SimulateOptions o;
  o.until = 0;
  o.steps = {1};
  o.prepare = prepare_options(model);
  o.prepare.mode = StartMode::equilibrium;
  o.scheme = "equilibrium";
  return o;
}

/// `10 s`, `2 min`: in s.
double wall_time(const std::string& text, double otherwise) {
  return text.empty() ? otherwise : quantity("--checkpoint-every", text, "s", "\"10 s\"");
}

/// That the scheme can advance.
Assembly checked_assembly(const Model& model, const SimulateOptions& options) {
  Assembly assembly = assemble(model);
  check_scheme(model, assembly, options);
  return assembly;
}

/// Keeping step with the clock, if that is asked for.
std::optional<Pace> pace_of(const Command& command, const Model& model, const SimulateOptions& options) {
  if (!command.real_time) return std::nullopt;
  need_fixed_steps(model, options, "real time");
  return std::optional<Pace>(std::in_place, command.speed > 0 ? command.speed : 1.0, &interrupted);
}

/// One run, from its model to its summary.
class Run {
 public:
  Run(const Command& command, const fs::path& path, const ResumedRun* resumed);
  int carry_out();

 private:
  std::vector<const Channel*> channels_to_record() const;
  RunFolder make_folder() const;
  void simulate();
  FinishedRun finished() const;
  void write_summary();
  void tell() const;

  Command command_;
  const fs::path path_;
  const ResumedRun* resumed_;
  const bool still_;  // an equilibrium
  const Registry registry_ = standard_registry();
  const Model model_;
  const SimulateOptions options_;
  const Assembly assembly_;
  std::optional<Pace> pace_;
  const std::vector<const Channel*> channels_;
  const ModelFiles files_;
  const std::string hash_;  // of the model
  Progress progress_;
  Recording recording_;
  RunResult result_;
  double wall_seconds_ = 0;
  std::optional<ModelError> failure_;
  std::optional<FailurePoint> failed_at_;
};

Run::Run(const Command& command, const fs::path& path, const ResumedRun* resumed)
    : command_(command),
      path_(path),
      resumed_(resumed),
      still_(command.verb == "equilibrium"),
      model_(Model::read_file(path, registry_, {command.set, command.allow_outside, {}, command.trust})),
      options_(still_ ? still_options(model_) : simulate_options(model_)),
      assembly_(checked_assembly(model_, options_)),
      pace_(pace_of(command, model_, options_)),
      channels_(channels_to_record()),
      files_(model_, path),
      hash_(resumed ? resumed->model_hash : hash_of(files_.flattened)),
      progress_(options_.until, command),
      recording_(
          assembly_, channels_, [this] { return make_folder(); }, progress_,
          {options_.until, !model_.used_code().empty(),
           still_ ? 0.0 : wall_time(command.checkpoint_every, pace_ ? 0 : 30), hash_},
          pace_ ? &*pace_ : nullptr) {
  if (resumed_) command_.set = resumed_->recording.settings;  // the model in the folder has them already
  recording_.state().settings = command_.set;
}

/// After what is wrong with the model.
std::vector<const Channel*> Run::channels_to_record() const {
  if (!resumed_)
    for (const Warning& w : assembly_.warnings) print_warning(w, command_.json);
  return assembly_.recorded(model_);
}

int Run::carry_out() {
  if (!recording_.with_hdf5())
    print_warning({"W-CHANNELS",
                   fmt::format("{} channels are too many for HDF5; results.csv alone is written",
                               recording_.channels().size()),
                   "`record:` chooses channels"},
                  command_.json);
  simulate();
  write_summary();
  tell();
  const fs::path& folder = recording_.folder()->path();
  if (command_.report) write_report(folder.string(), "", command_.json);
  if (failure_) return exit_status(failure_->code);
  if (!result_.stopped) return 0;
  if (!command_.json)
    fmt::print(stderr, "interrupted at t = {:g} s; the results so far are complete. To go on: {} resume {}\n",
               result_.statistics.simulated_seconds, command_.program, quoted_if_needed(folder.string()));
  return 130;
}

RunFolder Run::make_folder() const {
  end_runs_on_signals();  // before there are results nothing is lost
  RunFolder folder = resumed_               ? resumed_->folder
                     : command_.out.empty() ? RunFolder::beside(path_, still_ ? "-equilibrium" : "-run")
                                            : RunFolder::at(command_.out, command_.force);
  if (!resumed_) files_.write(folder, model_, assembly_);
  if (command_.json)
    print_json(
        Json::object().set("event", resumed_ ? "resumed" : "started").set("folder", folder.path().string()));
  return folder;
}

void Run::simulate() {
  try {
    if (resumed_) recording_.reopen(resumed_->recording);
    result_ = escapement::simulate(assembly_, options_, recording_,
                                   resumed_ ? std::string_view(resumed_->run) : std::string_view());
    if (const auto& f = result_.failure) {
      failed_at_ = {f->component, f->equation, f->time};
      failure_.emplace(f->code, f->where, f->cause, f->hint);
    }
  } catch (const ModelError& e) {  // it cannot start
    throw model_.located(e);
  } catch (const ArchiveError& e) {
    throw ModelError("E-CHECKPOINT", "", fmt::format("does not fit the model: {}", e.what()),
                     "run the model again", {(resumed_->folder.path() / checkpoint_name).string(), 0, 0});
  }
  wall_seconds_ = recording_.wall_seconds();
  progress_.clear();
  recording_.close(result_.state);
  if (pace_)
    if (const auto late = lateness(*pace_)) result_.statistics.warnings.push_back(*late);
}

FinishedRun Run::finished() const {
  return {model_,   assembly_, options_, result_, recording_, wall_seconds_, pace_ ? &*pace_ : nullptr,
          failure_, failed_at_};
}

void Run::write_summary() {
  Json settings = Json::array();
  for (const auto& [key, value] : command_.set)
    settings.add(Json::object().set("key", key).set("value", value));
  Json summary = summary_json(finished(), hash_);
  summary.set("resumed", recording_.state().resumed).set("settings", settings);
  if (pace_) summary.set("real_time", real_time_json(*pace_, command_.speed > 0 ? command_.speed : 1.0));
  const RunFolder& folder = *recording_.folder();
  folder.write("summary.json", summary.text(true) + "\n");
  if (result_.stopped) return;
  std::error_code ignored;
  fs::remove(folder.path() / checkpoint_name, ignored);
}

void Run::tell() const {
  const fs::path& folder = recording_.folder()->path();
  for (const Warning& w : result_.statistics.warnings) print_warning(w, command_.json);
  if (!command_.quiet)
    for (const std::string& n : result_.statistics.notes) print_note(n, command_.json);
  if (failure_) {
    print_error(*failure_, command_.json, failed_at_);
    if (!command_.json && !command_.quiet)
      fmt::print(stderr, "    The results up to there are in {}\n", folder.string());
  } else if (command_.json) {
    print_json(Json::object()
                   .set("event", result_.stopped ? "interrupted" : "done")
                   .set("folder", folder.string())
                   .set("results", (folder / "results.csv").string())
                   .set("summary", (folder / "summary.json").string())
                   .set("time", result_.statistics.simulated_seconds));
  } else if (!command_.quiet) {
    if (still_) print_equilibrium(finished());
    else print_summary(finished(), command_.program);
  }
}

}  // namespace

int carry_out(const Command& command, const fs::path& model, const ResumedRun* resumed) {
  if (command.report) need_viewer();
  return Run(command, model, resumed).carry_out();
}

int run(const Command& command) {
  need_out_for_force(command);
  if (command.speed > 0 && !command.real_time)
    throw ModelError("E-USAGE", "--speed", "it concerns runs in real time", "--real-time --speed 0.5");
  return carry_out(command, command.arguments.at(0), nullptr);
}

}  // namespace escapement::app
