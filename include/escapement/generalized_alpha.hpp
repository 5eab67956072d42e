// Generalized-α, the usual scheme: second order in positions, velocities, accelerations, multipliers, states and signals, with
// numerical damping of what the step cannot resolve (docs/schemes.md).
//
//   GeneralizedAlpha         the Stepper; the System must outlive it
//   GeneralizedAlphaOptions  mechanics and states (parameters, from ρ∞), constraints (index3, index2, index1), newton, start …
//
//   GeneralizedAlphaOptions options;
//   options.mechanics = MechanicsParameters::chung_hulbert(0.9);        // ρ∞
//   options.states = StateParameters::jansen_whiting_hulbert(0.9);
//   GeneralizedAlpha stepper(system, options);
//
// The constructor throws ModelError E-SCHEME for what the scheme cannot advance.
#pragma once
#include <escapement/stepper.hpp>

#include "steppers/generalized_alpha.hpp"
