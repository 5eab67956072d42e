#include "components/control/prototypes.hpp"

#include <cmath>
#include <numbers>

namespace escapement::control {
namespace {

using Complex = std::complex<double>;

/// Both numbers of every pair are in `all`; keeps one of them, and makes the others real.
Roots upper_half(const Roots& all) {
  Roots roots;
  for (const Complex& r : all) {
    if (std::abs(r.imag()) < 1e-9 * std::abs(r)) roots.push_back(r.real());
    else if (r.imag() > 0) roots.push_back(r);
  }
  return roots;
}

MatrixValue scaled(MatrixValue M, double factor) {
  for (double& m : M.entries) m *= factor;
  return M;
}

}  // namespace

Roots butterworth_poles(int order) {
  Roots poles;
  for (int k = 0; 2 * k + 1 < order; ++k)
    poles.push_back(std::polar(1.0, std::numbers::pi * (0.5 + (2 * k + 1) / (2.0 * order))));
  if (order % 2 == 1) poles.push_back(-1.0);
  return poles;
}

Roots bessel_poles(int order) {
  const auto theta = [order](Complex s) {  // θₙ = (2n − 1) θₙ₋₁ + s² θₙ₋₂, and its derivative
    Complex before = 1, now = s + 1.0, slope_before = 0, slope = 1;
    for (int n = 2; n <= order; ++n) {
      const Complex next = (2 * n - 1.0) * now + s * s * before;
      const Complex slope_next = (2 * n - 1.0) * slope + 2.0 * s * before + s * s * slope_before;
      before = now, now = next, slope_before = slope, slope = slope_next;
    }
    return std::pair(now, slope);
  };
  Roots roots;  // all at once, each kept away from the others (Aberth's iteration)
  for (int k = 0; k < order; ++k)
    roots.push_back(std::polar(0.9 * order, 2 * std::numbers::pi * (k + 0.25) / order));
  for (int sweep = 0; sweep < 100; ++sweep) {
    double moved = 0;
    for (Complex& r : roots) {
      const auto [value, slope] = theta(r);
      Complex others = 0;
      for (const Complex& o : roots)
        if (&o != &r) others += 1.0 / (r - o);
      const Complex step = value / (slope - value * others);
      r -= step;
      moved = std::max(moved, std::abs(step / r));
    }
    if (moved < 1e-14) break;
  }
  return upper_half(roots);
}

double half_power_frequency(const Roots& poles) {
  const auto power = [&](double w) {
    double product = 1;
    for (const Complex& p : poles) {
      product *= std::norm(p) / std::norm(Complex(0, w) - p);
      if (p.imag() != 0) product *= std::norm(p) / std::norm(Complex(0, w) - std::conj(p));
    }
    return product;
  };
  double low = 0, high = 1;
  while (power(high) > 0.5) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (power(middle) > 0.5 ? low : high) = middle;
  }
  return high;
}

Realization low_pass(const Roots& poles) {
  double gain = 1;
  for (const Complex& p : poles) gain *= p.imag() != 0 ? std::norm(p) : std::abs(p);
  return sections({}, poles, gain);
}

Realization inverted(const Realization& r) {
  MatrixValue unit = zero_matrix(r.order(), r.order());
  for (int i = 0; i < r.order(); ++i) entry(unit, i, i) = 1;
  const MatrixValue A = *solve(r.A, unit), B = scaled(product(A, r.B), -1), C = product(r.C, A);
  MatrixValue D = r.D;
  put(D, 0, 0, product(r.C, B));
  return {A, B, C, D};
}

Realization faster(const Realization& r, double w) { return {scaled(r.A, w), scaled(r.B, w), r.C, r.D}; }

Realization resonating(const Realization& r, double w) {
  const int n = r.order();
  Realization both{zero_matrix(2 * n, 2 * n), zero_matrix(2 * n, 1), zero_matrix(1, 2 * n), r.D};
  put(both.A, 0, 0, r.A);
  put(both.B, 0, 0, r.B);
  put(both.C, 0, 0, r.C);
  for (int i = 0; i < n; ++i) {
    entry(both.A, i, n + i) = w;
    entry(both.A, n + i, i) = -w;
  }
  return both;
}

}  // namespace escapement::control
