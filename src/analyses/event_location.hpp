// EventLocation: which step ends where the first event within the one just computed happens (T-event-2).
#pragma once
#include <optional>
#include <vector>

#include "analyses/event_watch.hpp"
#include "analyses/run_log.hpp"
#include "analyses/simulate_options.hpp"
#include "analyses/timetable.hpp"
#include "analyses/turning.hpp"

namespace escapement {

class EventLocation {
 public:
  EventLocation(const SimulateOptions& options, EventWatch& watch, Stepper& stepper, Interior& interior,
                Turning& turning, RunLog& log)
      : options_(options),
        watch_(watch),
        stepper_(stepper),
        interior_(interior),
        turning_(turning),
        log_(log) {}

  /// Ends the step just computed at the first event, if there is one: steps to where the interpolant says, again and again, until
  /// an event is at the end of one. A corner is passed by a thousandth of the step instead: on it, Newton would not know its side.
  /// `fired`: what passes zero there. False: one of the steps has no solution.
  bool locate(State& state, PlannedStep& step, std::vector<int>& fired);
  /// The report of that one.
  const NewtonReport& failed() const { return failed_; }

 private:
  /// One search: the step, and what it has found so far.
  struct Search {
    State& state;
    PlannedStep& step;
    std::vector<int>& fired;
    double exact;              // s: to which events are located
    double turn_rate;          // rad/s
    double passed = INFINITY;  // s: the shortest step so far at whose end something is below zero
  };
  double tolerance(double t, double h) const;
  EventWatch::Step computed(State& state) const { return {stepper_, interior_, state, turning_.angle()}; }
  bool by_interior(Search& search, double first);
  bool by_ends(Search& search);
  bool at_shortest_that_passes(Search& search, double too_short);
  bool compute(const Search& search, double size);
  void end_here(Search& search);
  void end_at_start(Search& search, const std::vector<int>& fired);

  const SimulateOptions& options_;
  EventWatch& watch_;
  Stepper& stepper_;
  Interior& interior_;
  Turning& turning_;
  RunLog& log_;
  NewtonReport failed_;
};

}  // namespace escapement
