#include "components/control/table_2d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "components/control/function.hpp"
#include "math/table.hpp"
#include "model/component.hpp"

namespace escapement {
namespace control {
namespace {

/// Slopes at the points of a monotone cubic.
std::vector<double> slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const Table table(x, y, Table::Interpolation::smooth);
  std::vector<double> slope;
  for (const double at : x) {
    Dual<1> u(at);
    u.d[0] = 1;
    slope.push_back(table(u).d[0]);
  }
  return slope;
}

/// Weights of the values (0, 1) and slopes (2, 3) at both ends of an interval, and their derivatives.
struct Weights {
  std::array<double, 4> w{}, d{};
};
Weights weights(double s, double h, bool smooth) {
  if (!smooth) return {{1 - s, s, 0, 0}, {-1 / h, 1 / h, 0, 0}};
  const double r = 1 - s;
  return {{r * r * (1 + 2 * s), s * s * (3 - 2 * s), h * s * r * r, -h * s * s * r},
          {-6 * s * r / h, 6 * s * r / h, r * (1 - 3 * s), s * (3 * s - 2)}};
}

std::size_t interval(const std::vector<double>& x, double at) {
  return static_cast<std::size_t>(std::upper_bound(x.begin() + 1, x.end() - 1, at) - x.begin()) - 1;
}

}  // namespace

Table2d::Table2d(std::vector<double> x, std::vector<double> y, std::vector<double> values, bool smooth)
    : x_(std::move(x)), y_(std::move(y)), smooth_(smooth), f_(std::move(values)) {
  fx_.assign(f_.size(), 0.0);
  fy_ = fxy_ = fx_;
  if (!smooth) return;
  const std::size_t n = x_.size(), m = y_.size();
  const auto along_x = [&](const std::vector<double>& from, std::vector<double>& to, double weight) {
    for (std::size_t j = 0; j < m; ++j) {
      std::vector<double> column(n);
      for (std::size_t i = 0; i < n; ++i) column[i] = from[i * m + j];
      const auto slope = slopes(x_, column);
      for (std::size_t i = 0; i < n; ++i) to[i * m + j] += weight * slope[i];
    }
  };
  const auto along_y = [&](const std::vector<double>& from, std::vector<double>& to, double weight) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto slope = slopes(
          y_, {from.begin() + static_cast<long>(i * m), from.begin() + static_cast<long>((i + 1) * m)});
      for (std::size_t j = 0; j < m; ++j) to[i * m + j] += weight * slope[j];
    }
  };
  along_x(f_, fx_, 1.0);
  along_y(f_, fy_, 1.0);
  along_x(fy_, fxy_, 0.5);
  along_y(fx_, fxy_, 0.5);
}

Table2d::Value Table2d::at(double x, double y, bool hold) const {
  const double u = std::clamp(x, x_.front(), x_.back()), v = std::clamp(y, y_.front(), y_.back());
  const std::size_t i = interval(x_, u), j = interval(y_, v);
  const double hx = x_[i + 1] - x_[i], hy = y_[j + 1] - y_[j];
  const Weights a = weights((u - x_[i]) / hx, hx, smooth_), b = weights((v - y_[j]) / hy, hy, smooth_);
  double f = 0, fx = 0, fy = 0, fxy = 0;
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) {
      const auto& nodal = p < 2 ? (q < 2 ? f_ : fy_) : q < 2 ? fx_ : fxy_;
      const double c = nodal[(i + p % 2) * y_.size() + j + q % 2];
      f += c * a.w[p] * b.w[q];
      fx += c * a.d[p] * b.w[q];
      fy += c * a.w[p] * b.d[q];
      fxy += c * a.d[p] * b.d[q];
    }
  if (hold) return {f, x == u ? fx : 0.0, y == v ? fy : 0.0};
  const double dx = x - u, dy = y - v;
  return {f + fx * dx + fy * dy + fxy * dx * dy, fx + fxy * dy, fy + fxy * dx};
}

}  // namespace control

namespace {

void build_table_2d(Build& b) {
  const auto &x = b.vector("x"), &y = b.vector("y");
  const MatrixValue& values = b.matrix("values");
  for (const char* key : {"x", "y"}) {
    const auto& grid = b.vector(key);
    if (grid.size() < 2) b.refuse("E-TABLE", key, "a table needs at least two points");
    for (std::size_t i = 1; i < grid.size(); ++i)
      if (!(grid[i] > grid[i - 1]))
        b.refuse("E-TABLE", key, fmt::format("must increase: {:g} follows {:g}", grid[i], grid[i - 1]));
  }
  if (values.rows != static_cast<int>(x.size()) || values.columns != static_cast<int>(y.size()))
    b.refuse("E-WIDTH", "values",
             fmt::format("is {}×{}, needs {}×{}", values.rows, values.columns, x.size(), y.size()),
             "one row per x, one column per y");
  const auto inputs = b.signals("inputs");
  if (inputs.size() != 2)
    b.refuse("E-WIDTH", "inputs", fmt::format("two signals are needed, there are {}", inputs.size()),
             "inputs: [x, y]");
  const auto table =
      std::make_shared<const control::Table2d>(x, y, values.entries, b.text("interpolation") == "smooth");
  control::build_part_by_part(
      b, [table, hold = b.text("beyond") == "hold"](std::span<const double> u, std::span<double> gradient) {
        const auto [f, fx, fy] = table->at(u[0], u[1], hold);
        gradient[0] = fx;
        gradient[1] = fy;
        return f;
      });
}

}  // namespace

ComponentType control_table_2d() {
  ComponentType type("control.table_2d", "A function of two signals, given by values on a grid.");
  type.description =
      "`values` has one row per number of `x` and one column per number of `y`. Between the grid points the "
      "output is bilinear, or (`smooth`) bicubic: a monotone cubic along every line of the grid, with a "
      "continuous gradient everywhere. Beyond the grid it goes on along the slopes of the edge (`continue`), "
      "or is held.";
  type.is_block("the function of both inputs", true);
  type.connects(signal_port("inputs", "any", "the two signals [x, y], equally wide or single").several());
  type.takes(vector("x", "any", 0, "first coordinates of the grid, increasing"));
  type.takes(vector("y", "any", 0, "second coordinates of the grid, increasing"));
  type.takes(matrix("values", "any", "values on the grid, or a CSV file in SI").of_output());
  type.takes(choice("interpolation", {"linear", "smooth"},
                    "between the points: bilinear, or bicubic with a continuous gradient")
                 .otherwise("linear"));
  type.takes(choice("beyond", {"continue", "hold"}, "beyond the grid").otherwise("continue"));
  type.signs = "The output is the value, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
speed: {type: control.sine, amplitude: 2, frequency: 1 Hz, offset: 1}
load: {type: control.ramp, slope: 2}
torque: {type: control.table_2d, x: [0, 1, 3], y: [0, 1], values: [[0, 1], [2, 2.5], [3, 5]], interpolation: smooth, inputs: [speed, load]}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.signal_width("inputs"); };
  type.build = build_table_2d;
  return type;
}

}  // namespace escapement
