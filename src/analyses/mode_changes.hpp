// ModeChanges: what happens at the instant of an event: modes switch, events of the model act, and whatever does not hold any more
// switches, too, until all modes hold (T-event, T-unilateral).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyses/event_actions.hpp"
#include "analyses/event_watch.hpp"
#include "analyses/mode_search.hpp"
#include "analyses/run_log.hpp"
#include "analyses/timetable.hpp"
#include "core/start.hpp"

namespace escapement {

class ModeChanges {
 public:
  ModeChanges(const Assembly& assembly, EventWatch& watch, EventActions& actions, Stepper& stepper,
              const Timetable& timetable, RunEnergy& energy, RunLog& log);

  /// What is due at the start, which is not reported.
  void settle_start(State& state);
  /// What has passed zero switches, then whatever does not hold any more. `short_time`: s between events that count as chatter.
  void settle(State& state, const std::vector<int>& first, double short_time);
  /// Once, for nothing: from then on it need not allocate.
  void rehearse(const State& state);

 private:
  void settle(State& state);
  bool chatters(const State& state, int round);
  void switch_one_by_one(State& state);
  void settle_together(State& state);
  void tell_switched(double t);
  void carry_out(State& state, const EventWatch::Change& change);

  const System& system_;
  EventWatch& watch_;
  EventActions& actions_;
  Stepper& stepper_;
  const Timetable& timetable_;
  RunEnergy& energy_;
  RunLog& log_;
  ModeSearch search_;
  std::optional<JumpSolver>
      solver_;                // of values that modes would lead to, made when several depend on each other
  State before_, trial_;      // values before a change of modes, and with those that are tried
  std::vector<int> due_;      // functions that are to cross
  std::vector<int> crossed_;  // … and have crossed at this instant
  bool told_ = false;
  double short_time_ = 0;  // s
};

}  // namespace escapement
