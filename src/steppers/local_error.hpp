// How far a generalized-α step is off (T-error).
#pragma once
#include "steppers/alpha_history.hpp"
#include "steppers/alpha_step.hpp"
#include "steppers/decaying_errors.hpp"
#include "steppers/stepper.hpp"

namespace escapement {

class AlphaError {
 public:
  /// `step`: the one that errors are asked of, just computed; `newton` has its matrix.
  AlphaError(const System& system, const Sizes& sizes, const AlphaStep& step, AlphaEquations& equations,
             Newton& newton, AlphaHistory& history);
  /// Per unknown, relative to the scales, over the length of the step relative to their horizon; the largest counts.
  LocalError of(State& from, const ErrorScales& scales);
  void archive(Archive& a) { a(decaying_); }

 private:
  class Largest;
  /// What the formulas of the step leave out: E_q, E_v, E_s (T-error-2).
  struct Defects {
    std::vector<double> q, v, s;
    std::vector<double> across;  // the part of E_q that constraints remove
  };
  void find_defects(const State& from, ErrorEstimator estimator);
  void keep_along_constraints(std::span<double> defect, bool velocity);
  void filter_defects(State& from);
  void find_noise(const State& from, bool rounding_too);
  void find_sizes(const State& from, double horizon);
  LocalError largest(const State& from, const ErrorScales& scales);
  void count_positions(Largest& largest, const ErrorScales& scales);
  void count_states(Largest& largest, const ErrorScales& scales);
  double between_ends(int row, double change) const;

  const System& system_;
  const Sizes& sizes_;
  const AlphaStep& step_;
  AlphaEquations& equations_;
  Newton& newton_;
  AlphaHistory& history_;
  Range states_;
  int positions_;
  bool constrained_;
  std::vector<char> is_angle_;      // positions whose size is no measure of their error
  std::vector<int> circuit_nodes_;  // rows
  Defects defect_;
  std::vector<double> errors_;  // of all but positions, by row, after the filter
  std::vector<double> noise_;   // what Newton and rounding leave of each unknown and velocity
  std::vector<double> sizes_now_, expected_;
  DecayingErrors decaying_;
  State beside_;                                   // the end of the step without the defects
  std::vector<double> bracket_, moved_, at_rest_;  // [v, v̇]; u − E_q; Φ̇ and k at rest
  std::vector<double> removed_;                    // a defect, then its part across the constraints
};

}  // namespace escapement
