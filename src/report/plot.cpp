// Layout of a figure: panels stacked over one x axis, each with its own y axis, curves and legend.
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/axis.hpp"
#include "report/text.hpp"
#include "report/thinning.hpp"

namespace escapement {
namespace {

// Okabe and Ito's colours, told apart by colour-blind readers and in print; without yellow, too faint on white.
// After the last one they repeat with other dashes.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                   "#E69F00", "#56B4E9", "#000000"};
constexpr const char* dashes[] = {"", "7 3", "2 2.5", "8 3 2 3"};
constexpr std::size_t colour_count = std::size(colours), dash_count = std::size(dashes);

constexpr double text_size = 12, title_size = 14, legend_size = 11.5;  // px
constexpr double tick_length = 4, line_height = 16, sample_length = 22;
constexpr std::size_t few_points = 2000;  // curves up to this length are drawn as they are

struct Box {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// The curves of one unit.
struct Panel {
  std::vector<const Curve*> curves;
  Axis axis;
  AxisRange range;
  Box box{};
  std::vector<std::vector<Stroke>> strokes;  // by curve, in px
  std::vector<std::vector<std::string>> legend_rows_above;
  double legend_column = 0;  // width, px
};

bool drawable(const Curve& curve, std::size_t i, const PlotRequest& request) {
  return std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]) &&
         (!request.logarithmic_x || curve.x[i] > 0) && (!request.logarithmic_y || curve.y[i] > 0);
}

std::size_t length(const Curve& curve) { return std::min(curve.x.size(), curve.y.size()); }

/// The last part of dotted names, if all have it in common: `position` for `mass.position`, `tip.position`.
std::string common_part(const std::vector<const Curve*>& curves) {
  const auto last_part = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const std::string part = last_part(curves.front()->name);
  for (const Curve* curve : curves)
    if (last_part(curve->name) != part) return "";
  return part;
}

std::string y_name(const std::vector<const Curve*>& curves) {
  if (curves.size() == 1) return curves.front()->name;
  const std::string part = common_part(curves);
  return part.empty() ? quantity_of(curves.front()->unit) : part;
}

class Figure {
 public:
  explicit Figure(const PlotRequest& request) : request_(request), width_(std::max(request.width, 160)) {
    make_panels();
    make_axes();
    place_panels();
    place_legends();
  }

  std::string svg() {
    open_document();
    if (!request_.title.empty())
      text(width_ / 2, 21, "middle", title_size, shortened(request_.title, width_ - 20, title_size),
           " font-weight=\"bold\"");
    for (Panel& panel : panels_) draw(panel);
    draw_x_labels();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void make_panels() {
    for (const Curve& curve : request_.curves) {
      const auto same = [&](const Panel& p) { return p.curves.front()->unit == curve.unit; };
      auto panel = std::find_if(panels_.begin(), panels_.end(), same);
      if (panel == panels_.end()) panel = panels_.emplace(panels_.end());
      panel->curves.push_back(&curve);
    }
    if (panels_.empty()) panels_.emplace_back().curves.push_back(&nothing_);  // an empty frame, seen as such
    for (Panel& panel : panels_)
      if (panel.curves.size() > 8) put_legend_above(panel);  // too many names to stand inside
  }

  /// Ranges over all drawable points, and whether x only grows.
  void make_axes() {
    AxisRange xs;
    for (Panel& panel : panels_) {
      AxisRange ys;
      for (const Curve* curve : panel.curves) {
        double before = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < length(*curve); ++i) {
          if (!drawable(*curve, i, request_)) continue;
          xs.include(curve->x[i]);
          ys.include(curve->y[i]);
          if (curve->x[i] < before) monotone_ = false;
          before = curve->x[i];
        }
      }
      panel.range = ys.padded(request_.logarithmic_y, 0.05);
    }
    xs = xs.padded(request_.logarithmic_x, monotone_ ? 0.0 : 0.04);
    make_equal(xs);
    for (Panel& panel : panels_)
      panel.axis =
          Axis(y_name(panel.curves), panel.curves.front()->unit, panel.range, request_.logarithmic_y);
    x_axis_ = Axis(request_.x_name, request_.x_unit, xs, request_.logarithmic_x);
  }

