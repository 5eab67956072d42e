// The parameters of generalized-α and its relatives: by spectral radii, or as they stand (T-alpha-10).
#pragma once
#include "analyses/simulate_options.hpp"

namespace escapement {

/// Of positions and of states. The radii that were asked for are put into the options. Throws E-SCHEME, E-CHOICE, E-MISSING … with the
/// place.
MechanicsParameters mechanics_parameters(const Model& model, SimulateOptions& options);
StateParameters state_parameters(const Model& model, SimulateOptions& options);

}  // namespace escapement
