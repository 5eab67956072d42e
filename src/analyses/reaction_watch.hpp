// Reactions of index-3 constraints that alternate from step to step and grow: a sign that the step is too long for what
// turns in it (T-constraint-8).
#pragma once
#include <string>
#include <vector>

#include "analyses/run_log.hpp"
#include "core/system.hpp"

namespace escapement {

/// Does a body turn so far in a step of size h that index-3 reactions grow, whatever ρ∞, without alternating as they do before?
bool turns_too_fast_for_index3(const System& system, const State& state, double h);

class ReactionWatch {
 public:
  ReactionWatch(const System& system, RunLog& log);
  /// After every step; what is wrong is reported once.
  void look(const State& state, double h);
  /// What helps a run that fails after the reactions have grown; empty: they have not.
  std::string hint(const State& state, double h) const;
  void archive(Archive& a) { a(run_, grew_, turned_, value_, change_); }

 private:
  bool begins_to_grow(const State& state);
  void warn(std::string message, const State& state, double h);

  const System& system_;
  RunLog& log_;
  int first_, count_;                   // multipliers of holonomic constraints
  int run_ = 0;                         // steps in a row in which they alternated and grew
  bool grew_ = false, turned_ = false;  // what has been reported
  std::vector<int> at_;
  std::vector<double> value_, change_;
};

}  // namespace escapement
