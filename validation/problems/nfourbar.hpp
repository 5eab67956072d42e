// IFToMM A02 as a ladder of runs: the top of the first upright at the end, and at times in between.
#pragma once
#include "mechanism.hpp"

namespace escapement::validation::problems {

/// Position and velocity of B0 at t = 1, 5, 10 s with these numbers of steps.
inline Extrapolation n_four_bar(int N, const std::vector<int>& ladder, ConstraintForm form) {
  Mechanism m("B2_nfourbar", {{"N", std::to_string(N)}});
  m.options.constraints = form;
  m.options.newton.keep_matrix = form == ConstraintForm::index3;
  if (N > 2)
    m.options.newton.tolerance =
        1e-10;  // the usual one: next to the singular positions rounding allows no better
  Extrapolation e;
  for (int n : ladder) {
    std::vector<double> values;
    double violation = 0, next = 0.1;
    int step = 0;
    m.run(constant_steps(10, n), [&](const State& s) {
      for (int t : {1, 5, 10})
        if (step * 10 == t * n)
          for (const char* part : {"position.x", "position.y", "velocity.x", "velocity.y"})
            values.push_back(m(s, std::string("upright.0.top.") + part) +
                             (part[9] == 'x' && part[0] == 'p' ? 0.5 * N : 0));
      if (s.t >= next) violation = std::max(violation, m.violation(s)), next += 0.1;
      ++step;
    });
    CHECK(violation < 1e-12);
    e.add(10.0 / n, values);
  }
  return e;
}

}  // namespace escapement::validation::problems
