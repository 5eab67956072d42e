#include "sparse/delayed_eigenvalues.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "sparse/complex_decompositions.hpp"

namespace escapement {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;

constexpr double most_growth = 300;   // |s| τ: exp(−s τ) must stay a number
constexpr double largest_turn = 0.7;  // rad, between two points of a circle
constexpr double rounding = 1e-14;    // of s − σ, over σ
constexpr int deepest = 40;           // so often an arc is halved

/// Every product of matrices is this one, compiled once.
Matrix times(const Matrix& a, const Matrix& b) { return a * b; }

/// columns = columns[of] · combined: some of them, and how all follow from these. What hardly counts is zero, so that products which
/// vanish do so exactly.
struct Independent {
  std::vector<int> of;
  Eigen::MatrixXd combined;
};
Independent independent(const Eigen::MatrixXd& columns) {
  constexpr double same = 1e-10;
  Independent r;
  r.combined = Eigen::MatrixXd::Zero(columns.cols(), columns.cols());
  for (int k = 0; k < columns.cols(); ++k) {
    const double size = columns.col(k).norm();
    if (!r.of.empty()) {
      const Eigen::MatrixXd chosen = columns(Eigen::all, r.of);
      const Eigen::VectorXd c = chosen.colPivHouseholderQr().solve(columns.col(k));
      if ((chosen * c - columns.col(k)).norm() <= same * size) {
        for (int j = 0; j < c.size(); ++j)
          if (std::abs(c[j]) * chosen.col(j).norm() > same * size) r.combined(j, k) = c[j];
        continue;
      }
    }
    r.combined(static_cast<Eigen::Index>(r.of.size()), k) = 1;
    r.of.push_back(k);
  }
  r.combined.conservativeResize(static_cast<Eigen::Index>(r.of.size()), columns.cols());
  return r;
}

/// One above the other, each of the size 1.
Eigen::MatrixXd stacked(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd all(a.rows() + b.rows(), a.cols());
  all << a / std::max(a.norm(), 1e-300), b / std::max(b.norm(), 1e-300);
  return all;
}

}  // namespace

/// T = U R Uᴴ.
struct DelayedEigenvalues::Matrices {
  double sigma;
  std::vector<double> delays;
  Eigen::MatrixXd T, X, F, G;
  Matrix R;
  // What comes back without what repeats: several delays of one signal, or that act alike, have products which vanish in D, and
  // rounding must not make them count. X = X′ W, F = … W of columns, G = S G′, F = S … of rows; b = Uᴴ X′, g = G′ U.
  Matrix W, S, kernel, b, g;
  std::vector<Complex> held;  // the eigenvalues without what comes back

  /// M(s) = [I + p T, −X; p Λ G, I − Λ F], whose determinant is D.
  Matrix pencil(Complex s) const {
    const auto n = T.rows(), m = F.rows();
    const Complex p = s - sigma;
    Vector late(m);
    for (int k = 0; k < m; ++k) late[k] = std::exp(-s * delays[k]);
    Matrix M(n + m, n + m);
    M << Matrix::Identity(n, n) + p * T, -X, p * (late.asDiagonal() * G),
        Matrix::Identity(m, m) - Matrix(late.asDiagonal() * F);
    return M;
  }
  /// What remains, over what cancels.
  static Motion of(const Matrix& M, const Vector& z) {
    return {{z.begin(), z.end()}, (M * z).norm() / std::max(1.0, (M.cwiseAbs() * z.cwiseAbs()).norm())};
  }
};

DelayedEigenvalues::DelayedEigenvalues(const DelayedSystem& s) : m_(std::make_unique<Matrices>()) {
  const int m = static_cast<int>(s.delays.size()), n = static_cast<int>(s.X.size()) / m;
  Matrices& a = *m_;
  a.sigma = s.sigma;
  a.delays = s.delays;
  a.T = Eigen::Map<const Eigen::MatrixXd>(s.T.data(), n, n);
  a.X = Eigen::Map<const Eigen::MatrixXd>(s.X.data(), n, m);
  a.F = Eigen::Map<const Eigen::MatrixXd>(s.F.data(), m, m);
  a.G = Eigen::Map<const Eigen::MatrixXd>(s.G.data(), m, n);
  const Schur schur(a.T.cast<Complex>());
  a.R = schur.R;
  const Independent act = independent(stacked(a.X, a.F)),
                    read = independent(stacked(a.G.transpose(), a.F.transpose()));
  a.W = act.combined.cast<Complex>();
  a.S = read.combined.transpose().cast<Complex>();
  const Eigen::MatrixXd acting = a.X(Eigen::all, act.of), reading = a.G(read.of, Eigen::all);
  a.b = times(schur.U.adjoint(), acting.cast<Complex>());
  a.g = times(reading.cast<Complex>(), schur.U);
  a.kernel = Eigen::MatrixXd(a.F(read.of, act.of)).cast<Complex>();
  shaken_ = std::make_unique<Matrices>(a);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-1e-12, 1e-12);
  for (Matrix* of : {&shaken_->b, &shaken_->g})
    for (Complex& x : of->reshaped()) x *= 1 + noise(random);
  for (Complex& x : shaken_->kernel.reshaped()) x *= 1 + noise(random);
  for (int i = 0; i < n; ++i)
    if (const Complex theta = a.R(i, i); theta != 0.0) a.held.push_back(a.sigma - 1.0 / theta);
}

