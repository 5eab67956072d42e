// What comes before the first step: sources at their first values, loops closed or an equilibrium found, constraints
// examined for dependence.
#pragma once
#include <string>
#include <vector>

#include "model/assembly.hpp"

namespace escapement {

enum class StartMode { given, assembled, equilibrium };

/// What to do about constraints that depend on each other.
enum class Redundancy { report, allow, refuse };

struct PrepareOptions {
  StartMode mode = StartMode::given;
  Redundancy redundancy = Redundancy::report;
  StartOptions start;
};

struct Prepared {
  State state;
  double proximal = 0;  // > 0: constraints depend on each other, multipliers must be regularised (T-proximal)
  int redundant = 0;    // so many equations too many
  std::vector<std::string> warnings;
};

/// Of the model's `start:` and `simulate.redundant`.
PrepareOptions prepare_options(const Model& model);

/// Throws ModelError: E-START, E-EQUILIBRIUM, E-REDUNDANT …
Prepared prepare(const Assembly& assembly, const PrepareOptions& options);

/// Prepared and made consistent: accelerations, multipliers, signals.
Prepared prepare_consistent(const Assembly& assembly, const PrepareOptions& options);

}  // namespace escapement
