// A function given by points: linear between them, or a monotone cubic (Fritsch–Carlson: C¹, no overshoot). Beyond
// the ends it goes on along its last slope.
#pragma once
#include <algorithm>
#include <vector>

#include "math/dual.hpp"

namespace escapement {

class Table {
 public:
  enum class Interpolation { linear, smooth };
  /// x strictly increasing, at least two points.
  Table(std::vector<double> x, std::vector<double> y, Interpolation interpolation);

  template <class S>
  S operator()(const S& at) const {
    const std::size_t i = interval(value(at));
    const double h = x_[i + 1] - x_[i];
    if (i == 0 && value(at) < x_.front()) return y_.front() + first_ * (at - x_.front());
    if (value(at) > x_.back()) return y_.back() + last_ * (at - x_.back());
    const S s = (at - x_[i]) / h;
    if (slope_.empty()) return y_[i] + (y_[i + 1] - y_[i]) * s;
    const double d0 = h * slope_[i], d1 = h * slope_[i + 1], rise = y_[i + 1] - y_[i];
    return y_[i] + s * (d0 + s * ((3 * rise - 2 * d0 - d1) + s * (d0 + d1 - 2 * rise)));
  }
  /// As between points `first` and `last`, and beyond them as it goes on there.
  template <class S>
  S along(const S& at, std::size_t first, std::size_t last) const {
    if (!slope_.empty()) return (*this)(at);
    const std::size_t i = std::clamp(interval(value(at)), first, last - 1);
    const std::size_t near = value(at) - x_[i] < x_[i + 1] - value(at) ? i : i + 1;  // exact next to points
    return y_[near] + (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]) * (at - x_[near]);
  }
  /// Points at which its slope jumps, but for those where it does so all along: a fine table of a smooth curve has none. With
  /// `hold`, it is constant beyond its ends.
  std::vector<std::size_t> corners(bool hold) const;
  /// ∫ from the first point: the energy of a spring given by its force.
  double integral(double at) const;
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }

 private:
  std::size_t interval(double at) const {
    const auto upper = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
    return static_cast<std::size_t>(upper - x_.begin()) - 1;
  }
  double integral_within(std::size_t i, double s) const;

  std::vector<double> x_, y_, slope_, area_;  // slopes of the cubic (empty: linear), ∫ up to each point
  double first_ = 0, last_ = 0;               // slopes beyond the ends
};

}  // namespace escapement
