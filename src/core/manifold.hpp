// Moving positions: q ∘ exp(u) on vector spaces, SO(3) and SE(3) alike, and the Lie bracket.
#pragma once
#include <span>
#include <vector>

#include "core/system.hpp"

namespace escapement {

/// q = q0 ∘ exp(u) for all positions; `operators`, unless empty, receives T(u) of the Lie variables (T-lie-1…4).
void move_positions(const System& system, std::span<const double> q0, std::span<const double> u,
                    std::span<double> q, std::span<double> operators);

/// How large the numbers of a position are that rounding acts on.
class CoordinateSizes {
 public:
  explicit CoordinateSizes(const System& system);
  double operator()(const State& state, int row) const;

 private:
  const System& system_;
  std::vector<int> origin_;  // of rows of frames: the first coordinate of the origin, -1 for angles
};

/// x := T(u) x for the rows of Lie variables, in place.
void apply_operators(const System& system, std::span<const double> operators, std::span<double> x);

/// x := T(u)⁻¹ x for the rows of Lie variables, in place.
void remove_operators(const System& system, std::span<const double> operators, std::span<double> x);

/// The first row of a rotation that is next to a whole turn or several, where T(u) has no inverse across the axis (T-lie-7); -1: none is.
int whole_turn(const System& system, std::span<const double> u);

/// b = [v, a]: ω × ω̇ on SO(3) and ℝ³×SO(3), ad_v a on SE(3), zero on vector spaces (T-lie-6).
void lie_bracket(const System& system, std::span<const double> v, std::span<const double> a,
                 std::span<double> b);

/// (1 + τ ad(v))⁻¹ of the Lie variables, by closed formulas: what makes (δ̇ + ad(v) δ) = δ/τ + ad(v) δ the unknown (T-modes-4).
void turning_operators(const System& system, std::span<const double> v, double tau, std::vector<double>& T);

}  // namespace escapement
