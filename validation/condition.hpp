// The condition number of a stepper's iteration matrix, in the 2-norm.
#pragma once
#include <Eigen/Dense>

#include "steppers/generalized_alpha.hpp"

namespace escapement::validation {

inline double condition(const Eigen::MatrixXd& A) {
  const auto values = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
  return values[0] / values[A.rows() - 1];
}

inline double iteration_condition(GeneralizedAlpha& stepper, const System& system, const State& state) {
  const Pattern& p = system.pattern();
  std::vector<double> values(p.nonzeros());
  stepper.iteration_matrix(state, values);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(p.n, p.n);
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) A(p.row[k], j) = values[k];
  return condition(A);
}

}  // namespace escapement::validation
