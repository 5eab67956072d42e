// What every scheme offers, whichever it is: generalized_alpha.hpp, variational.hpp. To be used where the steps are one's own; a
// whole model with its events is run by simulate.hpp or stepped_model.hpp.
//
//   Stepper        start, advance (or attempt and commit), interpolate, discontinuity (something jumped), restart (values set
//                  by hand). One stepper and one State per thread.
//   StepReport     what a step did; not ok(): the state is untouched
//   NewtonReport   of the iteration: status, iterations, the worst rows; describe(report, system) puts it into words
//   StartOptions   what counts as consistent, and what may be moved to make it so: project, tolerance, kept
//   NewtonOptions  tolerance, iterations
//
//   stepper.start(state);                         // consistent accelerations, multipliers, signals, or ModelError
//   while (state.t < 2.0) {
//     const StepReport report = stepper.advance(state, 1e-3);   // s
//     if (!report.ok()) return describe(report.newton, system);
//   }
#pragma once
#include "steppers/stepper.hpp"
