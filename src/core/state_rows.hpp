// How state rows take part where their stores are given: at the start, and at the ends of steps that carry stores on (T-start-3).
#pragma once
#include <vector>

#include "core/newton.hpp"

namespace escapement {

enum class StateRow : char {
  dynamic,    // its store is given: store(z) = s
  algebraic,  // nobody stores in it: flow(z) = 0
  driven,     // its store depends on q, v, t only: d/dt store + flow = 0
  mixed       // stores that do not determine the states alone: a small implicit step keeps what is stored
};

struct StateRows {
  std::vector<StateRow> kinds;  // by row - first state row
  bool has_driven = false, has_mixed = false;
  double fastest = 0;         // s: the shortest ratio of store to flow; infinite: none
  std::vector<double> usual;  // a thousandth of what rows store at nominal values

  void archive(Archive& a) { a(kinds, has_driven, has_mixed, fastest, usual); }
  /// All that is stored by a small step; false: it is so already.
  bool mix();
  bool has(StateRow kind) const;
};

/// From the tangents of their stores at this state, and a little aside: one may happen to be flat. Again and again, in the room
/// of the first time.
class StateRowExamination {
 public:
  explicit StateRowExamination(const System& system) : system_(system) {}
  /// `solver` is left with a matrix of no use.
  void look(const State& state, LinearSolver& solver, StateRows& rows);

 private:
  const System& system_;
  std::vector<double> r_, E_, A_, aside_E_, Q_, aside_Q_;
  std::vector<double> factored_;  // what was factored last …
  bool determines_ = false;       // … and whether it could be
  State aside_;
};

/// Once. Leaves `newton` without a matrix.
StateRows examine_state_rows(const System& system, const State& state, Newton& newton);

/// A little away from a state, in everything: what happens to be zero there is not zero here.
void move_aside(const System& system, State& state);

/// Unknowns without a store that no algebraic row determines (the current of a source across a capacitor): only the rates of
/// stores do, and what they do to stores in a step has the character of an impulse (T-node-3). By row of the unknown.
std::vector<int> impulsive_unknowns(const System& system, const State& state, const StateRows& rows);

}  // namespace escapement
