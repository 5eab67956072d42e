// Poles of the low-pass filters that others are made of: without zeros, gain one at rest.
#pragma once
#include "components/control/realization.hpp"

namespace escapement::control {

/// Half the power (−3 dB) passes at 1 rad/s; as flat as can be at rest.
Roots butterworth_poles(int order);

/// Roots of the reverse Bessel polynomial θₙ(s): the delay at rest is 1 s, as flat as can be. The diagonal Padé
/// approximation of exp(−s) is θₙ(−s/2) / θₙ(s/2).
Roots bessel_poles(int order);

/// Where half the power passes, rad/s.
double half_power_frequency(const Roots& poles);

}  // namespace escapement::control