DelayedEigenvalues::~DelayedEigenvalues() = default;

/// D(s) = det M(s), by elimination with R in the place of T: below its diagonal column i has entries only in the last rows. Pivots
/// are chosen among these and row i, so that nothing is lost near eigenvalues of T. Derivatives with s go along, in dM.
DelayedEigenvalues::Value DelayedEigenvalues::at(Complex s, bool shaken) const {
  using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrices& a = shaken ? *shaken_ : *m_;
  const Complex p = s - a.sigma;
  Vector late(a.delays.size()), rate(a.delays.size());
  for (std::size_t k = 0; k < a.delays.size(); ++k) {
    late[k] = std::exp(-s * a.delays[k]);
    rate[k] = -a.delays[k] * late[k];
  }
  const Matrix Q = times(a.W * late.asDiagonal(), a.S), dQ = times(a.W * rate.asDiagonal(), a.S);  // w = Q u
  const bool by_w = Q.rows() <= Q.cols();
  const auto n = a.R.rows(), m = std::min(Q.rows(), Q.cols()), all = n + m;
  RowMajor M(all, all), dM(all, all);
  M.topLeftCorner(n, n) = p * a.R;
  M.topLeftCorner(n, n).diagonal().array() += 1.0;
  dM.topLeftCorner(n, n) = a.R;
  if (by_w) {
    M.topRightCorner(n, m) = -a.b;
    dM.topRightCorner(n, m).setZero();
    M.bottomLeftCorner(m, n) = p * times(Q, a.g);
    dM.bottomLeftCorner(m, n) = times(Q, a.g) + p * times(dQ, a.g);
    M.bottomRightCorner(m, m) = -times(Q, a.kernel);
    dM.bottomRightCorner(m, m) = -times(dQ, a.kernel);
  } else {
    M.topRightCorner(n, m) = -times(a.b, Q);
    dM.topRightCorner(n, m) = -times(a.b, dQ);
    M.bottomLeftCorner(m, n) = p * a.g;
    dM.bottomLeftCorner(m, n) = a.g;
    M.bottomRightCorner(m, m) = -times(a.kernel, Q);
    dM.bottomRightCorner(m, m) = -times(a.kernel, dQ);
  }
  M.bottomRightCorner(m, m).diagonal().array() += 1.0;
  Value value{1.0, 0.0};
  for (Eigen::Index i = 0; i < all; ++i) {
    const Eigen::Index below = std::max(i + 1, n), right = all - i;
    Eigen::Index pivot = i;
    for (Eigen::Index r = below; r < all; ++r)
      if (std::abs(M(r, i)) > std::abs(M(pivot, i))) pivot = r;
    if (pivot != i) {
      M.row(i).tail(right).swap(M.row(pivot).tail(right));
      dM.row(i).tail(right).swap(dM.row(pivot).tail(right));
      value.direction = -value.direction;
    }
    const Complex top = M(i, i);
    value.direction *= top / std::abs(top);
    value.slope += dM(i, i) / top;
    for (Eigen::Index r = below; r < all; ++r) {
      const Complex factor = M(r, i) / top, change = (dM(r, i) - factor * dM(i, i)) / top;
      M.row(r).tail(right) -= factor * M.row(i).tail(right);
      dM.row(r).tail(right) -= factor * dM.row(i).tail(right) + change * M.row(i).tail(right);
    }
  }
  return value;
}

/// By how much D turns along an arc; none: it passes too near to a root.
std::optional<double> DelayedEigenvalues::turn(double radius, double from, double to, const Value& a,
                                               const Value& b, int depth, bool shaken) const {
  const double middle = 0.5 * (from + to), way = 0.5 * radius * (to - from);
  const Value c = at(std::polar(radius, middle), shaken);
  const double first = std::arg(c.direction / a.direction), second = std::arg(b.direction / c.direction);
  const double steepest = std::max({std::abs(a.slope), std::abs(b.slope), std::abs(c.slope)});
  if (way * steepest < largest_turn) return first + second;  // also false for what is no number
  if (depth == 0) return {};
  const auto left = turn(radius, from, middle, a, c, depth - 1, shaken);
  if (!left) return {};
  const auto right = turn(radius, middle, to, c, b, depth - 1, shaken);
  if (!right) return {};
  return *left + *right;
}

