// Eigenvalues and bases of matrices that are not sparse.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sparse/eigenvalues.hpp"

namespace escapement {

using Matrix = Eigen::MatrixXd;

bool larger(const EigenPair& a, const EigenPair& b) {
  const double x = std::abs(a.value), y = std::abs(b.value);
  return x != y ? x > y : a.value.real() > b.value.real();
}

std::vector<EigenPair> all_eigenpairs(std::span<const double> matrix) {
  const int n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  std::vector<EigenPair> pairs;
  if (n == 0) return pairs;
  const Eigen::EigenSolver<Matrix> solver(Eigen::Map<const Matrix>(matrix.data(), n, n));
  if (solver.info() != Eigen::Success) return pairs;
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  for (int i = 0; i < n; ++i)
    if (solver.eigenvalues()[i].imag() >= 0)
      pairs.push_back({solver.eigenvalues()[i], {vectors.col(i).begin(), vectors.col(i).end()}});
  std::stable_sort(pairs.begin(), pairs.end(), larger);
  return pairs;
}

std::vector<double> null_space(std::span<const double> rows, int columns) {
  const int count = static_cast<int>(rows.size()) / columns;
  Matrix basis = Matrix::Identity(columns, columns);
  if (count > 0) {
    Matrix A = Eigen::Map<const Matrix>(rows.data(), columns, count);  // transposed: rows as columns
    for (int i = 0; i < count; ++i)
      if (const double size = A.col(i).norm(); size > 0) A.col(i) /= size;
    Eigen::ColPivHouseholderQR<Matrix> qr(A);
    qr.setThreshold(1e-9);
    const Matrix all = qr.householderQ();
    basis = all.rightCols(columns - qr.rank());
  }
  return {basis.data(), basis.data() + basis.size()};
}

std::vector<std::vector<double>> independent(const std::vector<EigenPair>& pairs, double least) {
  std::vector<std::vector<double>> result;
  if (pairs.empty()) return result;
  const int n = static_cast<int>(pairs.front().vector.size());
  Matrix all(n, 2 * pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Eigen::Map<const Eigen::VectorXcd> z(pairs[i].vector.data(), n);
    all.col(2 * i) = z.real() / z.norm();
    all.col(2 * i + 1) = z.imag() / z.norm();
  }
  Eigen::ColPivHouseholderQR<Matrix> qr(all);
  qr.setThreshold(least);
  Matrix Q = qr.householderQ() * Matrix::Identity(n, qr.rank());
  for (int i = 0; i < qr.rank(); ++i) result.emplace_back(Q.col(i).data(), Q.col(i).data() + n);
  return result;
}

}  // namespace escapement
