// Buckling: factors of the loads at which the equilibrium under them has no unique continuation: it branches, or the path turns
// back and the structure snaps through (T-buckling).
#pragma once
#include <string>
#include <vector>

#include "analyses/equilibrium.hpp"
#include "core/warning.hpp"

namespace escapement {

struct BucklingOptions {
  int count = 5;
  double proximal = 0;  // for constraints that depend on each other (T-proximal)
};

enum class Instability { bifurcation, limit_point };

struct BucklingMode {
  Instability kind = Instability::bifurcation;
  double factor = 0;          // of all loads of the model
  double linear = 0;          // as the unloaded structure tells it; NaN: it does not
  std::vector<double> shape;  // increments by row; the largest is one nominal magnitude
  int largest = 0;            // row
  State state;                // the equilibrium near the critical load
};

struct BucklingResult {
  std::vector<BucklingMode> modes;  // the smallest positive factors first; none beyond a limit point
  double searched = 0;              // up to this factor for limit points
  std::vector<Warning> warnings;
};

/// From a state near the unloaded equilibrium. Throws ModelError E-MODES, E-EQUILIBRIUM.
BucklingResult find_buckling(const State& start, const BucklingOptions& options, const WithLoads& with_loads);

}  // namespace escapement
