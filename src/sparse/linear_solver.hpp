// One interface to factor and solve A x = b on a fixed pattern; the back end is chosen by size.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "sparse/pattern.hpp"

namespace escapement {

/// Outcome of a factorisation. A singular matrix names the rows and columns that depend on each other.
struct Factorization {
  bool ok = true;
  std::vector<int> singular_rows;     // largest part in the left null vector first
  std::vector<int> singular_columns;  // largest part in the right null vector first
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// Fixes the pattern and allocates everything that factor and solve need. `order`: of elimination, empty: the solver's own.
  virtual void analyze(const Pattern& pattern, std::span<const int> order = {}) = 0;
  /// Factors the values (in the pattern's order). Reuses the pivots while they hold, anew when they do not.
  /// The values must stay where they are until the first solve.
  virtual Factorization factor(std::span<const double> values) = 0;
  /// Replaces b by A⁻¹ b. After new pivots, or where old ones look worse, the first solve is checked by its backward
  /// error, refined, and at last factored anew.
  virtual void solve(std::span<double> b) = 0;
  /// The values changed wildly, or solutions look poor: the next factorisation's first solve is checked.
  virtual void distrust() {}
  virtual const char* name() const = 0;
  /// Saves what has been factored, or factors the same again, with the same pivots; `values` as given to factor().
  virtual void archive(Archive& a, std::span<const double> values) = 0;
  /// Full factorisations with new pivots so far (the others reused pivots).
  virtual long pivotings() const = 0;
  const Pattern& pattern() const { return pattern_; }
  /// Does anybody ask why a matrix is singular? Telling takes long.
  void explain(bool wanted) { explains_ = wanted; }

 protected:
  Factorization singular(std::span<const double> values, int hint_column) const;
  Pattern pattern_;

 private:
  bool explains_ = true;
};

std::unique_ptr<LinearSolver> make_dense_solver();
std::unique_ptr<LinearSolver> make_klu_solver();
/// Dense up to `dense_limit` unknowns, KLU above (measured crossing, benchmarks/solver_crossing).
inline constexpr int dense_limit = 12;
std::unique_ptr<LinearSolver> make_solver(int n);

/// An order of elimination for little fill; nodes and their sorted neighbours, both ways.
std::vector<int> minimum_degree(const std::vector<std::vector<int>>& neighbours);

/// Rows and columns of (numerical) dependence, for messages: null vectors of the matrix by rank-revealing
/// elimination up to 1500 unknowns; above, the column at which the back end gave up.
Factorization diagnose_singular(const Pattern& pattern, std::span<const double> values, int hint_column);

}  // namespace escapement
