// What variational steps carry on beside the state.
#pragma once
#include <vector>

#include "base/archive.hpp"

namespace escapement {

struct VariationalHistory {
  std::vector<double> p;        // momenta, after the impulses that make Φ̇ = 0
  std::vector<double> impulse;  // … and these, by row
  std::vector<double> half;     // velocity of the last step
  std::vector<double> bend;   // v_{n+1} + v_n − 2 v_{n+½}: where velocities are not the mean of their ends
  std::vector<double> slope;  // of x, y, λ over the last step
  double bend_step = 0, bend_age = 0;  // of the step it is from, and how long ago that was
  double step = 0;                     // the last one
  std::vector<double> stiffness;       // 1/s, of the states: so fast they decay by themselves
  std::vector<double> largest;         // sizes of unknowns and velocities so far (Sizes)
  bool fresh = true, started = false;
  bool jumped = false;  // multipliers did, since the last step
  bool bent = false;    // do signals or states read accelerations?
  bool driven = false;  // do stores change with velocities?
  void archive(Archive& a) {
    a(p, impulse, half, bend, slope, bend_step, bend_age, step, stiffness, largest, fresh, started, jumped,
      bent, driven);
  }
};

}  // namespace escapement
