// Curves with more points than a figure can show, reduced to those that matter at its size.
#pragma once
#include <vector>

namespace escapement {

struct PlotPoint {
  double x, y;  // px
};
using Stroke = std::vector<PlotPoint>;  // drawn without lifting the pen

/// For x that only grows: the first, lowest, highest and last point of every column of half a pixel, so that no peak
/// is lost.
Stroke thinned_by_column(const Stroke& stroke);
/// For any path: straight runs replaced by their ends, within a tenth of a pixel. A path that would still be too long
/// to store loses the segments that run only where ink already is; it then comes in pieces.
std::vector<Stroke> thinned_by_shape(const Stroke& stroke);
/// Whether the stroke meets a rectangle.
bool crosses(const Stroke& stroke, double left, double top, double right, double bottom);

}  // namespace escapement
