// The linearised equations as eigenproblems T u = θ u, whose eigenvalues of largest magnitude are the modes nearest to a shift, on the
// system's own factorisation (T-modes).
#pragma once
#include <complex>
#include <span>
#include <utility>
#include <vector>

#include "analyses/twist.hpp"
#include "core/newton.hpp"
#include "sparse/eigenvalues.hpp"

namespace escapement {

/// Entries (row, column, value) of a matrix.
struct MatrixEntries {
  std::vector<int> row, column;
  std::vector<double> value;
  void add(int i, int j, double x) {
    if (x == 0) return;
    row.push_back(i), column.push_back(j), value.push_back(x);
  }
  /// y += factor · A x.
  void multiply(std::span<const double> x, std::span<double> y, double factor = 1) const {
    for (std::size_t k = 0; k < value.size(); ++k) y[row[k]] += factor * value[k] * x[column[k]];
  }
};

/// In scaled coordinates u.
class SmallMotion {
 public:
  explicit SmallMotion(const System& system) : system_(system), positions_(system.rows(Kind::position).end) {}
  virtual ~SmallMotion() = default;
  virtual int size() const = 0;
  virtual void apply(std::span<const double> u, std::span<double> Tu) = 0;
  /// Rows that every mode is orthogonal to, one after the other: constraints, hidden ones included.
  virtual std::vector<double> constraints() const = 0;
  virtual std::vector<EigenPair> search(int count, std::span<const double> start) = 0;
  virtual std::complex<double> rate(std::complex<double> theta) const = 0;
  /// Of what apply() was last given: increments of all unknowns by row.
  virtual void shape(std::span<double> z) const = 0;

  /// Is T self-adjoint, but for this much of rounding? Asked of what claims to be.
  virtual bool self_adjoint(double /*rounding*/) { return true; }

  /// A row on which the factorisation failed; -1: it did not.
  int singular() const { return singular_; }

 protected:
  std::vector<double> tangent(const State& state, const Shift& shift) const;
  template <class F>
  void each_entry(const std::vector<double>& values, F f) const {
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (values[k] != 0) f(p.row[k], j, values[k]);
  }
  /// False: singular, which a larger shift may mend.
  bool factor(Newton& newton, double proximal);
  const System& system_;
  int positions_;
  int singular_ = -1;
};

/// The twist of an observer in the axes of every frame: u.
std::vector<double> in_frames(const Twist& observer, const System& system, const State& state);

/// B ż + A z = 0 with z = (δ, w, x): increments of positions, of their rates, and of what has a store (T-modes-3).
class DampedMotion final : public SmallMotion {
 public:
  DampedMotion(const System& system, const State& state, const Twist& observer, double sigma,
               double proximal);

  int size() const override { return 2 * positions_ + static_cast<int>(stored_.size()); }

  /// (A + σB) z = B x, with δ = (σ + ad)⁻¹ (w + x_δ) eliminated (T-modes-4).
  void apply(std::span<const double> u, std::span<double> Tu) override;
  /// (A + σB) z = e, of one row: what is seen of it; shape() tells the rest.
  void respond(int row, std::span<double> seen);
  void shape(std::span<double> z) const override;
  double sigma() const { return sigma_; }

  /// Φ_q δ = 0, Φ_q (w − ad δ) = 0, k_q δ + k_v w = 0.
  std::vector<double> constraints() const override;
  std::vector<EigenPair> search(int count, std::span<const double> start) override;
  std::complex<double> rate(std::complex<double> theta) const override { return sigma_ - 1.0 / theta; }
  std::span<const double> scale() const { return scale_; }

 private:
  void solve(std::span<double> seen);
  /// x := (σ + ad)⁻¹ x.
  void to_positions(std::span<double> x) const;
  using Brackets = std::vector<std::pair<LieVariable, std::vector<double>>>;
  /// ad(u) of the variables on groups.
  Brackets brackets(std::span<const double> u) const;
  /// What does not move with the observer, by a = v₀ − u, is described in axes of his: ẇ = (s − ad(a)) w.
  void add_own_turns(const State& state, std::span<const double> u, const std::vector<double>& mass);

  double sigma_;
  Newton newton_;
  std::vector<double> operators_;
  Brackets turns_;                  // ad(u), unless the observer stands still
  std::vector<int> stored_;         // unknowns beside positions that B sees
  MatrixEntries B_, slope_, slip_;  // slope: A + σB along δ; slip: k_v
  std::vector<double> scale_, x_, kinematic_, z_;
};

/// K φ = ω² M φ on the constraints, signals eliminated, states held (T-modes-5).
class UndampedMotion final : public SmallMotion {
 public:
  UndampedMotion(const System& system, const State& state, double sigma, double proximal);

  int size() const override { return positions_; }
  void apply(std::span<const double> u, std::span<double> Tu) override;
  void shape(std::span<double> z) const override { std::copy(z_.begin(), z_.end(), z.begin()); }
  std::vector<double> constraints() const override;
  std::vector<EigenPair> search(int count, std::span<const double> start) override;
  std::complex<double> rate(std::complex<double> theta) const override;
  /// Forces that follow what they push, and controllers, make K unsymmetric: then there is no such problem.
  bool self_adjoint(double rounding) override;

 private:
  void multiply_mass(std::span<const double> x, std::span<double> y) const;
  void solve(std::span<const double> x, std::span<double> y);
  double sigma_;
  Newton newton_;
  MatrixEntries M_, G_;
  std::vector<double> z_;
};

}  // namespace escapement
