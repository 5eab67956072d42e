// The only file that knows Spectra.
#include "sparse/eigenvalues.hpp"

#include <Eigen/LU>
#include <Spectra/GenEigsSolver.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>
#include <cmath>

namespace escapement {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double tolerance = 1e-12;  // of Ritz values, relative

std::span<const double> view(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
std::span<double> view(Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

/// An operator as Spectra wants it, without what has been found already: x ↦ (I − Q Pᵀ) T x, Pᵀ Q = I.
struct Rest {
  using Scalar = double;
  const LinearOperator& T;
  int n;
  const Matrix *Q = nullptr, *P = nullptr;

  Eigen::Index rows() const { return n; }
  Eigen::Index cols() const { return n; }
  void set_shift(double) {}  // it has its shift
  void perform_op(const double* in, double* out) const {
    T({in, static_cast<std::size_t>(n)}, {out, static_cast<std::size_t>(n)});
    if (!Q || Q->cols() == 0) return;
    Eigen::Map<Vector> y(out, n);
    for (int twice = 0; twice < 2; ++twice) {
      const Vector part = P->transpose() * y;
      y.noalias() -= *Q * part;
    }
  }
};
/// The inner product.
struct Metric {
  using Scalar = double;
  const LinearOperator& M;
  int n;
  Eigen::Index rows() const { return n; }
  Eigen::Index cols() const { return n; }
  void perform_op(const double* in, double* out) const {
    M({in, static_cast<std::size_t>(n)}, {out, static_cast<std::size_t>(n)});
  }
};

EigenPair pair_of(std::complex<double> value, const Eigen::VectorXcd& vector) {
  return {value, std::vector<std::complex<double>>(vector.data(), vector.data() + vector.size())};
}

/// A vector that begins a search: what the operator makes of the start, or of another one for later searches.
Vector beginning(const Rest& op, std::span<const double> start, int round) {
  Vector x(op.n), y(op.n);
  for (int i = 0; i < op.n; ++i)
    x[i] = start[i] * (1 + 0.5 * round * std::sin(1.0 + 7.3 * round + 2.7 * i * (1 + 0.01 * round)));
  op.perform_op(x.data(), y.data());
  return y;
}

/// Adds a vector to an orthonormal basis unless it lies in it.
bool extend(Matrix& Q, Vector x) {
  const double size = x.norm();
  if (!(size > 0)) return false;
  for (int twice = 0; twice < 2; ++twice) x -= Q * (Q.transpose() * x);
  if (!(x.norm() > 1e-9 * size)) return false;
  Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
  Q.col(Q.cols() - 1) = x / x.norm();
  return true;
}

/// Are all that are wanted there? A search without them has found nothing larger than the last of them.
bool complete(const std::vector<EigenPair>& found, int count, double next) {
  return static_cast<int>(found.size()) >= count && next <= std::abs(found[count - 1].value) * (1 - 1e-9);
}

}  // namespace

std::vector<EigenPair> largest_eigenpairs(const LinearOperator& T, int count, std::span<const double> start) {
  const int n = static_cast<int>(start.size());
  // What has been found spans Q; the search goes on in what is left, until that holds nothing larger.
  Matrix Q(n, 0), TQ(n, 0);
  std::vector<EigenPair> found;
  const Rest rest{T, n, &Q, &Q};
  for (int round = 0; round < 12; ++round) {
    const int left = n - static_cast<int>(Q.cols());
    const int more = std::max(2, count - static_cast<int>(found.size()));
    const int wanted = std::min(round == 0 ? 2 * count : 2 * more, left - 2);
    if (wanted < 1) break;
    const int room = std::min(left, std::max(2 * wanted + 1, 20));
    Spectra::GenEigsSolver<Rest> solver(const_cast<Rest&>(rest), wanted, std::max(room, wanted + 2));
    const Vector x = beginning(rest, start, round);
    if (!(x.norm() > 0)) break;
    solver.init(x.data());
    solver.compute(Spectra::SortRule::LargestMagn, 1000, tolerance);
    const Eigen::VectorXcd values = solver.eigenvalues();
    if (values.size() == 0) break;
    const double next = values.cwiseAbs().maxCoeff();
    if (complete(found, count, next)) break;
    const Eigen::MatrixXcd vectors = solver.eigenvectors();
    const int known = static_cast<int>(Q.cols());
    const Matrix S = known ? Matrix(Q.transpose() * TQ) : Matrix();
    for (int i = 0; i < values.size(); ++i) {
      if (values[i].imag() < 0) continue;
      Eigen::VectorXcd z = vectors.col(i);
      if (known) {  // the part in Q: (θ − S) c = Qᵀ T z
        Vector re = z.real(), im = z.imag(), a(n), b(n);
        T(view(re), view(a));
        T(view(im), view(b));
        const Matrix basis = Q.leftCols(known);
        const Vector in_a = basis.transpose() * a, in_b = basis.transpose() * b;
        const Eigen::VectorXcd rhs = in_a + Complex(0, 1) * in_b;
        const Eigen::MatrixXcd shifted =
            values[i] * Eigen::MatrixXcd::Identity(known, known) - S.cast<Complex>();
        const Eigen::VectorXcd c = shifted.fullPivLu().solve(rhs);
        if ((shifted * c - rhs).norm() <= 1e-6 * rhs.norm()) {
          re = basis * c.real();
          im = basis * c.imag();
          z += re + Complex(0, 1) * im;
        }
      }
      found.push_back(pair_of(values[i], z));
      extend(Q, vectors.col(i).real());
      if (values[i].imag() > 0) extend(Q, vectors.col(i).imag());
    }
    if (Q.cols() == known) break;
    TQ.conservativeResize(Eigen::NoChange, Q.cols());
    for (int i = known; i < Q.cols(); ++i) {
      const Vector q = Q.col(i);
      Vector y(n);
      T(view(q), view(y));
      TQ.col(i) = y;
    }
    std::stable_sort(found.begin(), found.end(), larger);
  }
  if (static_cast<int>(found.size()) > count) found.resize(count);
  return found;
}

std::vector<EigenPair> largest_symmetric_eigenpairs(const LinearOperator& T, const LinearOperator& metric,
                                                    int count, std::span<const double> start) {
  const int n = static_cast<int>(start.size());
  Matrix Q(n, 0), P(n, 0);  // P = M Q
  std::vector<EigenPair> found;
  // Spectra's operator is T without the metric: (K − σM)⁻¹, applied to M x.
  Rest rest{T, n, &Q, &P};
  Metric inner{metric, n};
  for (int round = 0; round < 12; ++round) {
    const int left = n - static_cast<int>(Q.cols());
    const int wanted = std::min(std::max(2, count - static_cast<int>(found.size())), left - 1);
    if (wanted < 1) break;
    const int room = std::min(left, std::max(2 * wanted, 20));
    Spectra::SymGEigsShiftSolver<Rest, Metric, Spectra::GEigsMode::ShiftInvert> solver(rest, inner, wanted,
                                                                                       room, 0.0);
    Vector x = beginning(rest, start, round), y(n);
    metric(view(x), view(y));
    if (!(x.dot(y) > 0)) break;
    solver.init(x.data());
    solver.compute(Spectra::SortRule::LargestMagn, 1000, tolerance);
    const Vector values = solver.eigenvalues().cwiseInverse();
    if (values.size() == 0) break;
    const double next = values.cwiseAbs().maxCoeff();
    if (complete(found, count, next)) break;
    const Matrix vectors = solver.eigenvectors();
    const Eigen::Index known = Q.cols();
    Q.conservativeResize(Eigen::NoChange, known + vectors.cols());
    P.conservativeResize(Eigen::NoChange, known + vectors.cols());
    for (int i = 0; i < values.size(); ++i) {
      x = vectors.col(i);
      metric(view(x), view(y));
      const double size = std::sqrt(x.dot(y));
      Q.col(known + i) = x / size;
      P.col(known + i) = y / size;
      found.push_back(pair_of(values[i], (x / size).cast<Complex>()));
    }
    std::stable_sort(found.begin(), found.end(), larger);
  }
  if (static_cast<int>(found.size()) > count) found.resize(count);
  return found;
}

}  // namespace escapement
