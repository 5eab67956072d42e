// What rounding would show of in the multipliers of a step: when it takes the index-1 form (T-constraint-10).
#pragma once
#include "steppers/alpha_step.hpp"

namespace escapement {

class ConstraintRounding {
 public:
  explicit ConstraintRounding(const System& system);
  /// What the rounding of q and v makes of accelerations along the constraints, relative to what is allowed of them there, in
  /// this form. By the last matrix, which need not be of this step.
  double shown(const State& state, const AlphaCoefficients& c, ConstraintForm form,
               std::span<const double> matrix, std::span<const double> masses);

 private:
  const System& system_;
  CoordinateSizes coordinate_size_;
  std::vector<double> pushed_, seen_,
      noise_;  // forces of constraints; accelerations that they see, and noise
};

/// Masses of the positions. Leaves in `matrix` the gradients of the constraints, for the choice of the first step's form.
void find_masses(const System& system, const State& state, std::span<double> matrix,
                 std::vector<double>& masses);

}  // namespace escapement
