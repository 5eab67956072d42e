// EventActions: what the events of the model do: they set numbers, modes, velocities and values, and end runs.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "analyses/event_numbers.hpp"
#include "analyses/run_log.hpp"
#include "analyses/schedule.hpp"
#include "core/start.hpp"
#include "model/assembly.hpp"

namespace escapement {

class EventActions {
 public:
  EventActions(const System& system, EventNumbers& numbers, Schedule& schedule, RunLog& log)
      : system_(system), numbers_(numbers), schedule_(schedule), log_(log) {}

  struct Effect {
    Continuation how = Continuation::none;
    bool moved = false;  // velocities or values
  };
  /// All with the values just before. Events that give something another value than one before them does are left for later, when
  /// they see that value.
  Effect act(State& state, const std::vector<const EventType*>& events, const StartOptions& options,
             double slack);
  bool anything_left() const { return !later_.empty(); }
  std::vector<const EventType*> take_left() { return std::exchange(later_, {}); }
  void archive(Archive& a) { a(overruling_told_); }

 private:
  using Action = std::pair<const EventAction*, double>;  // and its value
  void gather(const State& state, const std::vector<const EventType*>& events);
  void gather(const State& state, const EventType& event);
  void warn_of_overruling(double t);

  const System& system_;
  EventNumbers& numbers_;
  Schedule& schedule_;
  RunLog& log_;
  std::vector<Action> actions_;
  std::vector<const EventType*> later_;  // events left for later …
  std::vector<Action> overruled_;        // … and what they would have set at once
  std::vector<double> inputs_;
  std::vector<Override> numbers_set_;  // of this instant, and velocities by row
  std::vector<int> rows_;
  std::vector<double> rates_;
  bool overruling_told_ = false;
};

}  // namespace escapement
