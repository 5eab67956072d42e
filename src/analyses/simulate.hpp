// simulate: from an assembled model to the end of its simulated time, with fixed, prescribed or error-controlled steps.
// Steps end exactly where sources jump (T-jump) and where something switches (T-event). All at once, or step by step.
#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyses/energy.hpp"
#include "analyses/prepare.hpp"
#include "model/assembly.hpp"
#include "steppers/generalized_alpha.hpp"
#include "steppers/variational.hpp"

namespace escapement {

enum class Method { generalized_alpha, variational, spook };

struct SimulateOptions {
  double until = 0;           // s
  std::vector<double> steps;  // s, repeated; one for a constant step; empty if adaptive
  bool adaptive = false;
  ErrorScales scales;                      // of adaptive steps
  double first = 0, h_min = 0, h_max = 0;  // s; 0: chosen
  int substeps = 10;                       // so often a prescribed step without a solution is halved
  bool h_min_given = false;                // then what needs shorter steps ends the run
  double event_tolerance = 0;              // s; 0: 1e-12 of the step
  /// The same model with other numbers: for events that set parameters.
  std::function<Assembly(const std::vector<Override>&)> retune;
  int output_steps = 1;              // a row every so many steps …
  double output_interval = 0;        // … or, if > 0, at this interval of time …
  std::vector<double> output_times;  // … or, if there are any, at these times
  Method method = Method::generalized_alpha;
  GeneralizedAlphaOptions stepper;
  VariationalOptions variational;
  std::vector<std::pair<std::string, double>> parameters;  // of these, for the summary
  /// Of the constraint rows, for `spook`; none: all alike.
  std::function<std::vector<Relaxation>(const Assembly&)> relaxations;
  bool constraints_chosen = true;  // false: stabilised (index 2) where constraints come and go
  PrepareOptions prepare;
  double rho = -1, rho_states = -1;  // as asked for; -1: the scheme has none
  std::string scheme;                // as the model calls it
  std::vector<std::string> notes;    // of the model: to be told
  /// Steps alone, which do not allocate: no energy balance, no list of events, no look-out for singular positions and the like.
  bool bare = false;
};

/// From the `simulate:` section; E-MISSING, E-UNSUPPORTED, E-STEP … with the place. The model must outlive them.
SimulateOptions simulate_options(const Model& model);

/// Throws E-SCHEME, with the place of `scheme` or `rho`, if the scheme cannot advance this system.
void check_scheme(const Model& model, const Assembly& assembly, const SimulateOptions& options);

/// Throws E-VALUE, with the place of `adaptive`, if the steps are not fixed; `who` needs them.
void need_fixed_steps(const Model& model, const SimulateOptions& options, const std::string& who);

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
  long event_count = 0;          // … of so many
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

struct StepDone {
  const State& state;  // after it
  double size;
  long number;  // from 1
  int iterations, factorizations;
  int rejected;  // before it
  bool whole;    // up to a time of the prescribed steps: not cut short where something jumps or switches
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// The start is there; steps follow.
  virtual void begun(const State&) {}
  /// A row of results is due.
  virtual void row(const State& state) = 0;
  /// After every step: false stops the run.
  virtual bool step(const StepDone& step) = 0;
  /// Asked at the start and after every step: should the run be saved now? It is when the observer has stopped it, too.
  virtual bool wants_checkpoint() { return false; }
  /// All that simulate() needs to go on from here as if nothing had happened.
  virtual void checkpoint(const std::string& /*run*/) {}
};

struct RunResult {
  RunStatistics statistics;
  std::optional<RunFailure> failure;
  bool stopped = false;     // by the observer
  std::string constraints;  // how they hold: index-3, index-2 …
  State state;
};

/// A run, step by step. What it is made of must outlive it.
class Simulation {
 public:
  /// Throws ModelError(s) for a start that does not exist.
  Simulation(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer);
  ~Simulation();
  /// To the start. `resume`: see simulate().
  void begin(std::string_view resume = {});
  /// At its end, stopped or failed?
  bool finished() const;
  /// One step of the scheme: as long as planned, or up to where something jumps or switches. Failures are in the result.
  void step();
  /// … on to the next time of the prescribed steps; up to a thousandth of a step off it where something jumps so near.
  void step_whole();
  const State& state() const;
  /// For what is set from outside: its memory.
  State& state();
  /// What was set has jumped: accelerations, rates, multipliers and signals follow at once (T-jump).
  void jump();
  /// Some steps and a jump for nothing: what they need is allocated, pivots are chosen, and all is as before.
  void rehearse(int steps);
  /// The size of the next prescribed step.
  double next_step() const;
  /// So often the matrices of steps and jumps had new pivots.
  long pivotings() const;
  const RunResult& result() const;
  /// To be called once, when nothing follows any more.
  RunResult end();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

/// What sources jump to at the very start, or have before.
void apply_jumps_at_start(const Assembly& assembly, State& state, double slack = 0);

/// Throws ModelError(s) for a start that does not exist; numerical failures are in the result.
/// `resume`: what checkpoint() was given, of the same model and options; the run goes on bit by bit as it would have. Throws
/// ArchiveError if it belongs to something else.
RunResult simulate(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer,
                   std::string_view resume = {});

}  // namespace escapement
