#include "components/control/table_map.hpp"

#include <cmath>

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::TableMap>;

namespace escapement::control {
namespace {

std::shared_ptr<const TablePieces> lines(std::vector<double> x, std::vector<double> y, const char* name) {
  return std::make_shared<const TablePieces>(
      std::make_shared<const Table>(std::move(x), std::move(y), Table::Interpolation::linear), false, name);
}
/// So far that the difference is exact in some digits.
double away(double x) { return std::max(1.0, std::abs(x)); }

}  // namespace

void build_table_map(Build& b, const std::shared_ptr<const TablePieces>& pieces) {
  const auto u = b.wide_signal("input"), y = b.outputs();
  for (std::size_t i = 0; i < y.size(); ++i) b.add(TableMap{u[i], y[i], pieces});
}

std::shared_ptr<const TablePieces> saturation(double low, double high) {
  std::vector<double> x, y;
  const auto point = [&](double at, double value) {
    x.push_back(at);
    y.push_back(value);
  };
  if (std::isfinite(low)) point(low - away(low), low), point(low, low);
  else point(high - away(high), high - away(high));
  if (low < 0 && high > 0 && x.back() < 0) point(0, 0);  // small signals pass to the last digit
  if (std::isfinite(high)) point(high, high), point(high + away(high), high);
  else point(std::max(x.back(), 0.0) + away(low), std::max(x.back(), 0.0) + away(low));
  return lines(std::move(x), std::move(y), "limit");
}

std::shared_ptr<const TablePieces> dead_zone(double low, double high) {
  const double below = low - away(low), above = high + away(high);
  if (low == high) return lines({below, low, above}, {below - low, 0, above - high}, "dead zone");
  return lines({below, low, high, above}, {below - low, 0, 0, above - high}, "dead zone");
}

std::shared_ptr<const TablePieces> absolute() { return lines({-1, 0, 1}, {1, 0, 1}, "absolute value"); }

}  // namespace escapement::control
