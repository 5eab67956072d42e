#include "sparse/rank.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "sparse/linear_solver.hpp"

namespace escapement {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

/// L Lᵀ of a Gram matrix, row by row; a row of which nothing is left is told apart and stays out.
class Elimination {
 public:
  Elimination(const Matrix& gram, double tolerance) : n_(static_cast<int>(gram.rows())) {
    // The elimination tree of the upper triangle.
    std::vector<int> parent(n_, -1), ancestor(n_, -1), mark(n_, -1), path(n_), stack(n_);
    for (int k = 0; k < n_; ++k)
      for (Matrix::InnerIterator it(gram, k); it; ++it)
        for (int i = static_cast<int>(it.row()); i >= 0 && i < k;) {
          const int next = ancestor[i];
          ancestor[i] = k;
          if (next < 0) parent[i] = k;
          i = next;
        }
    columns_.resize(n_);
    diagonal_.assign(n_, 0.0);
    std::vector<double> x(n_, 0.0);
    for (int k = 0; k < n_; ++k) {
      int top = n_;  // stack[top…]: columns that meet row k, in the order of the tree
      mark[k] = k;
      double left = 0;
      for (Matrix::InnerIterator it(gram, k); it; ++it) {
        int i = static_cast<int>(it.row());
        if (i > k) continue;
        if (i == k) {
          left = it.value();
          continue;
        }
        x[i] = it.value();
        int length = 0;
        for (; mark[i] != k; i = parent[i]) {
          path[length++] = i;
          mark[i] = k;
        }
        while (length > 0) stack[--top] = path[--length];
      }
      std::vector<Part> row;
      for (; top < n_; ++top) {
        const int j = stack[top];
        const double value = x[j];
        x[j] = 0;
        if (diagonal_[j] == 0) continue;  // depends on others
        const double l = value / diagonal_[j];
        for (const Part& p : columns_[j]) x[p.row] -= p.value * l;
        left -= l * l;
        row.push_back({j, l});
      }
      if (left > tolerance) {
        for (const Part& p : row) columns_[p.row].push_back({k, p.value});
        diagonal_[k] = std::sqrt(left);
      } else {
        dependent_.push_back({k, std::move(row)});
      }
    }
  }

  struct Part {
    int row;
    double value;
  };
  struct Row {
    int index;
    std::vector<Part> l;  // L⁻¹ of its products with the others
  };
  const std::vector<Row>& dependent() const { return dependent_; }
  /// Row `index` = Σ weight · others.
  std::vector<double> combination(const Row& row) const {
    std::vector<double> c(n_, 0.0);
    for (const Part& p : row.l) c[p.row] = p.value;
    for (int j = n_ - 1; j >= 0; --j) {
      if (diagonal_[j] == 0) continue;
      for (const Part& p : columns_[j]) c[j] -= p.value * c[p.row];
      c[j] /= diagonal_[j];
    }
    return c;
  }

 private:
  int n_;
  std::vector<std::vector<Part>> columns_;  // below the diagonal
  std::vector<double> diagonal_;            // 0: the row depends on others
  std::vector<Row> dependent_;
};

}  // namespace

RowRank row_rank(int rows, int columns, const std::vector<RowEntry>& entries, double tolerance,
                 int most_dependencies) {
  RowRank result;
  std::vector<double>& size = result.size;
  size.assign(rows, 0.0);
  for (const RowEntry& e : entries) size[e.row] += e.value * e.value;
  for (double& s : size) s = std::sqrt(s);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const RowEntry& e : entries)
    if (size[e.row] > 0) triplets.emplace_back(e.row, e.column, e.value / size[e.row]);
  Matrix A(rows, columns);
  A.setFromTriplets(triplets.begin(), triplets.end());
  const Matrix gram = A * Matrix(A.transpose());
  std::vector<std::vector<int>> neighbours(rows);
  for (int k = 0; k < rows; ++k)
    for (Matrix::InnerIterator it(gram, k); it; ++it)
      if (it.row() != k) neighbours[k].push_back(static_cast<int>(it.row()));
  const std::vector<int> first = minimum_degree(neighbours);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(rows);
  for (int k = 0; k < rows; ++k)
    order.indices()[k] = first[k];  // column k of the ordered matrix is row first[k]
  Matrix ordered;
  ordered = gram.twistedBy(order.inverse());
  const std::vector<int>& original = first;
  const Elimination elimination(ordered, tolerance);
  result.rank = rows - static_cast<int>(elimination.dependent().size());
  for (const auto& row : elimination.dependent()) {
    if (static_cast<int>(result.dependencies.size()) >= most_dependencies) break;
    const std::vector<double> c = elimination.combination(row);
    Dependency d;
    double largest = 1;
    for (double x : c) largest = std::max(largest, std::abs(x));
    for (int i = 0; i < rows; ++i)
      if (std::abs(c[i]) > 1e-6 * largest) d.parts.push_back({original[i], -c[i] / largest});
    d.parts.push_back({original[row.index], 1 / largest});
    std::stable_sort(d.parts.begin(), d.parts.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
    result.dependencies.push_back(std::move(d));
  }
  return result;
}

}  // namespace escapement
