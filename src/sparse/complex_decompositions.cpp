#include "sparse/complex_decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

namespace escapement {

Schur::Schur(const Eigen::MatrixXcd& T) {
  const Eigen::ComplexSchur<Eigen::MatrixXcd> schur(T);
  U = schur.matrixU();
  R = schur.matrixT();
}

SingularValues::SingularValues(const Eigen::MatrixXcd& M) {
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(M, Eigen::ComputeFullV);
  values = svd.singularValues();
  V = svd.matrixV();
}

Eigen::VectorXcd smallest_by_iteration(const Eigen::MatrixXcd& M) {
  const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(M);
  Eigen::VectorXcd z = Eigen::VectorXcd::Ones(M.rows());
  for (int i = 0; i < 3; ++i) z = lu.solve(z).normalized();
  return z;
}

}  // namespace escapement
