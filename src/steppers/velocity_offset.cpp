#include "steppers/velocity_offset.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

VelocityOffset::VelocityOffset(const System& system, bool dependent)
    : system_(system), dependent_(dependent) {
  for (auto* x : {&target_, &rates_, &missing_}) x->assign(system.size(), 0.0);
  bracket_.assign(system.rows(Kind::position).size(), 0.0);
}

/// Z = −d³Φ/dt³ along v̈ = 0; the bracket through the linearity of Φ̇ in v.
void VelocityOffset::find_target(const State& from, AlphaStep& step) {
  const Range holonomic = system_.rows(Kind::holonomic);
  const double h = step.c.h;
  State& moving = step.end;
  const bool offset = step.form == ConstraintForm::index3;
  if (offset) system_.constraints(moving, 3, -1, rates_);
  for (int i = holonomic.begin; i < holonomic.end; ++i)
    target_[i] = offset ? -h * h * step.c.C * rates_[i] : 0.0;
  if (!offset || system_.lie_variables().empty()) return;
  lie_bracket(system_, from.rate, from.acceleration, bracket_);
  system_.constraints(moving, 1, -1, rates_);
  for (int i = holonomic.begin; i < holonomic.end; ++i) target_[i] -= h * h / 12 * rates_[i];
  for (std::size_t i = 0; i < bracket_.size(); ++i) moving.rate[i] = from.rate[i] + bracket_[i];
  system_.constraints(moving, 1, -1, rates_);
  for (int i = holonomic.begin; i < holonomic.end; ++i) target_[i] += h * h / 12 * rates_[i];
  std::copy_n(from.rate.begin(), bracket_.size(), moving.rate.begin());
}

/// What Φ̇ lacks of the target, into missing_.
VelocityOffset::Defect VelocityOffset::defect(const State& moving) {
  const Range holonomic = system_.rows(Kind::holonomic);
  system_.constraints(moving, 1, -1, rates_);
  std::fill(missing_.begin(), missing_.end(), 0.0);
  Defect worst{0, holonomic.begin};
  for (int i = holonomic.begin; i < holonomic.end; ++i) {
    missing_[i] = target_[i] - rates_[i];
    const double e = std::abs(missing_[i]) / system_.row_nominal()[i];
    if (!(e <= worst.size)) worst = {e, i};
  }
  return worst;
}

bool VelocityOffset::project(const State& from, AlphaStep& step, AlphaEquations& equations, Newton& newton,
                             NewtonReport& report) {
  State& moving = step.end;
  moving.t = from.t;
  moving.value = from.value;
  moving.rate = from.rate;
  moving.acceleration = from.acceleration;
  moving.take_elements(from);
  find_target(from, step);
  // With the step's matrix at this very point, iterating on the true Φ̇: an old one would leave its mark on v.
  bool own_matrix = false;
  double previous = INFINITY;
  for (int k = 0; k < 30; ++k) {
    const auto [size, row] = defect(moving);
    if (size < 1e-14 || (k > 3 && size >= 0.5 * previous && size < 1e-9)) break;  // at rounding level
    if (!own_matrix || !(size <= 0.5 * previous)) {
      if (own_matrix) {
        // Where constraints depend on each other the offsets may not: what is left then is of their order.
        if (size < (dependent_ ? 1e-5 : 1e-9)) break;
        report.status = std::isfinite(size) ? NewtonStatus::no_convergence : NewtonStatus::not_finite;
        report.worst.push_back({row, missing_[row], 0.0});
        return false;
      }
      equations.matrix(moving, newton.matrix());  // it then serves the step too
      const auto f = newton.factor();
      ++report.factorizations;
      if (!f.ok) {
        report.status = NewtonStatus::singular;
        for (int i : f.singular_rows) report.worst.push_back({i, 0.0, 0.0});
        return false;
      }
      own_matrix = true;
    }
    previous = size;
    newton.solver().solve(missing_);
    for (std::size_t i = 0; i < bracket_.size(); ++i) moving.rate[i] += missing_[i];
  }
  std::copy_n(moving.rate.begin(), bracket_.size(), step.predicted.velocity.begin());
  return true;
}

}  // namespace escapement
