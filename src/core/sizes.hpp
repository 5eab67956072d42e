// How large the unknowns of a system are: what the model states as nominal magnitudes, or else what is learnt (T-scale).
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/state.hpp"
#include "core/system.hpp"

namespace escapement {

/// Sizes by row: |value| of each unknown, then |velocity| of each position, system.size() + positions in all. The parts of a
/// position or velocity in space or in the plane share its norm, so that results do not depend on the axes it is written in.
class Sizes {
 public:
  explicit Sizes(const System& system);
  int count() const { return system_.size() + system_.rows(Kind::position).size(); }
  /// largest[i] := max(largest[i], size in this state).
  void raise(const State& state, std::span<double> largest) const;
  /// … and at least what it moves by in so many seconds, as it moves in this state.
  void look_ahead(const State& state, double seconds, std::span<double> sizes) const;

  struct Vector {
    int row, parts;
    int value;  // index of the first into State::value, -1: an angle in space, of size 1
  };
  std::span<const Vector> vectors() const { return vectors_; }

 private:
  const System& system_;
  std::vector<Vector> vectors_;  // positions
};

/// Part of the horizon within which unknowns may become as large as they move now: a motion that has only begun need not be
/// as accurate as it is small (T-scale-1).
constexpr double foresight = 1e-3;

/// What errors of an unknown are relative to, beside its own size (T-scale-1): its nominal magnitude if the model states one; else the
/// usual one, but no more than its size so far and no less than a millionth of the usual one. Below that nothing controls it.
inline double small_size(const System& system, int row, double seen) {
  constexpr double least = 1e-6;
  const double nominal = system.nominal()[row];
  return system.nominal_stated()[row] ? nominal : std::clamp(seen, least * nominal, nominal);
}

/// What Newton's method, which leaves 10⁻¹² of nominal magnitudes, may leave of an unknown that is smaller: 10⁻⁶ of it (T-scale-2).
inline double most_left_over(const System& system, int row, double seen) {
  constexpr double share = 1e-6, least = 1e-14;
  if (system.nominal_stated()[row]) return INFINITY;
  return share * std::max(seen, least * system.nominal()[row]);
}

}  // namespace escapement
