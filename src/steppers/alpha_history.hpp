// What generalized-α carries on from step to step beside the state.
#pragma once
#include <cmath>
#include <vector>

#include "base/archive.hpp"
#include "steppers/settling.hpp"

namespace escapement {

/// Is it worth asking what fast parts forget of errors? Where it made no difference, only before a step is rejected, and again
/// every few steps: or a size that one of them asks for would be kept for ever.
struct Forgetting {
  bool pays = true;
  int waited = 0;
  bool is_due(double error);
  void found(bool it_pays) { pays = it_pays, waited = 0; }
  void archive(Archive& a) { a(pays, waited); }
};

/// Plain data; copying it with the state is checkpoint and rollback.
struct AlphaHistory {
  std::vector<double> a, w;          // a_n ≈ v̇(t_n + D), w_n ≈ ṡ(t_n + E)
  double D = 0, E = 0;               // time offsets of a and w
  bool first = true;                 // no step yet: D and E wait for the first step size
  std::vector<double> slope, curve;  // divided differences of v̇, x, y, λ over the last steps
  double last_step = 0;              // 0: slope and curve are not known yet
  double span = 0;                   // of the last two steps
  std::vector<double> third_slope;   // of v̇, x, y, λ and of ṡ, from here to a third point …
  std::vector<double> largest;       // sizes of unknowns and velocities so far (Sizes)
  double third = NAN;                // … at this time from here; NaN: there is no such point
  double offset = NAN;               // C h² of the last step's velocity offset; NaN: not started
  std::vector<char>
      algebraic;          // state rows in which nothing is stored: their error counts as that of a signal
  bool hidden = false;    // some rates of stores follow from derivatives of algebraic rows
  Excitation excitation;  // the last jump, or the start
  Forgetting states, velocities;  // of their errors (T-error-5, T-error-10)
  bool tiny = false;              // the last step was in index-1 form because of its size (T-constraint-10)
  std::vector<double> mass;       // of positions, at the start

  AlphaHistory(int positions, int states, int unknowns, int sizes)
      : a(positions),
        w(states),
        slope(unknowns),
        curve(unknowns),
        third_slope(unknowns + states),
        largest(sizes),
        mass(positions) {}

  static constexpr double much_smaller = 1e-3;  // a step than the next one: its differences are noise there
  /// Is there a third point that is of use for a step of this size? Not very near to its end.
  bool third_point(double h) const {
    return (third > 0 || third < -much_smaller * h) && std::abs(third - h) > much_smaller * h;
  }
  /// … or far enough beyond it, that no trial step is needed?
  bool good_third_point(double h) const {
    return third < -much_smaller * h || (third > 0.2 * h && third < 0.8 * h);
  }
  /// What comes does not go on along the last steps.
  void forget_slopes();

  void archive(Archive& ar) {
    ar(excitation, states, velocities, algebraic, hidden, a, w, D, E, first, slope, curve, last_step, span,
       third_slope, largest, third, offset, tiny, mass);
  }
};

}  // namespace escapement
