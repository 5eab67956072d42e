// What one linear solve per step, which is all that `spook` promises, leaves over.
#pragma once
#include "analyses/run_log.hpp"
#include "steppers/stepper.hpp"

namespace escapement {

class LeftOverWatch {
 public:
  LeftOverWatch(const System& system, RunLog& log) : system_(system), log_(log) {}
  /// A step that was computed. Where one solve is not enough, that is reported once.
  void look(const State& state, const StepReport& report);
  /// What helps a run that fails afterwards; empty: little was left over.
  std::string hint() const;

 private:
  bool noticed() const;

  const System& system_;
  RunLog& log_;
};

}  // namespace escapement
