// What can be chosen of variational steps and of SPOOK.
#pragma once
#include <vector>

#include "core/newton.hpp"
#include "core/projection.hpp"

namespace escapement {

/// How a constraint is kept under SPOOK.
struct Relaxation {
  double damping = 2;       // over which time a violation decays: this many steps …
  bool in_seconds = false;  // … or seconds
  double compliance = 0;    // violation per load (m/N, rad/(N m)); 0: rigid
};

struct VariationalOptions {
  bool quasi_linear = false;   // SPOOK
  double step = 0;             // s, the usual one: what `damping` counts in, where events cut a step short
  Relaxation relaxation = {};  // of all constraints …
  std::vector<Relaxation> relaxations = {};  // … or of each row, holonomic ones first
  bool damped_states = true;   // states by TR-BDF2 (T-variational-6); false: by the midpoint rule
  bool naive_start = false;    // v_{−½} = v_0, as is often done: first order (T-spook-5)
  double proximal = 0;         // > 0: redundant constraints allowed (T-proximal); SPOOK allows them always
  bool tell_left_over = true;  // SPOOK: StepReport::left_over, for one more solve
  NewtonOptions newton = {};
  StartOptions start = {};
};

/// Throws ModelError E-SCHEME for a system that the scheme cannot advance.
void refuse_scheme(const System& system, const VariationalOptions& options);

}  // namespace escapement
