// Exact solutions to compare blocks with: linear systems driven by offset + amplitude · sin(2π f t + phase), through the
// exponential of the system with the wave as part of it.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace escapement::validation {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// exp(M) by its series, scaled and squared.
inline RealMatrix exponential(const RealMatrix& M) {
  int halvings = 0;
  for (Real size = M.cwiseAbs().rowwise().sum().maxCoeff(); size > 0.25L; size /= 2) ++halvings;
  const RealMatrix A = M / std::pow(2.0L, halvings);
  RealMatrix sum = RealMatrix::Identity(M.rows(), M.cols()), term = sum;
  for (int k = 1; k < 20; ++k) sum += term = term * A / Real(k);
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

struct Wave {
  Real amplitude, frequency, phase, offset;  // 1, Hz, rad, 1
  Real at(Real t) const {
    return offset + amplitude * std::sin(2 * std::numbers::pi_v<Real> * frequency * t + phase);
  }
};

/// ẋ = A x + B u(t), exactly, from one time to the next.
class Driven {
 public:
  Driven(const RealMatrix& A, const RealVector& B, const RealVector& start, const Wave& wave)
      : n_(A.rows()), M_(RealMatrix::Zero(n_ + 3, n_ + 3)), z_(RealVector::Zero(n_ + 3)) {
    const Real w = 2 * std::numbers::pi_v<Real> * wave.frequency;
    M_.topLeftCorner(n_, n_) = A;
    M_.block(0, n_, n_, 1) = wave.amplitude * B;
    M_.block(0, n_ + 2, n_, 1) = wave.offset * B;
    M_(n_, n_ + 1) = w;  // sine, cosine, one
    M_(n_ + 1, n_) = -w;
    z_.head(n_) = start;
    z_(n_) = std::sin(wave.phase), z_(n_ + 1) = std::cos(wave.phase), z_(n_ + 2) = 1;
  }
  void advance(double h) {
    for (const auto& [size, step] : steps_)
      if (std::abs(size - h) < 1e-15) {
        z_ = step * z_;
        return;
      }
    steps_.emplace_back(h, exponential(M_ * Real(h)));
    z_ = steps_.back().second * z_;
  }
  RealVector state() const { return z_.head(n_); }

 private:
  Eigen::Index n_;
  RealMatrix M_;
  RealVector z_;
  std::vector<std::pair<double, RealMatrix>> steps_;
};

/// Polynomials, highest power first.
using Polynomial = std::vector<Real>;
inline Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial r(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) r[i + j] += a[i] * b[j];
  return r;
}

/// The textbook's phase variables z, ż, z̈ … of denominator(s) z = u, with the denominator divided by its first
/// coefficient: y = numerator(s) z.
class PhaseVariables {
 public:
  /// At rest while the input was `rest`.
  PhaseVariables(Polynomial numerator, Polynomial denominator, const Wave& wave, Real rest = 0)
      : PhaseVariables(numerator, denominator, wave, rest_of(denominator, rest)) {}
  PhaseVariables(Polynomial numerator, Polynomial denominator, const Wave& wave, const RealVector& start)
      : n_(static_cast<int>(denominator.size()) - 1),
        wave_(wave),
        C_(n_),
        D_(0),
        exact_(make(denominator, start, wave)) {
    numerator.insert(numerator.begin(), denominator.size() - numerator.size(), 0);
    for (Real& c : numerator) c /= denominator[0];
    D_ = numerator[0];
    for (int j = 0; j < n_; ++j) C_(j) = numerator[n_ - j] - D_ * denominator[n_ - j] / denominator[0];
  }
  void advance(double h) { exact_.advance(h); }
  Real output(Real t) const { return C_.dot(exact_.state()) + D_ * wave_.at(t); }
  RealVector state() const { return exact_.state(); }

 private:
  static RealVector rest_of(const Polynomial& d, Real u) {
    RealVector z = RealVector::Zero(static_cast<Eigen::Index>(d.size()) - 1);
    if (u != 0) z(0) = u * d.front() / d.back();
    return z;
  }
  static Driven make(const Polynomial& d, const RealVector& start, const Wave& wave) {
    const Eigen::Index n = static_cast<Eigen::Index>(d.size()) - 1;
    RealMatrix A = RealMatrix::Zero(n, n);
    RealVector B = RealVector::Zero(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j + 1 < n) A(j, j + 1) = 1;
      A(n - 1, j) -= d[n - j] / d[0];
    }
    B(n - 1) = 1;
    return {A, B, start, wave};
  }
  int n_;
  Wave wave_;
  RealVector C_;
  Real D_;
  Driven exact_;
};

}  // namespace escapement::validation
