// Eigenvalues of a linear system some outputs of which come back after delays: roots of a function that is analytic everywhere,
// counted by its turns along a circle so that none is missed (T-modes-7).
#pragma once
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace escapement {

/// With s = σ + p:  (I + p T) x = X v,  u = F v − p G x,  v_k = exp(−s τ_k) u_k. Matrices are dense, column by column.
struct DelayedSystem {
  double sigma;                // 1/s
  std::vector<double> delays;  // s
  std::vector<double> T, X, F, G;
};

class DelayedEigenvalues {
 public:
  using Complex = std::complex<double>;
  explicit DelayedEigenvalues(const DelayedSystem& system);
  ~DelayedEigenvalues();

  struct Roots {
    double radius;           // 1/s: all with |s| < radius are there
    int zeros;               // so many of them are zero
    std::vector<Complex> s;  // the others; of a pair the one with Im s > 0
  };
  /// About `count` of the slowest, or all within a radius if that is > 0 (within less if rounding decides there). What is slower than `zero` counts as zero. None: they could
  /// not all be found.
  std::optional<Roots> roots(int count, double radius, double zero) const;

  /// (x, v), of length 1; and what remains of the equations.
  struct Motion {
    std::vector<Complex> vector;
    double residual;
  };
  Motion motion(Complex s) const;
  /// Those with s = 0 that are independent of each other; at most `most`.
  std::vector<Motion> still(int most) const;

 private:
  struct Value {
    Complex direction;  // D/|D|
    Complex slope;      // D′/D
  };
  Value at(Complex s, bool shaken) const;
  std::optional<double> turn(double radius, double from, double to, const Value& a, const Value& b, int depth,
                             bool shaken) const;
  /// With multiplicity; none: one lies on the circle. `shaken`: with numbers that are off by 1e-12.
  std::optional<int> count(double radius, bool shaken) const;
  std::optional<std::vector<Complex>> find(double radius, int zeros, int number) const;
  std::optional<Complex> refined(Complex s, double radius, int zeros,
                                 const std::vector<Complex>& known) const;

  struct Matrices;
  std::unique_ptr<Matrices> m_, shaken_;
};

}  // namespace escapement
