// What comes before the first step: sources at their first values, loops closed or an equilibrium found, constraints
// examined for dependence.
#pragma once
#include <functional>
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
  StartOptions start = {};
  double slack = 0;    // s: what is due so little after the start counts as then
  int load_steps = 1;  // of an equilibrium; more than one needs …
  std::function<Assembly(double loads)> with_loads = {};  // … the model with a part of its loads
};

struct Prepared {
  State state;
  double proximal = 0;  // > 0: constraints depend on each other, multipliers must be regularised (T-proximal)
  int redundant = 0;    // so many equations too many
  std::vector<Warning> warnings;
  std::vector<std::string> notes;  // what was asked for, and did something
};

/// Of the model's `start:` and `simulate.redundant`. The model must outlive them.
PrepareOptions prepare_options(const Model& model);

/// With all modes as they hold, and the first samples taken. Throws ModelError: E-START, E-EQUILIBRIUM, E-REDUNDANT …
Prepared prepare(const Assembly& assembly, const PrepareOptions& options);

/// Prepared and made consistent: accelerations, multipliers, signals.
Prepared prepare_consistent(const Assembly& assembly, const PrepareOptions& options);

}  // namespace escapement
