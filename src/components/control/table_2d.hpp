// A function of two numbers given on a grid.
#pragma once
#include <vector>

namespace escapement::control {

class Table2d {
 public:
  /// values[i · y.size() + j] at (x[i], y[j]); x and y strictly increasing, at least two each.
  Table2d(std::vector<double> x, std::vector<double> y, std::vector<double> values, bool smooth);

  struct Value {
    double f, fx, fy;
  };
  /// Bilinear, or bicubic with a continuous gradient; beyond the grid along the slopes of its edge, or held.
  Value at(double x, double y, bool hold) const;

 private:
  std::vector<double> x_, y_;
  bool smooth_;
  std::vector<double> f_, fx_, fy_, fxy_;  // at the grid points
};

}  // namespace escapement::control
