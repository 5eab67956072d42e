// Dense LU with partial pivoting (Eigen) for small systems, on row-equilibrated values.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "sparse/linear_solver.hpp"

namespace escapement {
namespace {

class DenseSolver final : public LinearSolver {
 public:
  void analyze(const Pattern& pattern, std::span<const int>) override {
    pattern_ = pattern;
    matrix_.setZero(pattern.n, pattern.n);
    lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(pattern.n);
    scale_.setOnes(pattern.n);
    x_.setZero(pattern.n);
  }

  Factorization factor(std::span<const double> values) override {
    const int n = pattern_.n;
    factored_ = true;
    scale_.setZero();
    for (int j = 0; j < n; ++j)
      for (int k = pattern_.column_begin[j]; k < pattern_.column_begin[j + 1]; ++k)
        scale_[pattern_.row[k]] = std::max(scale_[pattern_.row[k]], std::abs(values[k]));
    bool fit = true;
    for (int i = 0; i < n; ++i) {
      fit = fit && scale_[i] > 0 && std::isfinite(scale_[i]);
      scale_[i] = fit ? 1.0 / scale_[i] : 1.0;
    }
    if (fit) {
      matrix_.setZero();
      for (int j = 0; j < n; ++j)
        for (int k = pattern_.column_begin[j]; k < pattern_.column_begin[j + 1]; ++k)
          matrix_(pattern_.row[k], j) = values[k] * scale_[pattern_.row[k]];
      lu_.compute(matrix_);
      ++pivotings_;
      // A pivot at rounding level against its own column means dependence.
      for (int j = 0; j < n && fit; ++j) {
        const double column = lu_.matrixLU().col(j).head(j + 1).cwiseAbs().maxCoeff();
        fit = std::abs(lu_.matrixLU()(j, j)) > 1e-14 * column;
      }
    }
    if (!fit) return singular(values, -1);
    return {};
  }

  void solve(std::span<double> b) override {
    Eigen::Map<Eigen::VectorXd> rhs(b.data(), pattern_.n);
    x_ = rhs.cwiseProduct(scale_);
    // In place: permute, forward, back (no temporaries).
    rhs = lu_.permutationP() * x_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(rhs);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(rhs);
  }

  void archive(Archive& a, std::span<const double> values) override {
    long pivots = pivotings_;
    a(pivots, factored_);
    if (!a.reading()) return;
    if (factored_) factor(values);
    pivotings_ = pivots;
  }
  const char* name() const override { return "dense"; }
  long pivotings() const override { return pivotings_; }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd scale_, x_;
  bool factored_ = false;
  long pivotings_ = 0;
};

std::vector<int> largest_parts(const Eigen::VectorXd& v) {
  std::vector<int> order(v.size());
  for (int i = 0; i < static_cast<int>(order.size()); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(v[a]) > std::abs(v[b]); });
  const double top = v.size() > 0 ? std::abs(v[order[0]]) : 0;
  while (!order.empty() && std::abs(v[order.back()]) < 1e-3 * top) order.pop_back();
  return order;
}

}  // namespace

std::unique_ptr<LinearSolver> make_dense_solver() { return std::make_unique<DenseSolver>(); }

std::unique_ptr<LinearSolver> make_solver(int n) {
  return n <= dense_limit ? make_dense_solver() : make_klu_solver();
}

Factorization LinearSolver::singular(std::span<const double> values, int hint_column) const {
  return explains_ ? diagnose_singular(pattern_, values, hint_column) : Factorization{false, {}, {}};
}

Factorization diagnose_singular(const Pattern& pattern, std::span<const double> values, int hint_column) {
  Factorization result{false, {}, {}};
  // Structurally or numerically empty rows and columns, and entries that are no numbers, explain themselves.
  std::vector<double> row_max(pattern.n, 0.0), column_max(pattern.n, 0.0);
  for (int j = 0; j < pattern.n; ++j)
    for (int k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const double x = std::abs(values[k]);
      if (!std::isfinite(x)) return {false, {pattern.row[k]}, {j}};
      row_max[pattern.row[k]] = std::max(row_max[pattern.row[k]], x);
      column_max[j] = std::max(column_max[j], x);
    }
  for (int i = 0; i < pattern.n; ++i) {
    if (row_max[i] == 0) result.singular_rows.push_back(i);
    if (column_max[i] == 0) result.singular_columns.push_back(i);
  }
  if (!result.singular_rows.empty() || !result.singular_columns.empty()) return result;
  if (pattern.n > 1500) {
    if (hint_column >= 0) result.singular_columns.push_back(hint_column);
    return result;
  }
  // Equilibrated rank-revealing elimination; the null vectors show who depends on whom.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  for (int j = 0; j < pattern.n; ++j)
    for (int k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k)
      A(pattern.row[k], j) = values[k] / row_max[pattern.row[k]];
  Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
  lu.setThreshold(1e-12);
  if (lu.dimensionOfKernel() > 0) result.singular_columns = largest_parts(lu.kernel().col(0));
  Eigen::FullPivLU<Eigen::MatrixXd> left(A.transpose());
  left.setThreshold(1e-12);
  if (left.dimensionOfKernel() > 0) result.singular_rows = largest_parts(left.kernel().col(0));
  if (result.singular_columns.empty() && hint_column >= 0) result.singular_columns.push_back(hint_column);
  return result;
}

}  // namespace escapement
