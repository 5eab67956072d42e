#include "components/control/realization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace escapement::control {

MatrixValue zero_matrix(int rows, int columns) {
  return {rows, columns, std::vector<double>(static_cast<std::size_t>(rows) * columns, 0.0)};
}

double& entry(MatrixValue& M, int i, int j) { return M.entries[static_cast<std::size_t>(i) * M.columns + j]; }

void put(MatrixValue& into, int row, int column, const MatrixValue& M, double factor) {
  for (int i = 0; i < M.rows; ++i)
    for (int j = 0; j < M.columns; ++j) entry(into, row + i, column + j) += factor * M(i, j);
}

MatrixValue product(const MatrixValue& M, const MatrixValue& N) {
  MatrixValue r = zero_matrix(M.rows, N.columns);
  for (int i = 0; i < M.rows; ++i)
    for (int j = 0; j < N.columns; ++j)
      for (int k = 0; k < M.columns; ++k) entry(r, i, j) += M(i, k) * N(k, j);
  return r;
}

namespace {

Realization of_order(int n) {
  return {zero_matrix(n, n), zero_matrix(n, 1), zero_matrix(1, n), zero_matrix(1, 1)};
}

/// The geometric mean of the poles that are not zero; 1 if all are.
double mean_frequency(std::span<const double> denominator) {
  for (std::size_t k = denominator.size() - 1; k > 0; --k)
    if (denominator[k] != 0)
      return std::pow(std::abs(denominator[k] / denominator[0]), 1.0 / static_cast<double>(k));
  return 1;
}

/// (s − a)(s − b), s − a or 1: of one or two real roots, or of one that stands for two.
std::vector<double> polynomial(const Roots& roots) {
  if (roots.empty()) return {1};
  if (roots[0].imag() != 0) return {1, -2 * roots[0].real(), std::norm(roots[0])};
  if (roots.size() == 1) return {1, -roots[0].real()};
  return {1, -roots[0].real() - roots[1].real(), roots[0].real() * roots[1].real()};
}

struct Factor {
  Roots poles, zeros;
  int room() const { return count(poles) - count(zeros); }
  /// The largest of its gain at rest, at its own frequency and far above.
  double peak() const {
    const auto n = polynomial(zeros), d = polynomial(poles);
    const auto at = [](const std::vector<double>& p, std::complex<double> s) {
      std::complex<double> sum = 0;
      for (const double c : p) sum = sum * s + c;
      return sum;
    };
    double peak = n.size() == d.size() ? 1 : 0;
    for (const double w : {0.0, mean_frequency(d)})
      if (const auto below = at(d, {0, w}); std::abs(below) > 0)
        peak = std::max(peak, std::abs(at(n, {0, w}) / below));
    return peak > 0 ? peak : 1;
  }
};

}  // namespace

Realization companion(std::span<const double> numerator, std::span<const double> denominator) {
  const int n = static_cast<int>(denominator.size()) - 1, m = static_cast<int>(numerator.size()) - 1;
  const double w = mean_frequency(denominator);
  const auto alpha = [&](int k) { return denominator[k] / denominator[0] / std::pow(w, k); };
  const auto beta = [&](int k) {
    return k < n - m ? 0.0 : numerator[k - (n - m)] / denominator[0] / std::pow(w, k);
  };
  Realization r = of_order(n);
  for (int j = 0; j < n; ++j) {  // x_j = (s/w)ʲ u / denominator
    if (j + 1 < n) entry(r.A, j, j + 1) = w;
    entry(r.A, n - 1, j) -= w * alpha(n - j);
    entry(r.C, 0, j) = beta(n - j) - beta(0) * alpha(n - j);
  }
  if (n > 0) entry(r.B, n - 1, 0) = w;
  entry(r.D, 0, 0) = beta(0);
  return r;
}

Realization series(const Realization& first, const Realization& second) {
  const int n = first.order();
  Realization r = of_order(n + second.order());
  put(r.A, 0, 0, first.A);
  put(r.A, n, 0, product(second.B, first.C));
  put(r.A, n, n, second.A);
  put(r.B, 0, 0, first.B);
  put(r.B, n, 0, product(second.B, first.D));
  put(r.C, 0, 0, product(second.D, first.C));
  put(r.C, 0, n, second.C);
  put(r.D, 0, 0, product(second.D, first.D));
  return r;
}

