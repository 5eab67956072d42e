// Constraints that depend on each other: which, and in which combination (T-redundant).
#pragma once
#include <string>
#include <vector>

#include "core/system.hpp"
#include "sparse/rank.hpp"

namespace escapement {

/// Rank of Φ_q and k_v together. The rows of dependencies are rows of the system.
struct ConstraintRank {
  int equations = 0, rank = 0;
  std::vector<Dependency> dependencies;  // not more than asked for
  int redundant() const { return equations - rank; }
};
ConstraintRank constraint_rank(const System& system, const State& state, int most_dependencies = 5);

/// "`a.reaction.1` (points together along x), `b.reaction.1` (…), …", by component.
std::string describe(const Dependency& dependency, const System& system);

}  // namespace escapement
