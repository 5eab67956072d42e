// Eigenvalues of largest magnitude of an operator that is known by what it does to vectors; and all of a small matrix.
#pragma once
#include <complex>
#include <functional>
#include <span>
#include <vector>

namespace escapement {

/// y = T x.
using LinearOperator = std::function<void(std::span<const double> x, std::span<double> y)>;

struct EigenPair {
  std::complex<double> value;
  std::vector<std::complex<double>> vector;
};

/// The order of all lists of them: by magnitude.
bool larger(const EigenPair& a, const EigenPair& b);

/// So many eigenvalues of largest magnitude, largest first; of a complex pair the one above the real axis stands for both. `start`
/// lies in the space that T maps to. Eigenvalues that several vectors share are all there. Fewer than asked for: these are all
/// that could be had.
std::vector<EigenPair> largest_eigenpairs(const LinearOperator& T, int count, std::span<const double> start);

/// The same of an operator that is self-adjoint in the inner product x·metric(y), which may be semidefinite: all are real.
std::vector<EigenPair> largest_symmetric_eigenpairs(const LinearOperator& T, const LinearOperator& metric,
                                                    int count, std::span<const double> start);

/// All eigenvalues of a square matrix, column by column, largest first; of complex pairs the upper one.
std::vector<EigenPair> all_eigenpairs(std::span<const double> matrix);

/// An orthonormal basis, vector after vector, of what all these rows (each as long as a vector) are orthogonal to.
std::vector<double> null_space(std::span<const double> rows, int columns);

/// An orthonormal basis of the real vectors that the real and imaginary parts of these span, up to `tolerance` of their size.
std::vector<std::vector<double>> independent(const std::vector<EigenPair>& pairs, double tolerance);

}  // namespace escapement
