// What blocks with one nonlinear state per part share, composed of the linear terms and a map.
#pragma once
#include "components/control/linear.hpp"
#include "components/control/map.hpp"
#include "model/schema.hpp"

namespace escapement::control {

/// d/dt output = rate · (function(gain · input + feedback · output) − decay · output).
struct NonlinearLag {
  double gain, feedback;
  Map::Function function;
  double rate, decay;
};
/// The block, part by part; the output starts at `initial.output`, or at `start`.
void build_nonlinear_lag(Build& b, const NonlinearLag& lag, double start);

/// The key `initial:` of such a block.
Parameter initial_output(const char* summary);

}  // namespace escapement::control
