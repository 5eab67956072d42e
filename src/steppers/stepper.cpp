#include "steppers/stepper.hpp"

#include <fmt/format.h>

#include <cmath>

namespace escapement {

StartReport Stepper::restart(State& state) {
  StartOptions projecting = start_options();  // velocities may be off the constraints by what a scheme leaves
  projecting.check = projecting.project = true;
  projecting.operating_point = false;
  return start(state, projecting);
}

StartReport Stepper::start(State& state, const StartOptions& options) {
  State consistent = state;
  const StartReport report = make_consistent(system_, consistent, options);
  system_.remember(consistent, true);
  state = std::move(consistent);
  begin(state, report);
  return report;
}

void Stepper::check_step(const State& state, double h) const {
  const bool a_step = h > 0 && std::isfinite(h);
  if (a_step && started()) return;
  const std::string where = fmt::format("t = {:g} s", state.t);
  if (a_step) throw ModelError("E-STEP", where, "advance before start", "call start(state) first");
  throw ModelError("E-STEP", where, fmt::format("the step size is {:g} s", h), "give a positive number");
}

}  // namespace escapement
