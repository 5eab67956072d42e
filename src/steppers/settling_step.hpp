// A step that settles: four implicit stages with the step's own kind of matrix, rates from the equations at their end (T-settle).
#pragma once
#include "steppers/alpha_step.hpp"
#include "steppers/settling.hpp"

namespace escapement {

class SettlingStep {
 public:
  SettlingStep(const System& system, const GeneralizedAlphaOptions& options);
  /// Explicit schemes and constants that do not follow the steps have no way back from settling.
  static bool possible(const GeneralizedAlphaOptions& options);
  /// In the two steps after a start or a jump, if what has jumped is not resolved by a step of this size (T-settle-1).
  bool is_due(const State& state, double h, Excitation& jump);
  /// All stages, from a state of which `step.end` has the numbers and the delays; it ends there.
  void compute(const State& from, AlphaStep& step, AlphaEquations& equations, Newton& newton,
               NewtonReport& report);
  /// What lies within the step just computed (T-settle-6).
  void interpolate(const State& from, const AlphaStep& step, double s, State& between) const;
  void archive(Archive& a) { a(test_); }

 private:
  bool compute_stage(int stage, const State& from, AlphaStep& step, AlphaEquations& equations, Newton& newton,
                     NewtonReport& report);

  const System& system_;
  Range states_;
  int positions_;
  ExcitationTest test_;
  struct StageRates {
    std::vector<double> v, a, w;
  } rates_[SettlingStages::count];
  State first_;                      // the end of the first stage …
  std::vector<double> first_u_;      // … and how far it is away
  mutable std::vector<double> way_;  // of interpolate()
};

}  // namespace escapement
