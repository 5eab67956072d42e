// RunObserver: who follows a run while it goes on, and may stop it.
#pragma once
#include <memory>
#include <string>

#include "core/state.hpp"

namespace escapement {

struct Assembly;

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
  /// Events have set parameters: the model with them, to draw what follows; null: they are as at the beginning again.
  virtual void changed(std::shared_ptr<const Assembly>) {}
  /// After every step: false stops the run.
  virtual bool step(const StepDone& step) = 0;
  /// Asked at the start and after every step: should the run be saved now? It is when the observer has stopped it, too.
  virtual bool wants_checkpoint() { return false; }
  /// All that simulate() needs to go on from here as if nothing had happened.
  virtual void checkpoint(const std::string& /*run*/) {}
};

}  // namespace escapement
