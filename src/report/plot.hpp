// Plots of results as SVG, for reports and papers, without any other program.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace escapement {

/// y over x; both equally long. Numbers that are not finite, or not positive on a logarithmic axis, leave a gap.
struct Curve {
  std::string name, unit;  // units as in results: "m/s^2"; "" or "1" for pure numbers
  std::span<const double> x, y;
};

struct PlotRequest {
  std::string title = {};  // none: no title line
  std::string x_name = "time", x_unit = "s";
  std::vector<Curve> curves = {};  // one panel per unit, in order of appearance, over a common x axis
  int width = 720;                 // px
  int height = 0;                  // px; 0: as the number of panels suggests
  bool logarithmic_x = false, logarithmic_y = false;
};

/// The whole document. Curves of many points are thinned below what the eye can tell at this size.
std::string plot_svg(const PlotRequest& request);

}  // namespace escapement