  /// A path in a plane keeps its shape: lengths over lengths are drawn to one scale, the shorter range made longer if the
  /// figure would get too flat or too high.
  void make_equal(AxisRange& xs) {
    const auto wider = [](AxisRange& r, double by) { r = {r.low - 0.5 * by, r.high + 0.5 * by}; };
    if (panels_.size() != 1 || request_.x_unit != "m" || panels_.front().curves.front()->unit != "m" ||
        request_.logarithmic_x || request_.logarithmic_y || request_.height > 0)
      return;
    AxisRange& ys = panels_.front().range;
    const double x = xs.high - xs.low, y = ys.high - ys.low;
    if (!(x > 0) || !(y > 0) || !std::isfinite(x) || !std::isfinite(y)) return;
    if (y < 0.1 * x || x < 0.1 * y) return;  // no path, or none that one scale could show
    if (y < 0.3 * x) wider(ys, 0.3 * x - y);
    if (y > x) wider(xs, y - x);
    aspect_ = (ys.high - ys.low) / (xs.high - xs.low);
  }

  void place_panels() {
    const double count = static_cast<double>(panels_.size());
    const double top = request_.title.empty() ? 14 : 36, bottom = 48, gap = 16;
    height_ = request_.height > 0
                  ? request_.height
                  : std::round(top + bottom + (count == 1 ? 0.52 * width_ : 0.27 * width_ * count));
    double legends = 0;
    for (const Panel& panel : panels_)
      legends += line_height * static_cast<double>(panel.legend_rows_above.size());
    if (aspect_ > 0) height_ = std::round(top + bottom + legends + aspect_ * (width_ - 90));
    const double panel_height =
        std::max(40.0, (height_ - top - bottom - legends - gap * (count - 1)) / count);
    height_ = std::max(height_, top + bottom + legends + gap * (count - 1) + panel_height * count);
    double y = top, label_width = 0;
    for (Panel& panel : panels_) {
      panel.axis.choose_ticks(panel_height, 30);
      for (const Tick& tick : panel.axis.ticks())
        label_width = std::max(label_width, text_width(tick.label, text_size));
      y += line_height * static_cast<double>(panel.legend_rows_above.size());
      panel.box = {0, y, 0, panel_height};
      y += panel_height + gap;
    }
    const double left = std::ceil(label_width + 34);
    x_axis_.choose_ticks(width_ - left - 18, 64);
    double right = 14;  // room for half of the last label
    if (!x_axis_.ticks().empty())
      right = std::max(right, text_width(x_axis_.ticks().back().label, text_size) / 2 + 3);
    for (Panel& panel : panels_) {
      panel.box.left = left;
      panel.box.width = std::max(40.0, width_ - left - right);
      if (aspect_ > 0) panel.box.width = std::min(panel.box.width, panel_height / aspect_);
      panel.axis.place(panel.box.bottom(), panel.box.top);
    }
    x_axis_.place(left, panels_.front().box.right());
    for (Panel& panel : panels_) make_strokes(panel);
  }

  void make_strokes(Panel& panel) {
    panel.strokes.clear();
    for (const Curve* curve : panel.curves) {
      std::vector<Stroke> strokes(1);
      for (std::size_t i = 0; i < length(*curve); ++i) {
        if (drawable(*curve, i, request_))
          strokes.back().push_back({x_axis_.position(curve->x[i]), panel.axis.position(curve->y[i])});
        else if (!strokes.back().empty()) strokes.emplace_back();
      }
      if (strokes.back().empty()) strokes.pop_back();
      panel.strokes.emplace_back();
      for (Stroke& stroke : strokes) {
        if (stroke.size() > few_points && !monotone_) {
          for (Stroke& piece : thinned_by_shape(stroke)) panel.strokes.back().push_back(std::move(piece));
          continue;
        }
        if (stroke.size() > few_points) stroke = thinned_by_column(stroke);
        panel.strokes.back().push_back(std::move(stroke));
      }
    }
  }

  // ---- legend: inside where no curve passes, else in rows above the panel ----

  static constexpr double entry_gap = 18;
  double entry_width(const std::string& name) const {
    return sample_length + 6 + text_width(name, legend_size);
  }

  void put_legend_above(Panel& panel) {
    const double room = width_ - 80;
    panel.legend_rows_above.assign(1, {});
    panel.legend_column = 0;
    for (const Curve* curve : panel.curves)
      panel.legend_column = std::max(panel.legend_column, entry_width(curve->name) + entry_gap);
    panel.legend_column = std::min(panel.legend_column, room + entry_gap);
    const auto columns = static_cast<std::size_t>((room + entry_gap) / panel.legend_column);
    for (const Curve* curve : panel.curves) {
      if (panel.legend_rows_above.back().size() == columns) panel.legend_rows_above.emplace_back();
      panel.legend_rows_above.back().push_back(
          shortened(curve->name, panel.legend_column - entry_gap - entry_width("") + 1, legend_size));
    }
  }

