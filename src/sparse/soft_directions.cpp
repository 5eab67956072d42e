#include "sparse/soft_directions.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace escapement {
namespace {

constexpr int most = 16;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

SoftDirections::SoftDirections(int n, int first, int count) : n_(n), first_(first) {
  const int vectors = std::min({count, n - first, most});
  Pair empty;
  empty.lower.assign(n - first, 0.0);
  empty.upper.assign(first, 0.0);
  pairs_.assign(std::max(vectors, 0), empty);
  next_ = pairs_;
  solved_.assign(pairs_.size(), std::vector<double>(n, 0.0));
}

void SoftDirections::iterate(LinearSolver& factored, std::span<const double> scale) {
  const int k = count(), rows = n_ - first_;
  const auto noise = [&] {  // so that a direction that becomes soft is found
    noise_ = noise_ * 1664525u + 1013904223u;
    return static_cast<double>(noise_ >> 8) / (1 << 24) - 0.5;
  };
  // An orthonormal basis of the old vectors and a little noise.
  std::vector<Pair>& basis = next_;
  for (int v = 0; v < k; ++v) {
    auto& x = basis[v].lower;
    const double little = (pairs_[v].eigenvalue > 0 ? 1e-3 : 1.0) / std::sqrt(static_cast<double>(rows));
    for (int i = 0; i < rows; ++i) x[i] = pairs_[v].lower[i] + little * noise();
    for (int w = 0; w < v; ++w) {
      const double along = dot(x, basis[w].lower);
      for (int i = 0; i < rows; ++i) x[i] -= along * basis[w].lower[i];
    }
    const double size = std::sqrt(dot(x, x));
    for (double& e : x) e /= size > 0 ? size : 1.0;
  }
  for (int v = 0; v < k; ++v) {
    auto& y = solved_[v];
    std::fill(y.begin(), y.begin() + first_, 0.0);
    for (int i = first_; i < n_; ++i) y[i] = -basis[v].lower[i - first_] * std::sqrt(scale[i]);
    factored.solve(y);
    for (int i = first_; i < n_; ++i) y[i] *= std::sqrt(scale[i]);
  }
  // The best vectors in the space of the solutions: with Y = S⁻¹X, minimise yᵀSy/yᵀy = (cᵀXᵀY c)/(cᵀYᵀY c).
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;  // on the stack
  Small work(k, k), length(k, k);
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b) {
      double xy = 0, yy = 0;
      for (int i = 0; i < rows; ++i) {
        xy += basis[a].lower[i] * solved_[b][first_ + i];
        yy += solved_[a][first_ + i] * solved_[b][first_ + i];
      }
      work(a, b) = xy;
      length(a, b) = yy;
    }
  work = (0.5 * (work + work.transpose())).eval();
  if (!work.allFinite() || !length.allFinite()) return;
  const double top = length.diagonal().maxCoeff();
  length.diagonal().array() += 1e-14 * top;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Small> small(work, length);
  if (small.info() != Eigen::Success) return;
  for (int v = 0; v < k; ++v) {
    Pair& p = next_[v];
    std::fill(p.lower.begin(), p.lower.end(), 0.0);
    std::fill(p.upper.begin(), p.upper.end(), 0.0);
    for (int b = 0; b < k; ++b) {
      const double c = small.eigenvectors()(b, v);
      for (int i = 0; i < first_; ++i) p.upper[i] += c * solved_[b][i];
      for (int i = 0; i < rows; ++i) p.lower[i] += c * solved_[b][first_ + i];
    }
    p.eigenvalue = std::max(small.eigenvalues()[v], 1e-300);
    const double size = std::sqrt(dot(p.lower, p.lower));
    for (double& e : p.lower) e /= size;
    for (double& e : p.upper) e /= size;
    p.before = -1;
    double nearest = 0.7;
    for (int w = 0; w < k; ++w)
      if (const double same = std::abs(dot(p.lower, pairs_[w].lower)); same > nearest) {
        nearest = same;
        p.before = w;
      }
  }
  pairs_.swap(next_);
}

}  // namespace escapement
