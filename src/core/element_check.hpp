// The checker every element must pass, public so that users can check their own: at random states on the manifolds,
// tangents against central differences, the same rows twice, hand-written against differentiated assembly, power
// taken in through the rows against energy rate plus loss, and both sides of every kink.
#pragma once
#include <string>
#include <vector>

#include "core/system.hpp"

namespace escapement {

struct ElementCheckOptions {
  int states = 20;  // random states
  unsigned seed = 1;
  double spread = 1.0;  // random values lie within ± spread × nominal
  double tolerance =
      2e-6;  // of tangents against central differences, relative to the largest entry of the row
};

/// Empty when everything holds; otherwise one sentence per fault, naming row and unknown.
std::vector<std::string> check_elements(const System& system, const ElementCheckOptions& options = {});

}  // namespace escapement
