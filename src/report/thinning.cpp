// Thinning of curves.
#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace escapement {
namespace {

/// The cone of directions from an anchor that pass all points since within the tolerance (Williams 1978); linear in
/// the number of points.
Stroke straight_runs(const Stroke& stroke, double tolerance) {
  Stroke kept{stroke.front()};
  double middle = 0, low = 0, high = 0, farthest = 0;  // angles from the first direction, px
  bool open = true;                                    // no direction yet
  const auto direction_to = [&](const PlotPoint& p) {
    return std::atan2(p.y - kept.back().y, p.x - kept.back().x);
  };
  for (std::size_t i = 1; i < stroke.size(); ++i) {
    double distance = std::hypot(stroke[i].x - kept.back().x, stroke[i].y - kept.back().y);
    if (!open) {
      const double turn = std::remainder(direction_to(stroke[i]) - middle, 2 * std::numbers::pi);
      if (turn < low || turn > high || distance < farthest - tolerance) {
        kept.push_back(stroke[i - 1]);
        open = true;
        distance = std::hypot(stroke[i].x - kept.back().x, stroke[i].y - kept.back().y);
      } else {
        const double spread = std::asin(std::min(1.0, tolerance / std::max(distance, tolerance)));
        low = std::max(low, turn - spread);
        high = std::min(high, turn + spread);
        farthest = std::max(farthest, distance);
        continue;
      }
    }
    if (distance <= tolerance) continue;
    middle = direction_to(stroke[i]);
    high = std::asin(tolerance / distance);
    low = -high;
    farthest = distance;
    open = false;
  }
  kept.push_back(stroke.back());
  return kept;
}

/// Drops segments that touch only pixels which earlier ones have touched.
std::vector<Stroke> without_hidden_segments(const Stroke& stroke) {
  const auto [left, right] = std::minmax_element(
      stroke.begin(), stroke.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  const auto [top, bottom] = std::minmax_element(
      stroke.begin(), stroke.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; });
  const auto columns = static_cast<std::size_t>(right->x - left->x) + 1;
  const auto rows = static_cast<std::size_t>(bottom->y - top->y) + 1;
  std::vector<bool> inked(columns * rows, false);
  const auto ink = [&, x0 = left->x, y0 = top->y](const PlotPoint& a,
                                                  const PlotPoint& b) {  // whether any of it is new
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const int steps = static_cast<int>(length / 0.7) + 1;
    bool fresh = false;
    for (int k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      const auto column = static_cast<std::size_t>(std::max(a.x + t * (b.x - a.x) - x0, 0.0));
      const auto row = static_cast<std::size_t>(std::max(a.y + t * (b.y - a.y) - y0, 0.0));
      const std::size_t cell = std::min(row, rows - 1) * columns + std::min(column, columns - 1);
      fresh |= !inked[cell];
      inked[cell] = true;
    }
    return fresh;
  };
  std::vector<Stroke> pieces;
  bool pen_down = false;
  for (std::size_t i = 1; i < stroke.size(); ++i) {
    const bool fresh = ink(stroke[i - 1], stroke[i]);
    if (fresh && !pen_down) pieces.push_back({stroke[i - 1]});
    if (fresh) pieces.back().push_back(stroke[i]);
    pen_down = fresh;
  }
  return pieces;
}

/// Whether the segment meets the rectangle (Liang and Barsky).
bool meets(const PlotPoint& a, const PlotPoint& b, double left, double top, double right, double bottom) {
  double from = 0, to = 1;
  const auto cut = [&](double rate, double room) {  // keeps t with rate t <= room
    if (rate == 0) return room >= 0;
    const double t = room / rate;
    rate < 0 ? from = std::max(from, t) : to = std::min(to, t);
    return from <= to;
  };
  const double dx = b.x - a.x, dy = b.y - a.y;
  return cut(-dx, a.x - left) && cut(dx, right - a.x) && cut(-dy, a.y - top) && cut(dy, bottom - a.y);
}

}  // namespace

Stroke thinned_by_column(const Stroke& stroke) {
  Stroke kept;
  for (std::size_t begin = 0; begin < stroke.size();) {
    const double column = std::floor(2 * stroke[begin].x);
    std::size_t end = begin, lowest = begin, highest = begin;
    for (; end < stroke.size() && std::floor(2 * stroke[end].x) == column; ++end) {
      if (stroke[end].y < stroke[lowest].y) lowest = end;
      if (stroke[end].y > stroke[highest].y) highest = end;
    }
    std::size_t chosen[] = {begin, std::min(lowest, highest), std::max(lowest, highest), end - 1};
    const auto* last = std::unique(std::begin(chosen), std::end(chosen));
    for (const std::size_t* i = chosen; i != last; ++i) kept.push_back(stroke[*i]);
    begin = end;
  }
  return straight_runs(kept, 0.05);
}

std::vector<Stroke> thinned_by_shape(const Stroke& stroke) {
  constexpr std::size_t storable = 10'000;
  Stroke kept = straight_runs(stroke, 0.1);
  if (kept.size() <= storable) return {std::move(kept)};
  return without_hidden_segments(straight_runs(stroke, 0.5));
}

bool crosses(const Stroke& stroke, double left, double top, double right, double bottom) {
  if (stroke.size() == 1) return meets(stroke[0], stroke[0], left, top, right, bottom);
  for (std::size_t i = 1; i < stroke.size(); ++i)
    if (meets(stroke[i - 1], stroke[i], left, top, right, bottom)) return true;
  return false;
}

}  // namespace escapement
