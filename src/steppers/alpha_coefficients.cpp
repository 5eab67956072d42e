#include "steppers/alpha_coefficients.hpp"

#include "steppers/settling.hpp"

namespace escapement {

bool beyond_bounds(const MechanicsParameters& m, double h, double D) {
  const double alpha = m.alpha_m - m.alpha_f;
  return m.alpha_m < 0.5 && D > h * (-alpha) / (1 - 2 * m.alpha_m) + 1e-14 * h;
}

/// Also where w stands for a rate far outside the step: what that leaves out no shorter step could mend.
bool beyond_bounds(const StateParameters& s, double h, double E) {
  const double delta = s.delta_m - s.delta_f;
  return (s.delta_m < 0.5 && E > h * (-delta) / (1 - 2 * s.delta_m) + 1e-14 * h) || std::abs(E) > 2 * h;
}

AlphaCoefficients alpha_coefficients(const GeneralizedAlphaOptions& options, double h, double D, double E) {
  const auto& m = options.mechanics;
  const auto& s = options.states;
  const double alpha = m.alpha_m - m.alpha_f, delta = s.delta_m - s.delta_f;
  AlphaCoefficients c;
  c.h = h;
  c.D = D;
  c.E = E;
  c.gamma = m.gamma;
  c.beta = m.beta;
  c.theta = s.theta;
  c.D_next = alpha * h;
  c.E_next = delta * h;
  if (options.update_parameters && m.second_order()) {  // (T-alpha-6)
    c.gamma = (1 - m.alpha_m) * (0.5 * h - D) / ((1 - m.alpha_f) * h - D);
    c.D_next = (alpha * h - m.alpha_m * D) / (1 - m.alpha_m);
    if (options.update_beta && m.beta_follows_gamma()) c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  }
  if (options.update_parameters && s.second_order()) {
    c.theta = (1 - s.delta_m) * (0.5 * h - E) / ((1 - s.delta_f) * h - E);
    c.E_next = (delta * h - s.delta_m * E) / (1 - s.delta_m);
  }
  const double weight = options.weighted() ? 1.0 : (1 - m.alpha_f) / (1 - m.alpha_m);
  c.c0 = h * h * c.beta * weight;
  c.c1 = h * c.gamma * weight;
  c.kappa = h * c.theta * (1 - s.delta_f) / (1 - s.delta_m);
  c.C = 1.0 / 6 - ((0.5 - c.beta) * D / h + c.beta * (1 + c.D_next / h));  // (T-constraint-3)
  return c;
}

AlphaCoefficients settling_coefficients(double h) {
  constexpr double g = SettlingStages::gamma;
  AlphaCoefficients c;
  c.h = h;
  c.c0 = g * g * h * h;
  c.c1 = c.kappa = g * h;
  return c;
}

}  // namespace escapement
