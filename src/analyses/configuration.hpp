// ConfigurationChoice a model is linearised: as it starts, at rest, in steady motion, or after a while.
#pragma once
#include <string>
#include <vector>

#include "analyses/prepare.hpp"

namespace escapement {

struct ConfigurationChoice {
  enum class Kind { start, equilibrium, steady, time } kind = Kind::start;
  double time = 0;  // s
};

struct Configuration {
  State state;
  double proximal = 0;  // > 0: constraints depend on each other (T-proximal)
  std::vector<Warning> warnings;
  std::vector<std::string> notes;
};

/// The model with frames that move on SE(3), where a steady turn has constant coefficients, whatever it says itself.
Assembly assemble_for_linearization(Model& model);

/// Every row holds there. Throws ModelError, and E-NEWTON … of a run that does not get there.
Configuration configure(const Model& model, const Assembly& assembly, const ConfigurationChoice& choice);

}  // namespace escapement
