// What can be chosen of generalized-α, and what a system refuses of it.
#pragma once
#include <cmath>

#include "core/newton.hpp"
#include "core/projection.hpp"
#include "steppers/alpha_parameters.hpp"

namespace escapement {

enum class ConstraintForm {
  index3,  // Φ = 0 at t_{n+1}; the velocity carries the offset that keeps λ second order (T-constraint-4)
  index2,  // Φ = 0 and Φ̇ = 0 at t_{n+1}, positions projected (stabilised, T-constraint-6)
  index1  // Φ̈ = 0 and k̇ = 0, positions and velocities projected: where a step is so small that rounding would show in
          // v̇ and λ of the others, they change to this one (T-constraint-9)
};

/// Where the equations of motion hold (T-weighted).
enum class BalanceForm {
  exact,  // at t_{n+1}, with the true accelerations
  weighted  // as weighted means between t_n and t_{n+1}, the classical form, with a_n as accelerations: for comparison
};

/// Where the history starts: D_0 = α h (the documents' classical γ from the first step) or D_0 = 0 (exact for a_0 = v̇_0).
enum class StartHistory { automatic, classical, consistent };

struct GeneralizedAlphaOptions {
  MechanicsParameters mechanics = MechanicsParameters::chung_hulbert(0.8);
  StateParameters states = StateParameters::jansen_whiting_hulbert(0.8);
  ConstraintForm constraints = ConstraintForm::index3;
  bool change_form =
      false;  // to index 1 in tiny steps (T-constraint-10): every run of a model does. Without it errors are
              // those of one form at all steps, and extrapolate
  BalanceForm balance = BalanceForm::exact;
  StartHistory history = StartHistory::automatic;  // consistent with constraints, classical without
  bool update_parameters =
      true;                 // γ_n, θ_n follow the step sizes (T-alpha-6); false: the classical constants
  bool update_beta = true;  // β_n = ¼(γ_n + ½)², for stability under changing steps
  bool offset_projection = true;  // index 3 only
  bool settling = true;           // after a start or a jump that excites what steps cannot resolve (T-settle)
  bool jump_slopes = false;  // at a jump v̈ and s̈ count too: for steps whose error is controlled (T-jump-4)
  /// Of Newton for states of steps whose error is controlled, relative: the smallest that is asked for (T-error-7).
  double state_tolerance = INFINITY;
  /// > 0: the error of steps is controlled, over so long a time (s), and Newton's method measures small unknowns by themselves (T-scale-1).
  double horizon = 0;
  double proximal = 0;  // > 0: redundant constraints allowed (T-proximal)
  NewtonOptions newton = {};
  StartOptions start = {};

  bool weighted() const { return balance == BalanceForm::weighted; }
};

/// Throws ModelError E-SCHEME for a scheme that cannot advance this system (ρ∞ = 1 or β = 0 with index-3 rows; weighted means
/// of what has no constant mass, or switches).
void refuse_scheme(const System& system, const GeneralizedAlphaOptions& options);

}  // namespace escapement
