// Variational steps, which keep energy and momenta over long times; and SPOOK, which solves once per step (docs/schemes.md).
//
//   Variational         the Stepper; the System must outlive it. momenta(): at the end of the last step
//   VariationalOptions  quasi_linear: SPOOK; relaxation of its constraints; newton, start
//
//   Variational stepper(system, {});
//   Variational spook(system, {.quasi_linear = true, .step = 1e-3});
//
// The constructor throws ModelError E-SCHEME for what the scheme cannot advance.
#pragma once
#include <escapement/stepper.hpp>

#include "steppers/variational.hpp"
