// simulate: from an assembled model to the end of its simulated time, with fixed, prescribed or error-controlled steps.
// Steps end exactly where sources jump (T-jump) and where something switches (T-event). All at once, or step by step.
#pragma once
#include <memory>
#include <string_view>

#include "analyses/run_observer.hpp"
#include "analyses/run_result.hpp"
#include "analyses/simulate_options.hpp"

namespace escapement {

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

/// Throws ModelError(s) for a start that does not exist; numerical failures are in the result.
/// `resume`: what checkpoint() was given, of the same model and options; the run goes on bit by bit as it would have. Throws
/// ArchiveError if it belongs to something else.
RunResult simulate(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer,
                   std::string_view resume = {});

}  // namespace escapement
