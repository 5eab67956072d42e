// SteppedModel: a model file as a plant in somebody else's loop, for hardware or a controller under test: inputs set by name,
// a step taken, outputs read. Between its creation and its end, ordinary steps neither allocate nor lock (docs/realtime.md).
// The same in C: include/escapement/stepping.h.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace escapement {

struct SteppingOptions {
  std::vector<std::pair<std::string, std::string>> set = {};  // as `--set KEY=VALUE`
  bool allow_outside = false;                                 // files outside the model's folder
  bool trust = false;                                         // code of the model may run, whatever it is
};

class SteppedModel {
 public:
  /// Handles: found once by name, used in every step.
  struct Input {
    int index = -1;
  };
  struct Output {
    int index = -1;
  };

  /// Reads the model, finds its start, and rehearses. Throws ModelError or ModelErrors, as `escapement run` would tell them;
  /// E-VALUE for adaptive steps. `until` of the model does not count: it goes on as long as it is stepped.
  explicit SteppedModel(const std::filesystem::path& file, const SteppingOptions& options = {});
  ~SteppedModel();
  SteppedModel(SteppedModel&&) noexcept;
  SteppedModel& operator=(SteppedModel&&) noexcept;

  /// A `control.input`, or a part of a wide one (`levers.2`). Throws ModelError E-CHANNEL with the nearest name.
  Input input(std::string_view name) const;
  /// Any channel; the name of a block stands for its output. Throws ModelError E-CHANNEL with the nearest name.
  Output output(std::string_view name) const;
  std::vector<std::string> inputs() const;
  std::vector<std::string> outputs() const;

  /// In SI units. Acts through the whole of the next step, its end included, and until it is set again. A change is taken as
  /// part of a smooth signal that is known at the steps. Throws ModelError E-VALUE for a number that is none.
  void set(Input input, double value);
  /// What was set since the last step is a jump at this time: accelerations, currents, reactions and signals follow at once,
  /// and the step does not look back across it. False: it failed.
  bool jump();
  /// One step of the model's `step` (or the next of its `steps`), through all that switches and samples on the way. False: the
  /// model has failed, which message() tells, or an event of the model has ended it.
  bool step();
  /// In SI units, at time().
  double read(Output output) const;
  double time() const;
  /// Of the next step; s.
  double step_size() const;

  bool ended() const;   // by an event of the model
  bool failed() const;  // there is no way on
  /// Exit status of `escapement run` for the failure: 0 none, 3 model, 4 numerical, 6 code of the model.
  int status() const;
  /// What went wrong; empty: nothing.
  const std::string& message() const;

  /// Some steps and a jump for nothing, after which everything is as before: what steps need in this thread is allocated. The
  /// constructor does this in its own thread; call it again in another one that is to step.
  void rehearse();
  /// So often steps found that the pivots of a matrix had to be chosen anew. That allocates.
  long pivotings() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace escapement
