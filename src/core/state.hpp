// State: everything that time advances, as plain data. Copying it is checkpoint and rollback.
#pragma once
#include <vector>

namespace escapement {

struct State {
  double t = 0;
  std::vector<double> value;         // q, x, y, λ, μ; placed by Variable::value
  std::vector<double> rate;          // v of position rows, ṡ (rate of the store) of state rows
  std::vector<double> acceleration;  // v̇ of position rows
  std::vector<double> store;   // s of state rows, indexed by row - first state row: what is integrated, so a
                               // value of x set by hand counts only after GeneralizedAlpha::restart
  std::vector<double> memory;  // what elements remember between accepted steps
};

}  // namespace escapement
