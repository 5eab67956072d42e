// The softest directions of a Schur complement, followed while its matrix changes: inverse subspace iteration.
#pragma once
#include <span>
#include <vector>

#include "sparse/linear_solver.hpp"

namespace escapement {

/// Of [A Bᵀ; B −ε], rows from `first` on being the lower ones: small eigenvalues of D⁻½ (B A⁻¹ Bᵀ + ε) D⁻½.
class SoftDirections {
 public:
  /// `count` vectors are carried, fewer if there are fewer rows.
  SoftDirections(int n, int first, int count);
  int count() const { return static_cast<int>(pairs_.size()); }
  /// One step of the iteration; `scale` is D by row of the whole matrix.
  void iterate(LinearSolver& factored, std::span<const double> scale);

  struct Pair {
    double eigenvalue = 0;
    int before = -1;            // which pair of the step before it continues
    std::vector<double> lower;  // eigenvector, by row from `first` on
    std::vector<double> upper;  // A⁻¹ Bᵀ times it, the motion that belongs to it (up to sign)
    void archive(Archive& a) { a(eigenvalue, before, lower, upper); }
  };
  /// By eigenvalue, the smallest first.
  const std::vector<Pair>& pairs() const { return pairs_; }
  void archive(Archive& a) { a(pairs_, next_, noise_); }

 private:
  int n_, first_;
  std::vector<Pair> pairs_, next_;
  std::vector<std::vector<double>> solved_;
  unsigned noise_ = 1;
};

}  // namespace escapement
