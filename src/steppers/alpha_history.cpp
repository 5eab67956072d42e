#include "steppers/alpha_history.hpp"

#include <algorithm>

#include "steppers/step_control.hpp"

namespace escapement {

bool Forgetting::is_due(double error) {
  constexpr int patience = 16;
  if (error <= 0.1) return false;  // two sizes of the step below what is aimed at
  return pays || error > StepControl::accept || ++waited > patience;
}

void AlphaHistory::forget_slopes() {
  std::fill(slope.begin(), slope.end(), 0.0);
  std::fill(curve.begin(), curve.end(), 0.0);
  last_step = 0;
  third = NAN;
}

}  // namespace escapement
