// The velocity that an index-3 step starts from: with the offset that keeps its multipliers of second order (T-constraint-4).
#pragma once
#include "steppers/alpha_step.hpp"

namespace escapement {

class VelocityOffset {
 public:
  /// `dependent`: constraints may depend on each other.
  VelocityOffset(const System& system, bool dependent);
  /// C h², the offset over Z; without one in index-1 form.
  static double of(const AlphaStep& step) {
    return step.form == ConstraintForm::index3 ? step.c.C * step.c.h * step.c.h : 0.0;
  }
  /// v += M⁻¹Φ_qᵀμ such that Φ_q v + Φ_t = h² [C Z + (1/12) Φ_q [v, v̇]]; 0 in index-1 form. From the state's velocity to the one
  /// that the step starts from; `step.end`, which has the state's delays, is used on the way. False, and a report, if there is none.
  bool project(const State& from, AlphaStep& step, AlphaEquations& equations, Newton& newton,
               NewtonReport& report);

 private:
  struct Defect {
    double size;  // the largest, over nominal magnitudes
    int row;
  };
  void find_target(const State& from, AlphaStep& step);
  Defect defect(const State& moving);

  const System& system_;
  bool dependent_;
  std::vector<double> target_;   // Φ̇ to be, by row
  std::vector<double> rates_;    // Φ̇, or Z, by row
  std::vector<double> bracket_;  // [v, v̇]
  std::vector<double> missing_;  // of Φ̇; then the increment that it asks for
};

}  // namespace escapement