int count(const Roots& roots) {
  int n = 0;
  for (const auto& root : roots) n += root.imag() != 0 ? 2 : 1;
  return n;
}

Realization sections(Roots zeros, Roots poles, double gain) {
  const auto complex_first = [](const auto& a, const auto& b) {
    if ((a.imag() != 0) != (b.imag() != 0)) return a.imag() != 0;
    return std::abs(a) < std::abs(b);
  };
  std::stable_sort(zeros.begin(), zeros.end(), complex_first);
  std::stable_sort(poles.begin(), poles.end(), complex_first);
  std::vector<Factor> factors;
  for (const auto& pole : poles) {
    if (factors.empty() || count(factors.back().poles) == 2) factors.emplace_back();
    factors.back().poles.push_back(pole);
  }
  for (const auto& zero : zeros) {
    // To poles of like frequency; where several are, single zeros are spread evenly.
    const auto apart = [&](const Factor& f) {
      const double pole = std::abs(f.poles.back()), z = std::abs(zero);
      return z == 0 ? pole : pole == 0 ? z : std::max(z / pole, pole / z);
    };
    Factor* nearest = nullptr;
    for (Factor& f : factors)
      if (f.room() >= count({zero}) && (!nearest || apart(f) < apart(*nearest))) nearest = &f;
    Factor* best = nearest;
    for (Factor& f : factors)
      if (f.room() > best->room() && apart(f) <= 2 * apart(*nearest)) best = &f;
    best->zeros.push_back(zero);
  }
  Realization r = of_order(0);
  entry(r.D, 0, 0) = 1;
  for (const Factor& f : factors) {
    const double peak = f.peak();
    std::vector<double> numerator = polynomial(f.zeros);
    for (double& c : numerator) c /= peak;
    gain *= peak;
    r = series(r, companion(numerator, polynomial(f.poles)));
  }
  for (double& c : r.C.entries) c *= gain;
  for (double& d : r.D.entries) d *= gain;
  return r;
}

std::optional<MatrixValue> solve(MatrixValue A, MatrixValue X) {
  const int n = A.rows, m = X.columns;
  const auto scale = [](MatrixValue& M, int row, double factor) {
    for (int j = 0; j < M.columns; ++j) entry(M, row, j) *= factor;
  };
  const auto subtract = [](MatrixValue& M, int row, int other, double factor) {
    for (int j = 0; j < M.columns; ++j) entry(M, row, j) -= factor * M(other, j);
  };
  for (int i = 0; i < n; ++i) {  // rows of fast and of slow sections count alike
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(A(i, j)));
    if (largest == 0) return std::nullopt;
    scale(A, i, 1 / largest);
    scale(X, i, 1 / largest);
  }
  for (int k = 0; k < n; ++k) {  // elimination with row exchange
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    if (!(std::abs(A(pivot, k)) > 1e-14)) return std::nullopt;
    for (int j = 0; j < n; ++j) std::swap(entry(A, k, j), entry(A, pivot, j));
    for (int j = 0; j < m; ++j) std::swap(entry(X, k, j), entry(X, pivot, j));
    scale(X, k, 1 / A(k, k));
    scale(A, k, 1 / A(k, k));
    for (int i = 0; i < n; ++i) {
      const double factor = A(i, k);
      if (i == k || factor == 0) continue;
      subtract(X, i, k, factor);
      subtract(A, i, k, factor);
    }
  }
  return X;
}

std::optional<std::vector<double>> at_rest(const Realization& r, double u) {
  MatrixValue input = r.B;
  for (double& b : input.entries) b *= -u;
  const auto x = solve(r.A, input);
  return x ? std::optional(x->entries) : std::nullopt;
}

// ------------------------------------------------------------------ in a model

