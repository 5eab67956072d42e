// The numbers of one generalized-α step: from the scheme's parameters, the step size and where its history stands.
#pragma once
#include "steppers/generalized_alpha_options.hpp"

namespace escapement {

struct AlphaCoefficients {
  double h = 0, gamma = 0, beta = 0, theta = 0;
  double c0 = 0, c1 = 0, kappa = 0;             // dq/dv̇, dv/dv̇, weight of the flow of state rows
  double D = 0, E = 0, D_next = 0, E_next = 0;  // time offsets of a and w, before and after
  double C = 0;                                 // error constant of the position formula (T-constraint-3)
  void archive(Archive& a) { a(h, gamma, beta, theta, c0, c1, kappa, D, E, D_next, E_next, C); }
};

/// Of a step of size h from a_n ≈ v̇(t_n + D), w_n ≈ ṡ(t_n + E) (T-alpha-6, T-alpha-7).
AlphaCoefficients alpha_coefficients(const GeneralizedAlphaOptions& options, double h, double D, double E);
/// Of a stage of a settling step (T-settle-2).
AlphaCoefficients settling_coefficients(double h);

/// Has a step shrunk so much that D, or E, is beyond the bound where γ_n, or θ_n, leaves its range (T-alpha-8)?
bool beyond_bounds(const MechanicsParameters& m, double h, double D);
bool beyond_bounds(const StateParameters& s, double h, double E);

}  // namespace escapement
