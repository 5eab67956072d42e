// Decompositions of dense complex matrices, compiled once and apart: Eigen's are long templates.
#pragma once
#include <Eigen/Core>

namespace escapement {

/// T = U R Uᴴ, R upper triangular.
struct Schur {
  explicit Schur(const Eigen::MatrixXcd& T);
  Eigen::MatrixXcd U, R;
};

/// The singular values of M, largest first, and the directions V that it stretches by them.
struct SingularValues {
  explicit SingularValues(const Eigen::MatrixXcd& M);
  Eigen::VectorXd values;
  Eigen::MatrixXcd V;
};

/// The direction that a nearly singular matrix makes smallest, of length 1: three steps of inverse iteration.
Eigen::VectorXcd smallest_by_iteration(const Eigen::MatrixXcd& M);

}  // namespace escapement