/// By the principle of the argument; the lower half mirrors the upper one.
std::optional<int> DelayedEigenvalues::count(double radius, bool shaken) const {
  constexpr int arcs = 16;
  double sum = 0;
  Value before = at(radius, shaken);
  for (int i = 0; i < arcs; ++i) {
    const double from = std::numbers::pi * i / arcs, to = std::numbers::pi * (i + 1) / arcs;
    const Value after = at(std::polar(radius, to), shaken);
    const auto part = turn(radius, from, to, before, after, deepest, shaken);
    if (!part) return {};
    sum += *part;
    before = after;
  }
  const double number = sum / std::numbers::pi;
  if (std::abs(number - std::round(number)) > 0.1) return {};
  return static_cast<int>(std::lround(number));
}

/// Newton's method on D without the roots that are known.
std::optional<Complex> DelayedEigenvalues::refined(Complex s, double radius, int zeros,
                                                   const std::vector<Complex>& known) const {
  for (int i = 0; i < 100; ++i) {
    Complex slope = at(s, false).slope - static_cast<double>(zeros) / s;
    for (const Complex r : known) slope -= 1.0 / (s - r);
    Complex step = -1.0 / slope;
    if (!std::isfinite(std::abs(step))) return {};
    if (std::abs(step) > 0.3 * radius) step *= 0.3 * radius / std::abs(step);
    s += step;
    if (!(std::abs(s) < 2 * radius)) return {};
    if (std::abs(step) <= 1e-11 * std::abs(s) + rounding * m_->sigma) return s;
  }
  return {};
}

std::optional<std::vector<Complex>> DelayedEigenvalues::find(double radius, int zeros, int number) const {
  std::vector<Complex> starts, known;
  for (const Complex s : m_->held)
    if (std::abs(s) < 1.5 * radius && s.imag() >= 0) starts.push_back(s * Complex(1.0, 1e-3) + 1e-3 * radius);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  const std::size_t most = starts.size() + 200 + 50 * static_cast<std::size_t>(number);
  for (std::size_t i = 0; i < most && static_cast<int>(known.size()) < number; ++i) {
    const Complex start = i < starts.size() ? starts[i]
                                            : std::polar(radius * std::sqrt(uniform(random)),
                                                         std::numbers::pi * uniform(random));
    auto s = refined(start, radius, zeros, known);
    if (s && std::abs(s->imag()) < 1e-9 * std::abs(*s)) s = s->real();
    if (!s || !(std::abs(*s) < radius)) continue;
    known.push_back(*s);
    if (s->imag() != 0) known.push_back(std::conj(*s));
  }
  if (static_cast<int>(known.size()) != number) return {};
  std::erase_if(known, [](Complex s) { return s.imag() < 0; });
  return known;
}

std::optional<DelayedEigenvalues::Roots> DelayedEigenvalues::roots(int wanted, double radius,
                                                                   double zero) const {
  double longest = 0;
  for (const double time : m_->delays) longest = std::max(longest, time);
  const bool given = radius > 0;
  if (!given) {
    radius = 1 / longest;
    for (const Complex s : m_->held)  // the slowest of those that do not drift
      if (std::abs(s) > zero) radius = std::min(radius, std::abs(s));
    radius *= 2;
  }
  if (radius * longest > most_growth) radius = most_growth / longest;
  constexpr int unknown = -1;
  int all = unknown;
  std::optional<int> zeros;
  for (int i = 0; i < 6 && !zeros; ++i, zero *= 1.7) zeros = count(zero, false);
  if (!zeros) return {};
  bool shrinking = false;
  for (int tries = 0; tries < 100; ++tries) {
    all = count(radius, false).value_or(unknown);
    if (all == unknown) {  // a root lies on the circle
      radius *= given ? 1 + 1e-6 : 1.01;
    } else if (count(radius, true).value_or(unknown) != all) {
      // Rounding decides there: exp(−s τ) is large, and D what products of it leave over.
      shrinking = true;
      radius *= 0.8;
    } else if (given || shrinking || all >= *zeros + 2 * wanted || radius * longest >= most_growth / 1.5) {
      break;
    } else {
      radius *= 1.5;
    }
    all = unknown;
  }
  if (all == unknown) return {};
  const auto found = find(radius, *zeros, all - *zeros);
  if (!found) return {};
  return Roots{radius, *zeros, *found};
}

DelayedEigenvalues::Motion DelayedEigenvalues::motion(Complex s) const {
  const Matrix M = m_->pencil(s);
  // A little beside the root, so that there is an inverse to iterate with.
  return Matrices::of(M, smallest_by_iteration(M + 1e-15 * M.norm() * Matrix::Identity(M.rows(), M.cols())));
}

std::vector<DelayedEigenvalues::Motion> DelayedEigenvalues::still(int most) const {
  std::vector<Motion> motions;
  if (most == 0) return motions;
  const Matrix M = m_->pencil(0);
  const SingularValues svd(M);
  for (auto k = M.cols() - 1; k >= 0 && static_cast<int>(motions.size()) < most; --k) {
    if (svd.values[k] > 1e-6 * svd.values[0]) break;
    motions.push_back(Matrices::of(M, svd.V.col(k)));
  }
  return motions;
}

}  // namespace escapement