  void place_legends() {
    bool moved = false;
    legends_.assign(panels_.size(), std::nullopt);
    for (std::size_t k = 0; k < panels_.size(); ++k) {
      Panel& panel = panels_[k];
      if (panel.curves.size() < 2 || !panel.legend_rows_above.empty()) continue;
      legends_[k] = free_place(panel);
      if (!legends_[k]) {
        put_legend_above(panel);
        moved = true;
      }
    }
    if (!moved) return;
    // The panels become lower by the new rows; a place that was free may then no longer be: all go above.
    for (std::size_t k = 0; k < panels_.size(); ++k)
      if (panels_[k].curves.size() > 1 && panels_[k].legend_rows_above.empty()) put_legend_above(panels_[k]);
    legends_.assign(panels_.size(), std::nullopt);
    place_panels();
  }

  std::optional<Box> free_place(const Panel& panel) const {
    double width = 0;
    for (const Curve* curve : panel.curves) width = std::max(width, entry_width(curve->name));
    width += 16;
    const double height = line_height * static_cast<double>(panel.curves.size()) + 8, margin = 7;
    const Box& box = panel.box;
    if (width > 0.6 * box.width || height > 0.7 * box.height) return std::nullopt;
    const double right = box.right() - width - margin, left = box.left + margin;
    const double top = box.top + margin, bottom = box.bottom() - height - margin;
    const double middle = (left + right) / 2, half = (top + bottom) / 2;
    for (const auto& [x, y] : {std::pair{right, top},
                               {left, top},
                               {right, bottom},
                               {left, bottom},
                               {middle, top},
                               {middle, bottom},
                               {right, half},
                               {left, half}}) {
      const Box place{x, y, width, height};
      const auto hidden = [&](const std::vector<Stroke>& strokes) {
        return std::any_of(strokes.begin(), strokes.end(), [&](const Stroke& stroke) {
          return crosses(stroke, place.left - 4, place.top - 4, place.right() + 4, place.bottom() + 4);
        });
      };
      if (std::none_of(panel.strokes.begin(), panel.strokes.end(), hidden)) return place;
    }
    return std::nullopt;
  }

  void draw_entry(double x, double y, std::size_t number, const std::string& name) {
    out_ += fmt::format("<path d=\"M{} {}h{}\"{}/>\n", px(x), px(y), sample_length, style(number));
    text(x + sample_length + 6, y + 4, "start", legend_size, name);
  }

  void draw_legend(const Panel& panel) {
    const std::optional<Box>& place = legends_[&panel - panels_.data()];
    if (place) {
      out_ += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"#fff\" "
          "fill-opacity=\"0.9\" stroke=\"#ccc\" stroke-width=\"0.7\"/>\n",
          px(place->left), px(place->top), px(place->width), px(place->height));
      for (std::size_t j = 0; j < panel.curves.size(); ++j)
        draw_entry(place->left + 8, place->top + 4 + line_height * (0.5 + static_cast<double>(j)), j,
                   panel.curves[j]->name);
      return;
    }
    std::size_t number = 0;
    double y = panel.box.top - line_height * static_cast<double>(panel.legend_rows_above.size()) + 4;
    for (const auto& row : panel.legend_rows_above) {
      double x = panel.box.left;
      for (const std::string& name : row) {
        draw_entry(x, y, number++, name);
        x += panel.legend_column;
      }
      y += line_height;
    }
  }

  // ---- drawing ----

  void open_document() {
    const std::string title = request_.title.empty() ? described_curves() : request_.title;
    out_ += fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\" aria-labelledby=\"title desc\" font-family=\"sans-serif\" fill=\"#222\">\n"
        "<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        px(width_), px(height_), escaped(title), escaped(description()));
  }

  std::string described_curves() const {
    std::string names;
    for (const Curve& curve : request_.curves) names += (names.empty() ? "" : ", ") + curve.name;
    return (names.empty() ? "nothing" : names) + " over " + request_.x_name;
  }

  /// For those who cannot see the figure: what is drawn over what, and from where to where.
  std::string description() const {
    const auto with_unit = [](double value, const std::string& unit) {
      return fmt::format("{:.4g}", value) + (unit.empty() || unit == "1" ? "" : " " + unit);
    };
    std::string sentences;
    AxisRange xs;
    for (const Curve& curve : request_.curves) {
      AxisRange ys;
      for (std::size_t i = 0; i < length(curve); ++i)
        if (drawable(curve, i, request_)) {
          xs.include(curve.x[i]);
          ys.include(curve.y[i]);
        }
      sentences += ys.empty() ? fmt::format("; {} has no values", curve.name)
                              : fmt::format("; {} lies between {} and {}", curve.name,
                                            with_unit(ys.low, curve.unit), with_unit(ys.high, curve.unit));
    }
    if (xs.empty()) return "No values" + sentences + ".";
    return fmt::format("{} from {} to {}{}.", request_.x_name, with_unit(xs.low, request_.x_unit),
                       with_unit(xs.high, request_.x_unit), sentences);
  }

