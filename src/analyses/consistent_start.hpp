// The start with all discrete states: modes, samples at the first instant, what is given and what follows from it come to a
// fixed point before anything remembers it (T-start-8).
#pragma once
#include "analyses/mode_search.hpp"
#include "analyses/sampling.hpp"

namespace escapement {

class ConsistentStart {
 public:
  /// `slack`: what is due so little later counts as now.
  ConsistentStart(const Assembly& assembly, StartOptions options, double slack);
  /// Nothing switches, nothing samples.
  bool trivial() const { return watch_.empty() && assembly_.samplers.empty(); }
  /// To consistent values in which all modes hold and the first samples are taken. Positions, velocities and given states stay.
  /// Throws ModelError: as make_consistent(), E-CHATTER for modes that do not come to hold, E-LOOP for samples.
  void find(State& state);
  /// The same without samples.
  void modes(State& state);
  /// Consistent values with the modes as they are, until the next call.
  State& consistent(State& state);

 private:
  State& solve(State& state);
  void search(State& state);
  bool switch_by_signals(State& state);
  [[noreturn]] void refuse_cycle(const std::string& who, bool in_expression) const;

  const Assembly& assembly_;
  const System& system_;
  StartOptions options_;
  double slack_;
  EventWatch watch_;
  ModeSearch modes_;
  State given_, solved_;
  bool known_ = false;         // solved_ holds something to begin with
  std::vector<int> switched_;  // by the signals of one sample
};

}  // namespace escapement