void add_linear(Build& b, const Realization& r, std::span<const Signal<1>> u, std::span<const Signal<1>> y,
                std::span<const double> start, std::vector<StateVariable<1>>& x, std::size_t all) {
  for (const MatrixValue* M : {&r.A, &r.B, &r.C, &r.D})
    for (const double m : M->entries)
      if (!std::isfinite(m))
        b.refuse("E-RANGE", "", "its numbers are too large or too far apart to compute with");
  const std::size_t first = x.size();
  for (int i = 0; i < r.order(); ++i) {
    x.push_back(b.system.state<1>(part_name(b, "state", x.size(), all)));
    b.start(x.back(), {start[i]});
    b.add(Integrated{x.back()});
  }
  const auto terms = [&](const auto& rows, const auto& sources, const MatrixValue& M) {
    using Row = std::remove_cvref_t<decltype(rows[0])>;
    using Source = std::remove_cvref_t<decltype(sources[0])>;
    for (int i = 0; i < M.rows; ++i)
      for (int j = 0; j < M.columns; ++j)
        if (M(i, j) != 0) b.add(LinearTerm<Row, Source>{rows[i], sources[j], M(i, j)});
  };
  const std::span<const StateVariable<1>> mine(x.data() + first, x.size() - first);
  terms(mine, mine, r.A);
  terms(mine, u, r.B);
  for (const auto& output : y) b.add(Defined{output});
  terms(y, mine, r.C);
  terms(y, u, r.D);
}

void check_size(const Build& b, const char* key, const MatrixValue& M, int rows, int columns,
                const char* hint) {
  if (M.rows != rows || M.columns != columns)
    b.refuse("E-WIDTH", key, fmt::format("is {}×{}, needs {}×{}", M.rows, M.columns, rows, columns), hint);
}

Realization given_matrices(const Build& b, const char* hint) {
  Realization r{b.matrix("A"), b.matrix("B"), b.matrix("C"), {}};
  const int n = r.A.rows, m = r.B.columns, p = r.C.rows;
  r.D = b.given("D") ? b.matrix("D") : zero_matrix(p, m);
  check_size(b, "A", r.A, n, n, hint);
  check_size(b, "B", r.B, n, m, hint);
  check_size(b, "C", r.C, p, n, hint);
  check_size(b, "D", r.D, p, m, hint);
  return r;
}

std::vector<double> start_of(const Build& b, int n) {
  std::vector<double> start(n, 0.0);
  if (b.has("initial.state")) start = b.vector("initial.state");
  if (static_cast<int>(start.size()) != n)
    b.refuse("E-WIDTH", "initial.state", fmt::format("has {} numbers, A has {} rows", start.size(), n));
  return start;
}

ComponentType linear_type(std::string name, std::string summary,
                          std::function<Realization(const Build&)> realization) {
  ComponentType type(std::move(name), std::move(summary));
  type.is_block("the filtered signal", true);
  type.connects(input("any", "the signal to filter").any_width());
  type.takes(group("initial",
                   {vector("input", "any", 0,
                           "where the input has rested before the start, one number or one per part: the "
                           "block begins at rest there; zero if absent")
                        .optional()},
                   "values at the start"));
  type.gives({"state", "", "the states, part after part of the signal", {}, true, false});
  type.signs = "As in the equation.";
  type.shape = {"block"};
  type.width = [realization](const Build& b, std::string_view output) {
    const int width = b.signal_width("input");
    return output == "state" ? width * realization(b).order() : width;
  };
  type.build = [realization](Build& b) {
    const Realization r = realization(b);
    const auto u = b.wide_signal("input"), y = b.outputs();
    const std::vector<double> rest = per_part(b, "initial.input", u.size());
    std::vector<StateVariable<1>> x;
    for (std::size_t i = 0; i < u.size(); ++i) {
      std::optional<std::vector<double>> start(std::vector<double>(r.order(), 0.0));
      if (rest[i] != 0 && !(start = at_rest(r, rest[i])))
        b.refuse("E-VALUE", "initial.input", "the block has a pole at zero: it is at rest at zero only",
                 "a control.integrator in series, with an initial output");
      add_linear(b, r, {&u[i], 1}, {&y[i], 1}, *start, x, u.size() * r.order());
    }
    for (std::size_t k = 0; k < x.size(); ++k) b.channel("state", x[k], 1, 0, static_cast<int>(k));
  };
  return type;
}

}  // namespace escapement::control
