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

/// Of up to fifty points every one counts; of more, those whose jump is more than half of what the four before and the four
/// after jump together (T-kink-4).
std::vector<std::size_t> Table::corners(bool hold) const {
  const std::size_t n = x_.size();
  std::vector<double> jump(n, 0.0);
  double steepest = 0;
  const auto secant = [&](std::size_t i) { return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]); };
  for (std::size_t i = 0; i + 1 < n; ++i) steepest = std::max(steepest, std::abs(secant(i)));
  if (slope_.empty())
    for (std::size_t i = 1; i + 1 < n; ++i) jump[i] = std::abs(secant(i) - secant(i - 1));
  if (hold) jump[0] = std::abs(first_), jump[n - 1] = std::abs(last_);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < n; ++i) {
    double around = 0;
    for (std::size_t k = i < 4 ? 0 : i - 4; k < std::min(n, i + 5); ++k) around += k == i ? 0 : jump[k];
    if (jump[i] > 1e-9 * steepest && (n <= 50 || jump[i] > 0.5 * around)) list.push_back(i);
  }
  return list;
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
