#include "sparse/rank.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

namespace escapement {

RowRank row_rank(int rows, int columns, const std::vector<RowEntry>& entries, double tolerance,
                 int most_dependencies) {
  RowRank result;
  if (rows == 0) return result;
  std::vector<double>& size = result.size;
  size.assign(rows, 0.0);
  for (const RowEntry& e : entries) size[e.row] += e.value * e.value;
  for (double& s : size) s = std::sqrt(s);
  // The rows as columns: what orthogonal elimination leaves of each is what the ones before it do not span.
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const RowEntry& e : entries)
    if (size[e.row] > 0) triplets.emplace_back(e.column, e.row, e.value / size[e.row]);
  Eigen::SparseMatrix<double> A(std::max(columns, rows), rows);
  A.setFromTriplets(triplets.begin(), triplets.end());
  A.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(A);
  const int rank = result.rank = static_cast<int>(qr.rank());
  if (rank == rows) return result;

  const Eigen::SparseMatrix<double> R = qr.matrixR();
  const auto permutation = qr.colsPermutation().indices();  // column k of R is row permutation[k]
  const Eigen::SparseMatrix<double> leading = R.topLeftCorner(rank, rank);
  for (int k = rank; k < rows && k - rank < most_dependencies; ++k) {
    Eigen::VectorXd y = Eigen::VectorXd(R.col(k)).head(rank);
    leading.triangularView<Eigen::Upper>().solveInPlace(y);
    Dependency d;
    const double largest = std::max(1.0, rank > 0 ? y.cwiseAbs().maxCoeff() : 0.0);
    for (int i = 0; i < rank; ++i)
      if (std::abs(y[i]) > 1e-7 * largest) d.parts.push_back({permutation[i], -y[i]});
    d.parts.push_back({permutation[k], 1.0});
    std::stable_sort(d.parts.begin(), d.parts.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
    const double top = d.parts.front().weight;
    for (auto& part : d.parts) part.weight /= top;
    result.dependencies.push_back(std::move(d));
  }
  return result;
}

}  // namespace escapement
