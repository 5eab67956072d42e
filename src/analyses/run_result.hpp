// What comes out of a run beside its rows: counts, events, warnings, and why it ended before its time.
#pragma once
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyses/energy.hpp"
#include "core/state.hpp"
#include "core/warning.hpp"

namespace escapement {

struct RunStatistics {
  long steps = 0, rejected_steps = 0, newton_iterations = 0, factorizations = 0, rows = 0;
  long substeps = 0;  // parts of prescribed steps that had no solution as a whole …
  double first_divided = NAN, smallest_substep = 0;  // … the first of which began here
  long samples = 0;                                  // instants at which sampled blocks computed
  double simulated_seconds = 0;
  double smallest_step = 0, largest_step = 0;
  std::string ended_by;  // an event that stops the run
  std::map<std::string, long>
      limited_by;  // unknowns that decided how long adaptive steps were, and how often
  double largest_violation = 0, largest_velocity_violation = 0;  // of Φ or k, and of Φ̇, in their own units
  std::string most_violated, most_violated_velocity;
  struct Event {
    double time;
    std::string what;
    void archive(Archive& a) { a(time, what); }
  };
  std::vector<Event> events;     // the first 10,000 …
  long event_count = 0;          // … of this many
  double largest_left_over = 0;  // of linear steps, relative (StepReport::left_over) …
  std::string left_over_of;      // … and whose
  std::vector<Warning> warnings;
  std::vector<std::string> notes;
  std::optional<EnergyBalance> energy;  // of what states any

  void archive(Archive& a) {
    a(steps, rejected_steps, substeps, first_divided, smallest_substep, newton_iterations, factorizations,
      rows, samples, simulated_seconds, smallest_step, largest_step, ended_by, limited_by, largest_violation,
      largest_velocity_violation, most_violated, most_violated_velocity, events, event_count,
      largest_left_over, left_over_of, warnings, notes, energy);
  }
};

/// Why a run ended before its time.
struct RunFailure {
  std::string code;                 // E-NEWTON, E-NAN …
  std::string where;                // time and step, or what could not be recorded
  std::string component, equation;  // of the worst row
  double time = 0;
  std::string cause, hint;
};

/// Something is so far off that going on makes no sense.
struct Hopeless {
  std::string code, cause, hint;
  int row = -1;  // of the unknown it shows in
};

struct RunResult {
  RunStatistics statistics;
  std::optional<RunFailure> failure;
  bool stopped = false;     // by the observer
  std::string constraints;  // how they hold: index-3, index-2 …
  State state;
};

}  // namespace escapement
