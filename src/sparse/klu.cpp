// KLU (SuiteSparse): sparse LU for circuit- and mechanism-like matrices, with reused pivots.
#include <amd.h>
#include <klu.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "sparse/linear_solver.hpp"

namespace escapement {
namespace {

class KluSolver final : public LinearSolver {
 public:
  KluSolver() {
    klu_defaults(&common_);
    common_.halt_if_singular = 1;
  }
  ~KluSolver() override { release(); }
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;

  void analyze(const Pattern& pattern, std::span<const int> order) override {
    release();
    pattern_ = pattern;
    rhs_.assign(pattern.n, 0.0);
    residual_.assign(pattern.n, 0.0);
    if (order.empty()) {
      order_anew();
      return;
    }
    given_order_ = true;
    common_.tol = diagonal_preference;
    std::vector<int> rows(order.begin(), order.end());
    symbolic_ = klu_analyze_given(pattern.n, pattern_.column_begin.data(), pattern_.row.data(), rows.data(),
                                  rows.data(), &common_);
    if (symbolic_ == nullptr && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (symbolic_ == nullptr) order_anew();
  }

  Factorization factor(std::span<const double> values) override {
    values_ = values;
    if (structurally_singular_) return singular(values_, -1);
    if (numeric_ != nullptr) {  // the same pivots, while they hold
      const int done = klu_refactor(pattern_.column_begin.data(), pattern_.row.data(), raw_values(),
                                    symbolic_, numeric_, &common_);
      if (done && common_.status == KLU_OK && klu_rcond(symbolic_, numeric_, &common_) &&
          common_.rcond > 1e-13) {
        // Pivots that shrink against the largest are growth of the others: then the next solve is checked, and
        // now and then in any case.
        unchecked_ = distrusted_ || common_.rcond < 0.1 * rcond_ || ++refactorings_ % 16 == 0;
        distrusted_ = false;
        reused_ = true;
        return {};
      }
    }
    return factor_anew();
  }

  void solve(std::span<double> b) override {
    if (!unchecked_) {
      klu_solve(symbolic_, numeric_, pattern_.n, 1, b.data(), &common_);
      return;
    }
    unchecked_ = false;
    std::copy(b.begin(), b.end(), rhs_.begin());
    klu_solve(symbolic_, numeric_, pattern_.n, 1, b.data(), &common_);
    if (backward_error(b) > 1e-12) {  // one step of iterative refinement, then new pivots
      refine(b);
      if (backward_error(b) > 1e-12 && factor_anew().ok) {
        std::copy(rhs_.begin(), rhs_.end(), b.begin());
        klu_solve(symbolic_, numeric_, pattern_.n, 1, b.data(), &common_);
        if (backward_error(b) > 1e-12) refine(b);
      }
    }
  }

  void distrust() override { distrusted_ = true; }
  void archive(Archive& a, std::span<const double> values) override {
    const bool had_order = given_order_;
    bool is_factored = numeric_ != nullptr, checking = unchecked_, wary = distrusted_, orders = given_order_,
         reused = reused_;
    double rcond = rcond_;
    long again = refactorings_, pivots = pivotings_;
    std::vector<double> own = pivoted_;
    a(is_factored, checking, wary, orders, reused, rcond, again, pivots, pivoted_);
    if (!a.reading()) return;
    if (!is_factored) pivoted_.swap(own);  // whatever has been factored meanwhile is as good as anything
    if (is_factored && pivoted_.size() != values.size()) throw ArchiveError("a matrix of another system");
    if (had_order && !orders) order_anew();
    if (is_factored) {
      const std::vector<double> first = pivoted_;
      values_ = first;
      if (!factor_anew().ok) throw ArchiveError("its matrix is singular");
      values_ = values;
      if (reused)
        klu_refactor(pattern_.column_begin.data(), pattern_.row.data(), raw_values(), symbolic_, numeric_,
                     &common_);
      reused_ = reused;
    }
    values_ = values;
    unchecked_ = checking;
    distrusted_ = wary;
    rcond_ = rcond;
    refactorings_ = again;
    pivotings_ = pivots;
  }
  const char* name() const override { return "KLU"; }
  long pivotings() const override { return pivotings_; }

 private:
  /// A given order has its pivots on the diagonal; one off it costs fill.
  static constexpr double diagonal_preference = 1e-5;

  /// KLU's own order, with its usual pivoting.
  void order_anew() {
    release();
    given_order_ = false;
    common_.tol = 1e-3;
    symbolic_ = klu_analyze(pattern_.n, pattern_.column_begin.data(), pattern_.row.data(), &common_);
    structurally_singular_ = symbolic_ == nullptr && common_.status == KLU_SINGULAR;
    if (symbolic_ == nullptr && !structurally_singular_) throw std::bad_alloc();
  }
  double* raw_values() { return const_cast<double*>(values_.data()); }  // KLU's C interface lacks const
  Factorization factor_anew() {
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    numeric_ =
        klu_factor(pattern_.column_begin.data(), pattern_.row.data(), raw_values(), symbolic_, &common_);
    ++pivotings_;
    pivoted_.assign(values_.begin(), values_.end());
    reused_ = false;
    if (numeric_ != nullptr && klu_rcond(symbolic_, numeric_, &common_) &&
        (common_.rcond > 1e-15 || pivots_fit_their_columns())) {
      unchecked_ = true;
      rcond_ = common_.rcond;
      return {};
    }
    if (numeric_ == nullptr && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (given_order_) {  // perhaps only its pivots are poor
      order_anew();
      return factor_anew();
    }
    const int column = common_.singular_col < pattern_.n ? common_.singular_col : -1;
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    return singular(values_, column);
  }

  /// Pivots of columns in other units differ, however small they are: only one at rounding level against its own column
  /// means dependence (T-pivot).
  bool pivots_fit_their_columns() {
    const int n = pattern_.n, entries = static_cast<int>(numeric_->unz);
    std::vector<int> begin(n + 1), row(entries);
    std::vector<double> U(entries);
    if (!klu_extract(numeric_, symbolic_, nullptr, nullptr, nullptr, begin.data(), row.data(), U.data(),
                     nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &common_))
      return false;
    for (int j = 0; j < n; ++j) {
      double pivot = 0, column = 0;
      for (int k = begin[j]; k < begin[j + 1]; ++k) {
        column = std::max(column, std::abs(U[k]));
        if (row[k] == j) pivot = std::abs(U[k]);
      }
      if (!(pivot > 1e-14 * column)) return false;
    }
    return true;
  }

  /// max |b - A x| / (|A| |x| + |b|), in the maximum norm; leaves b - A x in residual_.
  double backward_error(std::span<const double> x) {
    std::copy(rhs_.begin(), rhs_.end(), residual_.begin());
    double r = 0, xs = 0, bs = 0, as = 0;
    for (int j = 0; j < pattern_.n; ++j)
      for (int k = pattern_.column_begin[j]; k < pattern_.column_begin[j + 1]; ++k) {
        residual_[pattern_.row[k]] -= values_[k] * x[j];
        as = std::max(as, std::abs(values_[k]));
      }
    for (int i = 0; i < pattern_.n; ++i) {
      r = std::max(r, std::abs(residual_[i]));
      xs = std::max(xs, std::abs(x[i]));
      bs = std::max(bs, std::abs(rhs_[i]));
    }
    return r / (as * xs + bs + 1e-300);
  }

  void refine(std::span<double> x) {
    klu_solve(symbolic_, numeric_, pattern_.n, 1, residual_.data(), &common_);
    for (int i = 0; i < pattern_.n; ++i) x[i] += residual_[i];
  }

  void release() {
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }

  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  std::span<const double> values_;  // the caller's, while the factorisation is unchecked
  std::vector<double> rhs_, residual_;
  std::vector<double> pivoted_;  // the values for which the pivots were chosen
  bool structurally_singular_ = false, given_order_ = false;
  bool unchecked_ = false, distrusted_ = false,
       reused_ = false;  // reused: factored since with the same pivots
  double rcond_ = 0;     // of the last full factorisation
  long refactorings_ = 0;
  long pivotings_ = 0;
};

}  // namespace

std::vector<int> minimum_degree(const std::vector<std::vector<int>>& neighbours) {
  const int n = static_cast<int>(neighbours.size());
  std::vector<int> begin(n + 1, 0), entries, order(n);
  for (int i = 0; i < n; ++i) begin[i + 1] = begin[i] + static_cast<int>(neighbours[i].size());
  entries.reserve(begin[n]);
  for (const auto& list : neighbours) entries.insert(entries.end(), list.begin(), list.end());
  entries.push_back(0);  // never empty
  if (amd_order(n, begin.data(), entries.data(), order.data(), nullptr, nullptr) < AMD_OK)
    throw std::bad_alloc();
  return order;
}

std::unique_ptr<LinearSolver> make_klu_solver() { return std::make_unique<KluSolver>(); }

}  // namespace escapement
