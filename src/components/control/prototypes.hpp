// The low-pass filters that others are made of: without zeros, gain one at rest; and what makes the others of them.
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

/// Π(−p) / Π(s − p).
Realization low_pass(const Roots& poles);
/// s → 1 / s: a high pass of a low pass. No pole at zero.
Realization inverted(const Realization& r);
/// s → s / w.
Realization faster(const Realization& r, double w);
/// s → (s² + w²) / s: every integrator becomes a resonator; a band pass of a low pass as wide as the band.
Realization resonating(const Realization& r, double w);

}  // namespace escapement::control
