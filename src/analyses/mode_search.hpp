// ModeSearch: modes that hold together at one instant. Stops, friction, ideal diodes, switches and relays are one mechanism:
// each has a few modes, and functions that are positive while one lasts; what switches at the same instant is solved together,
// and the order of the components does not matter (T-unilateral).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analyses/event_watch.hpp"

namespace escapement {

class ModeSearch {
 public:
  ModeSearch(EventWatch& watch, std::size_t memory);

  /// Consistent values with the modes of this state, whose values stay as they are. Throws ModelError where there are none.
  using Solve = std::function<State&(State& state)>;
  enum class Outcome {
    hold,   // all modes hold
    acts,   // the last change acts on the state: impacts, events of the model
    cycles  // no modes were found that hold together
  };
  /// From modes of which these functions have passed zero, to modes that all hold; into the memory of the state. Events of the
  /// model take part in the first change only: they fire when all else holds.
  /// `already`: what has switched at this instant before. It is at the border of its mode, and stays there by rounding.
  Outcome run(State& state, const std::vector<int>& first, const Solve& solve,
              const std::vector<int>& already = {});
  /// From modes that have not been looked at yet.
  Outcome run(State& state, const Solve& solve);

  /// How the run goes on, after all that changed.
  Continuation how() const { return how_; }
  bool corner() const { return corner_; }
  /// Functions that passed zero, in the order in which they did.
  const std::vector<int>& crossed() const { return crossed_; }
  /// After `acts`: the modes before the last change.
  const std::vector<double>& before() const { return before_; }
  /// Of a cycle: the components that take part, by name.
  std::string participants() const;
  /// … and whether they are operations of expressions.
  bool in_expressions() const { return !crossed_.empty() && watch_.in_expression(crossed_.back()); }

 private:
  const EventWatch::Change& switch_modes(State& state, State& values, const std::vector<int>& functions);
  void look(const State& values);
  bool with_others(State& state, const Solve& solve);
  bool seen_before(const State& state);
  void in_canonical_order(std::vector<int>& functions) const;

  EventWatch& watch_;
  std::vector<int> due_, crossed_, one_;
  std::vector<double> before_;             // modes from which the last change was made
  std::vector<std::vector<double>> seen_;  // modes that were tried
  std::size_t tried_ = 0;                  // … how many of them
  bool at_start_ = false;                  // nothing has been located
  const std::vector<int>* already_ = nullptr;
  bool at_rest_ = false;  // what is due only begins to leave its mode
  Continuation how_ = Continuation::none;
  bool corner_ = false;
};

}  // namespace escapement