  void draw(const Panel& panel) {
    draw_grid(panel);
    out_ += "<g fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n";
    for (std::size_t j = 0; j < panel.strokes.size(); ++j)
      for (const Stroke& stroke : panel.strokes[j]) draw(stroke, j);
    out_ += "</g>\n";
    if (std::all_of(panel.strokes.begin(), panel.strokes.end(), [](const auto& s) { return s.empty(); }))
      text(panel.box.left + panel.box.width / 2, panel.box.top + panel.box.height / 2 + 4, "middle",
           text_size, "no values", " fill=\"#888\"");
    draw_legend(panel);
  }

  void draw(const Stroke& stroke, std::size_t number) {
    if (stroke.size() == 1) {
      out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2.4\" fill=\"{}\"/>\n", px(stroke[0].x),
                          px(stroke[0].y), colours[number % colour_count]);
      return;
    }
    out_ += "<path d=\"M";
    std::string last;
    for (const PlotPoint& point : stroke) {
      std::string place = px(point.x) + ' ' + px(point.y);
      if (place == last) continue;
      out_ += place;
      out_ += ' ';
      last = std::move(place);
    }
    out_.back() = '"';
    out_ += style(number) + "/>\n";
  }

  static std::string style(std::size_t number) {
    const char* dash = dashes[number / colour_count % dash_count];
    return fmt::format(" stroke=\"{}\" stroke-width=\"1.6\"{}", colours[number % colour_count],
                       *dash == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
  }

  void draw_grid(const Panel& panel) {
    const Box& box = panel.box;
    std::string minor, major, zero, marks;
    for (const double x : x_axis_.minor_positions())
      minor += fmt::format("M{} {}v{}", px(x), px(box.top), px(box.height));
    for (const double y : panel.axis.minor_positions())
      minor += fmt::format("M{} {}h{}", px(box.left), px(y), px(box.width));
    for (const Tick& tick : x_axis_.ticks()) {
      const bool crossing = tick.zero && !monotone_ && tick.position > box.left + 1;
      (crossing ? zero : major) += fmt::format("M{} {}v{}", px(tick.position), px(box.top), px(box.height));
      marks += fmt::format("M{} {}v{}", px(tick.position), px(box.bottom()), tick_length);
    }
    for (const Tick& tick : panel.axis.ticks()) {
      (tick.zero ? zero : major) += fmt::format("M{} {}h{}", px(box.left), px(tick.position), px(box.width));
      marks += fmt::format("M{} {}h{}", px(box.left), px(tick.position), -tick_length);
      text(box.left - tick_length - 4, tick.position + 0.35 * text_size, "end", text_size, tick.label);
    }
    lines(minor, "#f2f2f2", 0.7);
    lines(major, "#e4e4e4", 0.8);
    lines(zero, "#bdbdbd", 0.9);
    marks += fmt::format("M{} {}V{}H{}", px(box.left), px(box.top), px(box.bottom()), px(box.right()));
    lines(marks, "#444", 0.9);
    const std::string label = shortened(panel.axis.label(), box.height + 24, text_size);
    text(0, 0, "middle", text_size, label,
         fmt::format(" transform=\"translate(15 {}) rotate(-90)\"", px(box.top + box.height / 2)));
  }

  void draw_x_labels() {
    const Box& box = panels_.back().box;
    for (const Tick& tick : x_axis_.ticks())
      text(tick.position, box.bottom() + tick_length + 14, "middle", text_size, tick.label);
    text(box.left + box.width / 2, box.bottom() + 38, "middle", text_size,
         shortened(x_axis_.label(), width_ - 20, text_size));
  }

  void lines(const std::string& path, const char* colour, double width) {
    if (!path.empty())
      out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", path, colour,
                          width);
  }

  void text(double x, double y, const char* anchor, double size, const std::string& words,
            const std::string& more = "") {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", px(x),
                        px(y), anchor, size, more, escaped(words));
  }

  const PlotRequest& request_;
  const Curve nothing_{};
  double width_, height_ = 0;
  double aspect_ = 0;  // of a panel to one scale, 0: free
  bool monotone_ = true;
  Axis x_axis_;
  std::vector<Panel> panels_;
  std::vector<std::optional<Box>> legends_;  // by panel, if inside
  std::string out_;
};

}  // namespace

std::string plot_svg(const PlotRequest& request) { return Figure(request).svg(); }

}  // namespace escapement
