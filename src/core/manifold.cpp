#include "core/manifold.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace escapement {
namespace {

Vector3 at(std::span<const double> x, int i) { return {{x[i], x[i + 1], x[i + 2]}}; }
void put(std::span<double> x, int i, const Vector3& a) {
  for (int k = 0; k < 3; ++k) x[i + k] = a[k];
}

/// Writes a 3×3 block at (i, j) of a row-major n×n operator.
void put_block(std::span<double> T, int n, int i, int j, const Matrix3& A) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) T[(i + r) * n + j + c] = A.m[r][c];
}

}  // namespace

void move_positions(const System& system, std::span<const double> q0, std::span<const double> u,
                    std::span<double> q, std::span<double> operators) {
  const Range rows = system.rows(Kind::position);
  const auto values = system.value_of_row();
  if (system.lie_variables().empty()) {  // values and rows of positions coincide
    for (int i = 0; i < rows.end; ++i) q[i] = q0[i] + u[i];
    return;
  }
  for (int i = 0; i < rows.end; ++i)
    if (values[i] >= 0) q[values[i]] = q0[values[i]] + u[i];
  for (const auto& lie : system.lie_variables()) {
    const bool se3 = lie.manifold == Manifold::se3, frame = lie.manifold != Manifold::so3;
    const int value = lie.place.value, row = lie.place.row;
    const Vector3 w = at(u, frame ? row + 3 : row);
    const Rotation<double> R0{q0[value], at(q0, value + 1)};
    const Rotation<double> R = normalised(R0 * exp_so3(w));
    q[value] = R.w;
    put(q, value + 1, R.u);
    if (frame)
      put(q, value + 4, at(q0, value + 4) + (se3 ? R0 * (left_tangent_so3(w) * at(u, row)) : at(u, row)));
    if (operators.empty()) continue;
    const auto T = operators.subspan(lie.place.tangent, lie.dofs() * lie.dofs());
    const Matrix3 A = tangent_so3(w);
    if (!frame) {
      put_block(T, 3, 0, 0, A);
      continue;
    }
    put_block(T, 6, 0, 0, se3 ? A : Matrix3::identity());
    put_block(T, 6, 0, 3, se3 ? tangent_se3_coupling(at(u, row), w) : Matrix3{});
    put_block(T, 6, 3, 0, Matrix3{});
    put_block(T, 6, 3, 3, A);
  }
}

CoordinateSizes::CoordinateSizes(const System& system)
    : system_(system), origin_(system.rows(Kind::position).end, -1) {
  for (const LieVariable& lie : system.lie_variables())  // origins of frames may be far away
    for (int k = 0; k < lie.dofs() - 3; ++k) origin_[lie.place.row + k] = lie.place.value + 4;
}

double CoordinateSizes::operator()(const State& state, int row) const {
  if (const int k = system_.value_of_row()[row]; k >= 0) return std::abs(state.value[k]);
  if (origin_[row] < 0) return 1.0;
  const Vector3 x = at(state.value, origin_[row]);  // increments may be in body axes: whichever is largest
  return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
}

void apply_operators(const System& system, std::span<const double> operators, std::span<double> x) {
  for (const auto& lie : system.lie_variables()) {
    const int n = lie.dofs();
    const double* T = &operators[lie.place.tangent];
    double y[6] = {};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[i] += T[i * n + j] * x[lie.place.row + j];
    std::copy(y, y + n, &x[lie.place.row]);
  }
}

int whole_turn(const System& system, std::span<const double> u) {
  constexpr double turn = 2 * std::numbers::pi, near = 1e-3;  // rad; rounding enters by its inverse
  for (const auto& lie : system.lie_variables()) {
    const int row = lie.place.row + lie.dofs() - 3;
    const double angle = std::hypot(u[row], u[row + 1], u[row + 2]);
    if (angle > 0.5 * turn && std::abs(std::remainder(angle, turn)) < near) return row;
  }
  return -1;
}

void remove_operators(const System& system, std::span<const double> operators, std::span<double> x) {
  for (const auto& lie : system.lie_variables()) {
    const int n = lie.dofs();
    double T[36], *y = &x[lie.place.row];
    std::copy_n(&operators[lie.place.tangent], n * n, T);
    // Half a turn makes diagonals vanish: with pivots. After a whole turn T has no inverse across the axis: zero there.
    constexpr double none = 1e-12;
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(T[i * n + k]) > std::abs(T[pivot * n + k])) pivot = i;
      if (std::abs(T[pivot * n + k]) < none) continue;
      if (pivot != k) {
        std::swap_ranges(&T[k * n], &T[k * n] + n, &T[pivot * n]);
        std::swap(y[k], y[pivot]);
      }
      for (int i = k + 1; i < n; ++i) {
        const double factor = T[i * n + k] / T[k * n + k];
        for (int j = k; j < n; ++j) T[i * n + j] -= factor * T[k * n + j];
        y[i] -= factor * y[k];
      }
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int j = i + 1; j < n; ++j) y[i] -= T[i * n + j] * y[j];
      y[i] = std::abs(T[i * n + i]) < none ? 0.0 : y[i] / T[i * n + i];
    }
  }
}

void lie_bracket(const System& system, std::span<const double> v, std::span<const double> a,
                 std::span<double> b) {
  std::fill(b.begin(), b.begin() + system.rows(Kind::position).end, 0.0);
  for (const auto& lie : system.lie_variables()) {
    const int row = lie.place.row;
    if (lie.manifold != Manifold::se3) {
      const int angular = lie.manifold == Manifold::so3 ? row : row + 3;
      put(b, angular, cross(at(v, angular), at(a, angular)));
    } else {
      put(b, row, cross(at(v, row + 3), at(a, row)) - cross(at(a, row + 3), at(v, row)));
      put(b, row + 3, cross(at(v, row + 3), at(a, row + 3)));
    }
  }
}

void turning_operators(const System& system, std::span<const double> v, double tau, std::vector<double>& T) {
  T.assign(system.tangent_operators_size(), 0.0);
  for (const auto& lie : system.lie_variables()) {
    const int n = lie.dofs(), angular = lie.place.row + n - 3;
    const auto block = std::span(T).subspan(lie.place.tangent, n * n);
    const Vector3 w = tau * at(v, angular);
    Matrix3 A = Matrix3::identity() + -1.0 * hat(w);  // (1 + ŵ)⁻¹ = (1 + w wᵀ − ŵ)/(1 + |w|²)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A.m[i][j] = (A.m[i][j] + w[i] * w[j]) / (1 + dot(w, w));
    put_block(block, n, n - 3, n - 3, A);
    if (lie.manifold == Manifold::so3) continue;
    const bool se3 = lie.manifold == Manifold::se3;
    put_block(block, n, 0, 0, se3 ? A : Matrix3::identity());
    if (se3) put_block(block, n, 0, 3, -tau * (A * (hat(at(v, lie.place.row)) * A)));
  }
}

}  // namespace escapement
