// How constraints relax under `scheme: spook`: `relaxation` of all, `relaxations` by component (T-spook).
#pragma once
#include <string>
#include <vector>

#include "model/assembly.hpp"
#include "steppers/variational.hpp"

namespace escapement {

/// From the keys below `relaxation`, or below a name of `relaxations`; what is not given is as it was.
struct RelaxationFields {
  Relaxation length, angle;

  void take(const Model& model, const std::string& prefix, const std::string& key);
  /// Of a row in this unit; E-UNITS if it gives way and its unit is not known.
  const Relaxation& of(const Model& model, const System& system, int row) const;
};

/// By row of the constraints.
std::vector<Relaxation> relaxations(const Model& model, const Assembly& assembly);

}  // namespace escapement
