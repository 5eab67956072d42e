// Recording: the rows of a run into its folder, frames of the picture, checkpoints; the files stay readable. The folder is made when
// the first row is there: a model that cannot start leaves nothing behind.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyses/run_observer.hpp"
#include "model/assembly.hpp"
#include "progress.hpp"
#include "record/motion.hpp"
#include "record/run_folder.hpp"
#include "record/step_history.hpp"
#include "record/writer.hpp"
#include "stepping/pace.hpp"

namespace escapement::app {

/// What a checkpoint holds beside the run itself: where the files are, and what the summary reports.
struct RecordingState {
  long long csv_bytes = 0, motion_bytes = 0;
  double last_frame = -1, next_frame = 0;  // s
  double wall_seconds = 0;
  long resumed = 0;
  StepHistory history;
  std::vector<std::pair<std::string, std::string>> settings;
  void archive(Archive& a) {
    a(csv_bytes, motion_bytes, last_frame, next_frame, wall_seconds, resumed, history, settings);
  }
};

struct RecordingOptions {
  double until = 0;             // s
  bool careful = false;         // the code of the model may end everything: no row may wait in memory
  double checkpoint_every = 0;  // s of wall time; 0: only when interrupted
  std::string model_hash;
};

class Recording final : public RunObserver {
 public:
  /// `pace`: the run keeps step with the clock; none: as fast as it goes.
  Recording(const Assembly& assembly, std::vector<const Channel*> channels,
            std::function<RunFolder()> make_folder, Progress& progress, RecordingOptions options, Pace* pace);
  /// Goes on with files that are there already: cut back to what they were at the checkpoint.
  void reopen(const RecordingState& state);

  void begun(const State& state) override;
  /// Refuses numbers that are none (E-NAN).
  void row(const State& state) override;
  void changed(std::shared_ptr<const Assembly> assembly) override { changed_ = std::move(assembly); }
  bool step(const StepDone& step) override;
  bool wants_checkpoint() override;
  void checkpoint(const std::string& run) override;
  void close(const State& last);

  /// Since the run began, over all its pieces.
  double wall_seconds() const { return state_.wall_seconds + seconds(); }
  RecordingState& state() { return state_; }
  const std::vector<const Channel*>& channels() const { return channels_; }
  bool with_hdf5() const { return channels_.size() < most_hdf5_channels; }
  const RunFolder* folder() const { return folder_ ? &*folder_ : nullptr; }

  static constexpr std::size_t most_hdf5_channels = 20'000;  // HDF5 holds about 20 kB per open dataset

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool has_leisure(const StepDone& step) const;
  void open(bool again = false);
  void flush();
  void frame(const State& state);

  const Assembly& assembly_;
  std::shared_ptr<const Assembly> changed_;  // with the parameters that events have set; null: none
  std::vector<const Channel*> channels_;
  std::function<RunFolder()> make_folder_;
  Progress& progress_;
  RecordingOptions options_;
  Pace* pace_;
  std::optional<RunFolder> folder_;
  std::vector<std::unique_ptr<Writer>> writers_;  // the first one writes the CSV file
  std::optional<MotionWriter> motion_;
  std::vector<double> values_, motion_values_;
  Clock::time_point start_ = Clock::now();
  double frame_interval_, time_ = 0;             // s, simulated
  double next_flush_ = 1, next_checkpoint_ = 0;  // s of wall time
  RecordingState state_;
};

}  // namespace escapement::app
