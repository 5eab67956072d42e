// Parameter sets of the generalized-α family, and the conditions of the documents they are checked against.
#pragma once
#include <string>
#include <vector>

namespace escapement {

/// Positions: (1−α_m) a_{n+1} + α_m a_n = (1−α_f) v̇_{n+1} + α_f v̇_n and Newmark's formulae with β, γ (T-alpha-1…3).
struct MechanicsParameters {
  double alpha_m, alpha_f, beta, gamma;

  static MechanicsParameters chung_hulbert(double rho);  // optimal for second order, 0 ≤ ρ∞ ≤ 1
  static MechanicsParameters jansen_whiting_hulbert(
      double rho);                                              // the first-order optimum used for positions
  static MechanicsParameters hilber_hughes_taylor(double rho);  // α_m = 0, ½ ≤ ρ∞ ≤ 1
  static MechanicsParameters newmark(double beta = 0.25, double gamma = 0.5);
  static MechanicsParameters trapezoidal() { return newmark(); }
  static MechanicsParameters stormer() { return newmark(0.0, 0.5); }  // explicit in positions

  bool second_order() const;        // γ = ½ + α_f − α_m
  bool beta_follows_gamma() const;  // β = ¼ (γ + ½)²
  /// Largest modulus of the amplification roots as hω → ∞ (T-alpha-9).
  double radius_at_infinity() const;
};

/// States: the same recursion on the store, (1−δ_m) w_{n+1} + δ_m w_n = (1−δ_f) ṡ_{n+1} + δ_f ṡ_n, with θ (T-alpha-4).
struct StateParameters {
  double delta_m, delta_f, theta;

  static StateParameters jansen_whiting_hulbert(double rho);  // optimal for first order
  static StateParameters chung_hulbert(double rho);           // the same numbers as the mechanics
  static StateParameters trapezoidal() { return {0, 0, 0.5}; }
  static StateParameters backward_euler() { return {0, 0, 1.0}; }  // first order, on purpose

  bool second_order() const;
  double radius_at_infinity() const;
};

/// One violated condition, in words that name it: "order", "zero-stability" or "A-stability".
struct ParameterWarning {
  std::string condition, message;
};
std::vector<ParameterWarning> check(const MechanicsParameters& p);
std::vector<ParameterWarning> check(const StateParameters& p);

}  // namespace escapement
