#include "recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interruption.hpp"
#include "record/checkpoint.hpp"
#include "record/file_error.hpp"
#include "record/results.hpp"
#include "report/scene_json.hpp"

namespace escapement::app {

Recording::Recording(const Assembly& assembly, std::vector<const Channel*> channels,
                     std::function<RunFolder()> make_folder, Progress& progress, RecordingOptions options,
                     Pace* pace)
    : assembly_(assembly),
      channels_(std::move(channels)),
      make_folder_(std::move(make_folder)),
      progress_(progress),
      options_(std::move(options)),
      pace_(pace),
      values_(channels_.size() + 1),
      frame_interval_(options_.until / static_cast<double>(worthwhile_frames(motion_columns(assembly)))) {}

void Recording::reopen(const RecordingState& state) {
  state_ = state;
  ++state_.resumed;
  open(true);
}

void Recording::open(bool again) {
  folder_.emplace(make_folder_());
  std::vector<Column> columns = {{"time", "s"}};
  for (const Channel* c : channels_) columns.push_back({c->name, c->unit, c->summary});
  const std::filesystem::path csv = folder_->path() / "results.csv";
  writers_.push_back(csv_writer(csv, columns, again ? state_.csv_bytes : -1));
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
    motion_.emplace(folder_->path() / "motion.bin", columns_of_motion, again ? state_.motion_bytes : -1);
}

void Recording::begun(const State& state) {
  if (pace_) pace_->begin(state.t);
}

void Recording::row(const State& state) {
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
    frame(state);
  }
  for (const auto& w : writers_) w->row(values_);
  if (options_.careful) writers_.front()->flush();
}

/// Of the picture.
void Recording::frame(const State& state) {
  if (!motion_) return;
  read_motion(changed_ ? *changed_ : assembly_, state, motion_values_);
  motion_->frame(state.t, motion_values_);
  state_.last_frame = state.t;
  state_.next_frame = (std::floor(state.t / frame_interval_ + 1e-6) + 1) * frame_interval_ * (1 - 1e-9);
}

bool Recording::step(const StepDone& step) {
  state_.history.add(step.state.t, step.size, step.iterations, step.factorizations);
  time_ = step.state.t;
  if (step.state.t >= state_.next_frame) frame(step.state);
  if (has_leisure(step)) {
    progress_.show(step.state.t);
    if (const double now = seconds(); now > next_flush_) {
      flush();
      next_flush_ = seconds() + std::max(1.0, 20 * (seconds() - now));
    }
  }
  if (pace_ && step.whole) pace_->wait(step.state.t);
  return interrupted == 0;
}

/// Time for what need not be now: in step with the clock, where the step was early by half of its size.
bool Recording::has_leisure(const StepDone& step) const {
  if (!pace_) return (step.number & 15) == 0;
  return pace_->left(step.state.t) > 0.5 * pace_->wall(step.size) || seconds() > next_flush_ + 5;
}

void Recording::flush() {
  for (const auto& w : writers_) w->flush();
  if (motion_) motion_->flush();
}

bool Recording::wants_checkpoint() {
  if (options_.checkpoint_every <= 0 || !folder_) return false;
  return seconds() >= next_checkpoint_;
}

void Recording::checkpoint(const std::string& run) {
  if (!folder_) return;
  flush();
  make_durable(folder_->path() / "results.csv");
  if (motion_) make_durable(folder_->path() / "motion.bin");
  RecordingState now = state_;
  now.csv_bytes = writers_.front()->bytes();
  now.motion_bytes = motion_ ? motion_->bytes() : 0;
  now.wall_seconds = wall_seconds();
  Archive a;
  std::string contents = run;
  a(contents, now);
  write_checkpoint(*folder_, {ESCAPEMENT_VERSION, options_.model_hash, time_, std::move(a.bytes())});
  next_checkpoint_ = seconds() + options_.checkpoint_every;
}

void Recording::close(const State& last) {
  if (!folder_) open();  // it failed before its first row
  if (last.t > state_.last_frame) frame(last);
  for (const auto& w : writers_) w->close();
  if (motion_) motion_->close();
  folder_->write("history.json", state_.history.json().text() + "\n");
}

}  // namespace escapement::app
