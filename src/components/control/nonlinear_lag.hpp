// What blocks with one nonlinear state per part share, composed of the linear terms and a map.
#pragma once
#include <variant>

#include "components/control/linear.hpp"
#include "components/control/map.hpp"
#include "components/control/parts.hpp"
#include "components/control/table_map.hpp"

namespace escapement::control {

/// d/dt output = rate · (function(gain · input + feedback · output) − decay · output).
struct NonlinearLag {
  double gain, feedback;
  std::variant<Map::Function, std::shared_ptr<const TablePieces>> function;
  double rate, decay;
};
/// The block, part by part; the output starts at `initial.output`, or at `start`.
void build_nonlinear_lag(Build& b, const NonlinearLag& lag, double start);

}  // namespace escapement::control
