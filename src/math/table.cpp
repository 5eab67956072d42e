#include "math/table.hpp"

#include <cmath>

namespace escapement {

Table::Table(std::vector<double> x, std::vector<double> y, Interpolation interpolation)
    : x_(std::move(x)), y_(std::move(y)) {
  const std::size_t n = x_.size();
  std::vector<double> secant(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) secant[i] = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
  if (interpolation == Interpolation::smooth) {
    slope_.assign(n, 0.0);
    slope_[0] = secant[0];
    slope_[n - 1] = secant[n - 2];
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (secant[i - 1] * secant[i] <= 0) continue;  // an extremum stays one
      const double h0 = x_[i] - x_[i - 1], h1 = x_[i + 1] - x_[i];
      const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;  // weighted harmonic mean (Fritsch & Butland)
      slope_[i] = (w0 + w1) / (w0 / secant[i - 1] + w1 / secant[i]);
    }
  }
  first_ = slope_.empty() ? secant.front() : slope_.front();
  last_ = slope_.empty() ? secant.back() : slope_.back();
  area_.assign(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) area_[i + 1] = area_[i] + integral_within(i, 1.0);
}

double Table::integral_within(std::size_t i, double s) const {
  const double h = x_[i + 1] - x_[i], rise = y_[i + 1] - y_[i];
  if (slope_.empty()) return h * s * (y_[i] + 0.5 * rise * s);
  const double d0 = h * slope_[i], d1 = h * slope_[i + 1];
  return h * s * (y_[i] + s * (d0 / 2 + s * ((3 * rise - 2 * d0 - d1) / 3 + s * (d0 + d1 - 2 * rise) / 4)));
}

double Table::integral(double at) const {
  if (at < x_.front()) {
    const double d = at - x_.front();
    return d * (y_.front() + 0.5 * first_ * d);
  }
  if (at > x_.back()) {
    const double d = at - x_.back();
    return area_.back() + d * (y_.back() + 0.5 * last_ * d);
  }
  const std::size_t i = interval(at);
  return area_[i] + integral_within(i, (at - x_[i]) / (x_[i + 1] - x_[i]));
}

}  // namespace escapement
