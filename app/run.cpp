// `escapement run`: a run folder with the model as run, the results as they come, and a summary.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>

#include "analyses/simulate.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "external/trust.hpp"
#include "messages.hpp"
#include "model_files.hpp"
#include "quantity.hpp"
#include "record/checkpoint.hpp"
#include "record/file_error.hpp"
#include "record/motion.hpp"
#include "record/results.hpp"
#include "record/run_folder.hpp"
#include "record/step_history.hpp"
#include "record/writer.hpp"
#include "report/scene_json.hpp"
#include "stepping/pace.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A line that tells how far the run is: overwritten on a terminal, a plain line now and then elsewhere.
class Progress {
 public:
  Progress(double until, const Command& command)
      : until_(until),
        json_(command.json),
        quiet_(command.quiet && !command.json),
        terminal_(!command.json && isatty(STDERR_FILENO)),
        interval_(terminal_ ? 0.1
                  : json_   ? 1.0
                            : 5.0) {}

  void show(double t) {
    if (quiet_) return;
    const double now = seconds_since(start_);
    if (now < next_) return;
    next_ = now + interval_;
    const double rate = t / now, left = rate > 0 ? (until_ - t) / rate : 0;
    if (json_) {
      print_json(Json::object()
                     .set("event", "progress")
                     .set("time", t)
                     .set("until", until_)
                     .set("rate", rate)
                     .set("seconds_left", left));
      return;
    }
    const std::string text = fmt::format("t = {:.4g} s of {:.4g} s  {:>3.0f} %  {:.3g} × real time  {} left",
                                         t, until_, 100 * t / until_, rate, duration(left));
    if (terminal_) {
      const int width = 24, filled = static_cast<int>(width * std::min(1.0, t / until_));
      std::string bar;
      for (int i = 0; i < width; ++i) bar += i < filled ? "█" : "░";
      fmt::print(stderr, "\r\033[K{} {}", bar, text);
      drawn_ = true;
    } else {
      fmt::print(stderr, "{}\n", text);
    }
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

 private:
  static std::string duration(double s) {
    if (s < 1) return "< 1 s";
    if (s < 120) return fmt::format("{:.0f} s", s);
    if (s < 7200) return fmt::format("{:.0f} min", s / 60);
    return fmt::format("{:.1f} h", s / 3600);
  }
  double until_;
  bool json_, quiet_, terminal_;
  double interval_, next_ = 0.5;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

/// What a checkpoint holds beside the run itself: where the files are, and what the summary tells.
struct Recorded {
  long long csv_bytes = 0, motion_bytes = 0;
  double last_frame = -1, next_frame = 0;
  double wall_seconds = 0;
  long resumed = 0;
  StepHistory history;
  std::vector<std::pair<std::string, std::string>> settings;
  void archive(Archive& a) {
    a(csv_bytes, motion_bytes, last_frame, next_frame, wall_seconds, resumed, history, settings);
  }
};

struct Saving {
  double interval = 0;  // s of wall time; 0: only when interrupted
  std::string model_hash;
};

/// Writes rows and keeps the files readable; refuses numbers that are none. The folder is made when the first row is
/// there: a model that cannot start leaves nothing behind.
class Recording final : public RunObserver {
 public:
  Recording(const Assembly& assembly, std::vector<const Channel*> channels,
            std::function<RunFolder()> make_folder, Progress& progress, bool careful, double until,
            Saving saving, Pace* pace)
      : assembly_(assembly),
        channels_(std::move(channels)),
        make_folder_(std::move(make_folder)),
        progress_(progress),
        careful_(careful),
        values_(channels_.size() + 1),
        frame_interval_(until / static_cast<double>(worthwhile_frames(motion_columns(assembly)))),
        saving_(std::move(saving)),
        pace_(pace) {}

  /// Goes on with files that are there already: cut back to what they were at the checkpoint.
  void reopen(const Recorded& recorded) {
    recorded_ = recorded;
    ++recorded_.resumed;
    open(true);
  }

  void row(const State& state) override {
    values_[0] = state.t;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      values_[i + 1] = assembly_.read(*channels_[i], state);
      if (!std::isfinite(values_[i + 1]))
        throw ModelError("E-NAN", channels_[i]->name,
                         fmt::format("at t = {:g} s its value is {}", state.t, values_[i + 1]),
                         "look for a division by zero or a root of a negative number in what defines it");
    }
    if (!folder_) {
      open();
      show(state);
    }
    for (const auto& w : writers_) w->row(values_);
    if (careful_) writers_.front()->flush();  // the CSV file: code of the model may end everything
  }

  void begun(const State& state) override {
    if (pace_) pace_->begin(state.t);
  }
  bool step(const StepDone& step) override {
    recorded_.history.add(step.state.t, step.size, step.iterations, step.factorizations);
    time_ = step.state.t;
    if (step.state.t >= recorded_.next_frame) show(step.state);
    if (has_leisure(step)) {
      progress_.show(step.state.t);
      if (const double now = seconds_since(start_); now > next_flush_) {
        for (const auto& w : writers_) w->flush();
        if (motion_) motion_->flush();
        next_flush_ = seconds_since(start_) + std::max(1.0, 20 * (seconds_since(start_) - now));
      }
    }
    if (pace_ && step.whole) pace_->wait(step.state.t);
    return interrupted == 0;
  }
  void close(const State& last) {
    if (!folder_) open();  // it failed before its first row
    if (last.t > recorded_.last_frame) show(last);
    for (const auto& w : writers_) w->close();
    if (motion_) motion_->close();
    folder_->write("history.json", recorded_.history.json().text() + "\n");
  }
  bool wants_checkpoint() override {
    if (saving_.interval <= 0 || !folder_) return false;
    return seconds_since(start_) >= next_checkpoint_;
  }
  void checkpoint(const std::string& run) override {
    if (!folder_) return;
    for (const auto& w : writers_) w->flush();
    if (motion_) motion_->flush();
    make_durable(folder_->path() / "results.csv");
    if (motion_) make_durable(folder_->path() / "motion.bin");
    Recorded recorded = recorded_;
    recorded.csv_bytes = writers_.front()->bytes();
    recorded.motion_bytes = motion_ ? motion_->bytes() : 0;
    recorded.wall_seconds = wall();
    Archive a;
    std::string contents = run;
    a(contents, recorded);
    write_checkpoint(*folder_, {ESCAPEMENT_VERSION, saving_.model_hash, time_, std::move(a.bytes())});
    next_checkpoint_ = seconds_since(start_) + saving_.interval;
  }
  /// Since the run began, over all its pieces.
  double wall() const { return recorded_.wall_seconds + seconds_since(start_); }
  Recorded& recorded() { return recorded_; }
  std::size_t channels() const { return channels_.size(); }
  bool with_hdf5() const { return channels_.size() < most_hdf5_channels; }
  const RunFolder* folder() const { return folder_ ? &*folder_ : nullptr; }

  static constexpr std::size_t most_hdf5_channels = 20'000;  // HDF5 holds about 20 kB per open dataset

 private:
  /// Time for what need not be now: in step with the clock, where the step was early by half of its size.
  bool has_leisure(const StepDone& step) const {
    if (!pace_) return (step.number & 15) == 0;
    return pace_->left(step.state.t) > 0.5 * pace_->wall(step.size) ||
           seconds_since(start_) > next_flush_ + 5;
  }
  void open(bool again = false) {
    folder_.emplace(make_folder_());
    std::vector<Column> columns = {{"time", "s"}};
    for (const Channel* c : channels_) columns.push_back({c->name, c->unit, c->summary});
    const std::filesystem::path csv = folder_->path() / "results.csv";
    writers_.push_back(csv_writer(csv, columns, again ? recorded_.csv_bytes : -1));
    if (with_hdf5()) {
      writers_.push_back(hdf5_writer(folder_->path() / "results.h5", columns));
      if (again)
        each_row(csv, [&](std::span<const double> row) {
          if (row.size() != columns.size())
            throw FileError(csv.string(), "its columns are not those of the model", "run the model again");
          writers_.back()->row(row);
        });
    }
    if (const std::size_t columns_of_motion = motion_columns(assembly_); columns_of_motion > 0)
      motion_.emplace(folder_->path() / "motion.bin", columns_of_motion, again ? recorded_.motion_bytes : -1);
  }
  /// A frame of the picture.
  void show(const State& state) {
    if (!motion_) return;
    read_motion(assembly_, state, places_);
    motion_->frame(state.t, places_);
    recorded_.last_frame = state.t;
    recorded_.next_frame = (std::floor(state.t / frame_interval_ + 1e-6) + 1) * frame_interval_ * (1 - 1e-9);
  }

  const Assembly& assembly_;
  std::vector<const Channel*> channels_;
  std::function<RunFolder()> make_folder_;
  Progress& progress_;
  bool careful_;
  std::vector<double> values_;
  std::optional<RunFolder> folder_;
  std::vector<std::unique_ptr<Writer>> writers_;
  Clock::time_point start_ = Clock::now();
  double next_flush_ = 1;
  double frame_interval_, time_ = 0, next_checkpoint_ = 0;
  Saving saving_;
  Pace* pace_;  // none: as fast as it goes
  Recorded recorded_;
  std::optional<MotionWriter> motion_;
  std::vector<double> places_;
};

Json scheme_parameters(const SimulateOptions& options) {
  Json parameters = Json::object();
  for (const auto& [name, value] : options.parameters) parameters.set(name, value);
  if (options.method != Method::generalized_alpha) return parameters;
  const auto& m = options.stepper.mechanics;
  const auto& x = options.stepper.states;
  if (options.rho >= 0) parameters.set("rho", options.rho);
  if (options.rho_states >= 0) parameters.set("rho_states", options.rho_states);
  parameters.set("alpha_m", m.alpha_m).set("alpha_f", m.alpha_f).set("beta", m.beta).set("gamma", m.gamma);
  parameters.set("delta_m", x.delta_m).set("delta_f", x.delta_f).set("theta", x.theta);
  return parameters.set("radius_at_infinity", m.radius_at_infinity())
      .set("radius_at_infinity_states", x.radius_at_infinity());
}

Json summary(const Model& model, const Assembly& assembly, const SimulateOptions& options,
             const RunResult& result, double wall, const std::string& hash, std::size_t channels,
             const ModelError* failure, const std::optional<FailurePlace>& place) {
  const RunStatistics& s = result.statistics;
  Json j = Json::object();
  j.set("title", model.title).set("status", failure ? "failed" : result.stopped ? "interrupted" : "done");
  j.set("steps", s.steps)
      .set("rejected_steps", s.rejected_steps)
      .set("substeps", s.substeps)
      .set("newton_iterations", s.newton_iterations);
  j.set("factorizations", s.factorizations)
      .set("wall_seconds", wall)
      .set("simulated_seconds", s.simulated_seconds);
  j.set("real_time_factor", wall > 0 ? s.simulated_seconds / wall : 0.0);
  j.set("unknowns", unknowns_by_kind(assembly.system)).set("components", model.components.size());
  j.set("channels", channels).set("rows", s.rows);
  Json events = Json::array();
  for (const auto& e : s.events) events.add(Json::object().set("time", e.time).set("what", e.what));
  Json warnings = warnings_json(assembly.warnings);
  for (const Warning& w : s.warnings) warnings.add(warning_json(w));
  Json notes = Json::array();
  for (const auto& n : s.notes) notes.add(n);
  if (!s.ended_by.empty()) j.set("ended_by", s.ended_by);
  if (!assembly.samplers.empty()) j.set("samples", s.samples);
  if (s.steps > 0) j.set("smallest_step", s.smallest_step).set("largest_step", s.largest_step);
  if (options.adaptive) {
    Json limited = Json::array();  // the unknowns that decided how long steps were, most often first
    std::vector<std::pair<long, std::string>> by;
    for (const auto& [name, count] : s.limited_by) by.emplace_back(-count, name);
    std::sort(by.begin(), by.end());
    for (std::size_t i = 0; i < by.size() && i < 10; ++i)
      limited.add(Json::object().set("unknown", by[i].second).set("steps", -by[i].first));
    j.set("tolerance", options.scales.positions.relative).set("horizon", options.scales.horizon);
    j.set("estimator", options.scales.estimator == ErrorEstimator::embedded ? "embedded" : "history");
    j.set("limited_by", limited);
  }
  j.set("events", events).set("event_count", s.event_count).set("warnings", warnings).set("notes", notes);
  j.set("largest_constraint_violation", s.largest_violation).set("most_violated", s.most_violated);
  j.set("largest_velocity_violation", s.largest_velocity_violation)
      .set("most_violated_velocity", s.most_violated_velocity);
  if (s.energy)
    j.set("energy", Json::object()
                        .set("start", s.energy->start)
                        .set("end", s.energy->end)
                        .set("supplied", s.energy->supplied)
                        .set("dissipated", s.energy->dissipated)
                        .set("error", s.energy->error())
                        .set("largest", s.energy->largest));
  j.set("scheme", options.scheme).set("scheme_parameters", scheme_parameters(options));
  Json steps = Json::array();
  for (double h : options.steps) steps.add(h);
  if (options.method == Method::spook)
    j.set("largest_left_over", s.largest_left_over).set("left_over_of", s.left_over_of);
  j.set("step_sizes", steps).set("constraints", result.constraints);
  j.set("version", ESCAPEMENT_VERSION).set("model_hash", hash);
  if (failure) j.set("error", error_json(*failure, place));
  return j;
}

Json real_time_json(const Pace& pace, double speed) {
  const auto distribution = [](const Durations& d) {
    Json bars = Json::array();
    d.each_bar(
        [&](double up_to, long times) { bars.add(Json::object().set("up_to", up_to).set("times", times)); });
    return Json::object()
        .set("median", d.quantile(0.5))
        .set("p99", d.quantile(0.99))
        .set("p999", d.quantile(0.999))
        .set("largest", d.largest())
        .set("histogram", bars);
  };
  return Json::object()
      .set("speed", speed)
      .set("steps", pace.steps())
      .set("overruns", pace.overruns())
      .set("worst_lateness", pace.worst_lateness())
      .set("computing", distribution(pace.computing()))
      .set("jitter", distribution(pace.waking()))
      .set("load", pace.load());
}

/// 12.3 µs
std::string short_time(double s) {
  return s < 1e-3 ? fmt::format("{:.3g} µs", 1e6 * s)
         : s < 1  ? fmt::format("{:.3g} ms", 1e3 * s)
                  : fmt::format("{:.3g} s", s);
}

void print_real_time(const Pace& pace) {
  const Durations &computing = pace.computing(), &waking = pace.waking();
  fmt::print(
      "  real time: {} of {} steps late; a step takes {} (median), {} (99.9 %), {} at most: {:.3g} % of the "
      "time\n",
      pace.overruns(), pace.steps(), short_time(computing.quantile(0.5)),
      short_time(computing.quantile(0.999)), short_time(computing.largest()), 100 * pace.load());
  fmt::print("  woken late by {} (median), {} (99.9 %), {} at most\n", short_time(waking.quantile(0.5)),
             short_time(waking.quantile(0.999)), short_time(waking.largest()));
}

/// What to tell of a run that did not keep up; empty: it did.
std::optional<Warning> lateness(const Pace& pace) {
  if (pace.overruns() == 0) return std::nullopt;
  const bool too_slow = pace.load() > 0.9;
  return Warning{
      "W-LATE",
      fmt::format("{} of {} steps ended after they were due, by up to {}: computing took {:.3g} % of the "
                  "time, and {} for the longest step. {}",
                  pace.overruns(), pace.steps(), short_time(pace.worst_lateness()), 100 * pace.load(),
                  short_time(pace.computing().largest()),
                  too_slow ? "The model is too large or its step too small for this machine"
                           : "Other programs or the writing of results came in between"),
      too_slow ? "a longer step, another scheme, or fewer channels under `record:`"
               : "a real-time priority (docs/realtime.md), or fewer channels under `record:`"};
}

Json settings_json(const Command& command) {
  Json list = Json::array();
  for (const auto& [key, value] : command.set) list.add(Json::object().set("key", key).set("value", value));
  return list;
}

std::string plural(long n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

void print_summary(const Model& model, const Assembly& assembly, const RunResult& result, double wall,
                   const fs::path& folder, std::size_t channels, bool hdf5, const std::string& program,
                   const Pace* pace) {
  const RunStatistics& s = result.statistics;
  if (!model.title.empty()) fmt::print("{}\n", model.title);
  const std::string rejected = s.rejected_steps > 0 ? fmt::format(", {} rejected,", s.rejected_steps) : "";
  const std::string sizes = s.smallest_step < 0.99 * s.largest_step && s.steps > 1
                                ? fmt::format(" of {:.3g} to {:.3g} s", s.smallest_step, s.largest_step)
                                : "";
  fmt::print("  {}{}{} to t = {:g} s in {:.3g} s ({:.3g} × real time)\n", plural(s.steps, "step"), sizes,
             rejected, s.simulated_seconds, wall, wall > 0 ? s.simulated_seconds / wall : 0.0);
  if (pace) print_real_time(*pace);
  static const char* const names[] = {"position", "state", "signal", "constraint", "nonholonomic constraint"};
  std::string kinds;
  for (int k = 0; k < kind_count; ++k)
    if (const int n = assembly.system.rows(static_cast<Kind>(k)).size(); n > 0)
      kinds += (kinds.empty() ? "" : ", ") + plural(n, names[k]);
  fmt::print("  {}: {}\n", plural(assembly.system.size(), "unknown"), kinds);
  fmt::print("  Newton: {}, {}\n", plural(s.newton_iterations, "iteration"),
             plural(s.factorizations, "factorization"));
  if (assembly.system.rows(Kind::holonomic).size() + assembly.system.rows(Kind::nonholonomic).size() > 0)
    fmt::print("  largest constraint violation: {:.2g}{}, of its rate {:.2g}\n", s.largest_violation,
               s.most_violated.empty() ? "" : " (" + s.most_violated + ")", s.largest_velocity_violation);
  if (s.event_count > 0)
    fmt::print("  {}{}\n", plural(s.event_count, "event"),
               s.ended_by.empty()
                   ? ""
                   : fmt::format("; {} ended the run at t = {:g} s", s.ended_by, s.simulated_seconds));
  fmt::print("  {} × {} in {}\n", plural(s.rows, "row"), plural(static_cast<long>(channels), "channel"),
             (folder / "results.csv").string() + (hdf5 ? ", results.h5" : ""));
  const std::string at = quoted_if_needed(folder.string());
  fmt::print("  next: {0} report {1}, or {0} plot {1}{2}\n", program, at,
             model.plots.empty() ? " CHANNEL" : "");
}

/// The run ends after its step; a second signal ends the program, wherever it is.
void on_signal(int number) {
  interrupted = 1;
  std::signal(number, SIG_DFL);
}

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

void print_equilibrium(const Model& model, const Assembly& assembly,
                       const std::vector<const Channel*>& channels, const State& state,
                       const fs::path& folder) {
  if (!model.title.empty()) fmt::print("{}\n", model.title);
  std::size_t width = 0;
  std::map<std::string, double> largest;  // by unit: what is far below it is rounding
  for (const Channel* c : channels) {
    width = std::max(width, c->name.size());
    largest[c->unit] = std::max(largest[c->unit], std::abs(assembly.read(*c, state)));
  }
  for (const Channel* c : channels) {
    const double value = assembly.read(*c, state);
    fmt::print("  {:<{}} {:>14.7g} {}\n", c->name, width,
               std::abs(value) < 1e-13 * std::max(1.0, largest[c->unit]) ? 0.0 : value,
               c->unit == "1" ? "" : c->unit);
  }
  fmt::print("  in {}\n", (folder / "results.csv").string());
}

/// `10 s`, `2 min`: in s.
double wall_time(const std::string& text, double otherwise) {
  return text.empty() ? otherwise : quantity("--checkpoint-every", text, "s", "\"10 s\"");
}

/// A run to go on with.
struct Resumed {
  RunFolder folder;
  std::string model_hash, run;
  Recorded recorded;
};

/// What a run came to.
struct Outcome {
  RunResult result;
  std::optional<ModelError> failure;
  std::optional<FailurePlace> place;
};

Outcome simulate_into(Recording& recording, const Model& model, const Assembly& assembly,
                      const SimulateOptions& options, const Resumed* resumed) {
  Outcome o;
  try {
    if (resumed) recording.reopen(resumed->recorded);
    o.result =
        simulate(assembly, options, recording, resumed ? std::string_view(resumed->run) : std::string_view());
  } catch (const ModelError& e) {  // it cannot start
    throw model.located(e);
  } catch (const ArchiveError& e) {
    throw ModelError("E-CHECKPOINT", "", fmt::format("does not fit the model: {}", e.what()),
                     "run the model again", {(resumed->folder.path() / checkpoint_name).string(), 0, 0});
  }
  if (o.result.failure) {
    const RunFailure& f = *o.result.failure;
    o.place = {f.component, f.equation, f.time};
    o.failure.emplace(f.code, f.where, f.cause, f.hint);
  }
  return o;
}

/// How it ended, after what is worth telling of it. The exit status.
int tell(const Command& command, const Model& model, const Assembly& assembly,
         const std::vector<const Channel*>& channels, const Recording& recording, const Outcome& outcome,
         double wall, const Pace* pace) {
  const RunResult& result = outcome.result;
  const fs::path& folder = recording.folder()->path();
  for (const Warning& w : result.statistics.warnings) print_warning(w, command.json);
  if (!command.quiet)
    for (const std::string& n : result.statistics.notes) print_note(n, command.json);
  if (outcome.failure) {
    print_error(*outcome.failure, command.json, outcome.place);
    if (!command.json && !command.quiet)
      fmt::print(stderr, "    The results up to there are in {}\n", folder.string());
  } else if (command.json) {
    print_json(Json::object()
                   .set("event", result.stopped ? "interrupted" : "done")
                   .set("folder", folder.string())
                   .set("results", (folder / "results.csv").string())
                   .set("summary", (folder / "summary.json").string())
                   .set("time", result.statistics.simulated_seconds));
  } else if (!command.quiet && command.verb == "equilibrium") {
    print_equilibrium(model, assembly, channels, result.state, folder);
  } else if (!command.quiet) {
    print_summary(model, assembly, result, wall, folder, recording.channels(), recording.with_hdf5(),
                  command.program, pace);
  }
  if (command.report) write_report(folder.string(), "", command.json);
  if (outcome.failure) return exit_status(outcome.failure->code);
  if (!result.stopped) return 0;
  if (!command.json)
    fmt::print(stderr, "interrupted at t = {:g} s; the results so far are complete. To go on: {} resume {}\n",
               result.statistics.simulated_seconds, command.program, quoted_if_needed(folder.string()));
  return 130;
}

int carry_out(Command command, const fs::path& path, const Resumed* resumed) {
  if (command.report) need_viewer();
  const Registry registry = standard_registry();
  const Model model =
      Model::read_file(path, registry, {command.set, command.allow_outside, {}, command.trust});
  if (resumed) command.set = resumed->recorded.settings;  // the model in the folder has them already
  const bool still = command.verb == "equilibrium";
  const SimulateOptions options = still ? still_options(model) : simulate_options(model);
  const Assembly assembly = assemble(model);
  check_scheme(model, assembly, options);
  std::optional<Pace> pace;
  if (command.real_time) {
    need_fixed_steps(model, options, "real time");
    pace.emplace(command.speed > 0 ? command.speed : 1.0, &interrupted);
  }
  if (!resumed)
    for (const Warning& w : assembly.warnings) print_warning(w, command.json);
  const auto channels = assembly.recorded(model);
  const ModelFiles files(model, path);
  const std::string hash = resumed ? resumed->model_hash : hash_of(files.flattened);

  const auto make_folder = [&] {
    // Before there are results nothing is lost: there a signal ends the program at once.
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    RunFolder folder = resumed               ? resumed->folder
                       : command.out.empty() ? RunFolder::beside(path, still ? "-equilibrium" : "-run")
                                             : RunFolder::at(command.out, command.force);
    if (!resumed) files.write(folder, model, assembly);
    if (command.json)
      print_json(
          Json::object().set("event", resumed ? "resumed" : "started").set("folder", folder.path().string()));
    return folder;
  };
  Progress progress(options.until, command);
  Recording recording(assembly, channels, make_folder, progress, !model.used_code().empty(), options.until,
                      {still ? 0.0 : wall_time(command.checkpoint_every, pace ? 0 : 30), hash},
                      pace ? &*pace : nullptr);
  recording.recorded().settings = command.set;
  if (!recording.with_hdf5())
    print_warning(
        {"W-CHANNELS",
         fmt::format("{} channels are too many for HDF5; results.csv alone is written", channels.size()),
         "`record:` chooses channels"},
        command.json);

  Outcome outcome = simulate_into(recording, model, assembly, options, resumed);
  const double wall = recording.wall();
  progress.clear();
  recording.close(outcome.result.state);
  if (pace)
    if (const auto late = lateness(*pace)) outcome.result.statistics.warnings.push_back(*late);
  Json told = summary(model, assembly, options, outcome.result, wall, hash, recording.channels(),
                      outcome.failure ? &*outcome.failure : nullptr, outcome.place)
                  .set("resumed", recording.recorded().resumed)
                  .set("settings", settings_json(command));
  if (pace) told.set("real_time", real_time_json(*pace, command.speed > 0 ? command.speed : 1.0));
  const RunFolder& folder = *recording.folder();
  folder.write("summary.json", told.text(true) + "\n");
  if (!outcome.result.stopped) {
    std::error_code ignored;
    fs::remove(folder.path() / checkpoint_name, ignored);
  }
  return tell(command, model, assembly, channels, recording, outcome, wall, pace ? &*pace : nullptr);
}

}  // namespace

int run(const Command& command) {
  if (command.force && command.out.empty())
    throw ModelError("E-USAGE", "--force", "it concerns a folder given with --out", "--out DIR --force");
  if (command.speed > 0 && !command.real_time)
    throw ModelError("E-USAGE", "--speed", "it concerns runs in real time", "--real-time --speed 0.5");
  return carry_out(command, command.arguments.at(0), nullptr);
}

int resume(const Command& command) {
  const fs::path folder = command.arguments.at(0), file = folder / "model.yaml";
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
  const RunFolder held = RunFolder::of_run(folder);
  const Checkpoint checkpoint = read_checkpoint(folder);
  const auto refuse = [&](const std::string& cause, const std::string& hint) {
    throw ModelError("E-CHECKPOINT", "", cause, hint, {(folder / checkpoint_name).string(), 0, 0});
  };
  if (checkpoint.version != ESCAPEMENT_VERSION)
    refuse(fmt::format("was written by escapement {}, this is {}", checkpoint.version, ESCAPEMENT_VERSION),
           "the version that began the run, or run the model again");
  if (hash_of(std::string_view(text).substr(text.find('\n') + 1)) != checkpoint.model_hash)
    refuse("belongs to another model than model.yaml beside it", "restore model.yaml as the run wrote it");
  Resumed resumed{held, checkpoint.model_hash, {}, {}};
  try {
    Archive a(checkpoint.contents);
    a(resumed.run, resumed.recorded);
  } catch (const ArchiveError& e) {
    refuse(fmt::format("is damaged: {}", e.what()), "run the model again");
  }
  return carry_out(command, file, &resumed);
}

}  // namespace escapement::app
