// Figures: well-formed for any data, with ticks, labels and shapes that say what the data say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "report/axis.hpp"
#include "report/plot.hpp"
#include "report/text.hpp"
#include "report/thinning.hpp"

using namespace escapement;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Tags nest, attributes are quoted, text is escaped, and no coordinate is NaN or infinite.
bool well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < svg.size();) {
    if (svg[at] != '<') {
      if (svg[at] == '>') return false;
      if (svg[at] == '&' && !svg.substr(at).starts_with("&amp;") && !svg.substr(at).starts_with("&lt;") &&
          !svg.substr(at).starts_with("&gt;") && !svg.substr(at).starts_with("&quot;"))
        return false;
      ++at;
      continue;
    }
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || contains(tag, "nan") || contains(tag, "inf"))
      return false;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (tag.back() != '/') open.push_back(name);
    at = end + 1;
  }
  return open.empty();
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks()) result.push_back(tick.label);
  return result;
}

Axis axis(AxisRange range, const std::string& unit = "1", bool logarithmic = false) {
  Axis result("x", unit, range, logarithmic);
  result.choose_ticks(400, 60);
  result.place(0, 400);
  return result;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks are multiples of 1, 2 or 5 with as many digits as they need") {
  CHECK(labels(axis({0, 1})) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(axis({0, 0.3})) == Labels{"0", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"});
  CHECK(labels(axis({-7, 12})) == Labels{"−5", "0", "5", "10"});
  CHECK(labels(axis({0, 3600})) == Labels{"0", "1000", "2000", "3000"});
  const Axis seconds = axis({0, 1});
  CHECK(seconds.ticks()[1].position == doctest::Approx(80));
}

TEST_CASE("very small and large numbers get a prefix or a power of ten") {
  const Axis pressure = axis({0, 3e6}, "Pa");
  CHECK(pressure.label() == "x (MPa)");
  CHECK(labels(pressure) == Labels{"0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"});
  CHECK(axis({0, 3e-4}, "m^3/s").label() == "x (10⁻⁶ m³/s)");
  CHECK(axis({0, 3e-4}, "1").label() == "x (×10⁻⁶)");
  CHECK(axis({0, 5e-3}, "m/s^2").label() == "x (mm/s²)");
  CHECK(axis({0, 4e4}, "N*m").label() == "x (kN·m)");
  CHECK(axis({0, 4e4}, "s").label() == "x (s)");
  CHECK(axis({0, 1e9}, "ohm").label() == "x (GΩ)");
  CHECK(axis({0, 1e9}, "m").label() == "x (10⁹ m)");
  CHECK(axis({0, 1}, "1").label() == "x");
}

TEST_CASE("what all labels share becomes an offset") {
  const Axis tank = axis({101324.999, 101325.001}, "Pa");
  CHECK(tank.label() == "x − 101325 Pa (mPa)");
  CHECK(labels(tank) == Labels{"−1.0", "−0.5", "0", "0.5", "1.0"});
  CHECK(axis({-273.15 - 1e-6, -273.15 + 1e-6}, "K").label() == "x + 273.15 K (µK)");
}

TEST_CASE("logarithmic ticks are decades; within a decade 2 and 5 as well") {
  CHECK(labels(axis({0.1, 1000}, "Hz", true)) == Labels{"0.1", "1", "10", "100", "1000"});
  CHECK(labels(axis({1e-12, 1}, "1", true)) ==
        Labels{"10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"});
  CHECK(labels(axis({3, 30}, "1", true)) == Labels{"5", "10", "20"});
  CHECK(axis({1, 100}, "1", true).position(10) == doctest::Approx(200));
  CHECK(labels(axis({3.1, 3.7}, "1", true)).size() >= 3);
}

TEST_CASE("a constant is shown in the middle, and no range is empty") {
  for (const double value : {0.0, 5.0, -3e-5, 1e300, 5e-324, 1.7e308}) {
    CAPTURE(value);
    AxisRange range;
    range.include(value);
    const AxisRange padded = range.padded(false, 0.05);
    CHECK(padded.low < padded.high);
    CHECK(labels(axis(padded)).size() >= 2);
  }
  AxisRange range;
  CHECK(range.padded(false, 0.05).high == 1);
  CHECK(range.padded(true, 0.05).low == 1);
}

TEST_CASE("units in print and text in XML") {
  CHECK(printed_unit("kg*m^2/s^-12") == "kg·m²/s⁻¹²");
  CHECK(printed_unit("1").empty());
  CHECK(escaped("a<b & \"c\">d") == "a&lt;b &amp; &quot;c&quot;&gt;d");
  CHECK(escaped("\x01µ\xff\xc3") == " µ\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(px(1.0) == "1");
  CHECK(px(-0.001) == "0");
  CHECK(px(12.345) == "12.35");
  const std::string name = "a_rather_long_name.of_a.component";
  CHECK(shortened(name, 1000, 12) == name);
  CHECK(text_width(shortened(name, 100, 12), 12) <= 100);
  CHECK(contains(shortened(name, 100, 12), "…"));
}

TEST_CASE("thinning by column keeps every peak") {
  Stroke stroke;
  for (int i = 0; i < 100'000; ++i) stroke.push_back({i * 5e-3, 100 + 50 * std::sin(1e-4 * i)});
  stroke[40'001].y = 7;  // one sample wide
  stroke[70'001].y = 193;
  const Stroke thin = thinned_by_column(stroke);
  CHECK(thin.size() < 4000);
  const auto lower = [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; };
  CHECK(std::min_element(thin.begin(), thin.end(), lower)->y == 7);
  CHECK(std::max_element(thin.begin(), thin.end(), lower)->y == 193);
  CHECK(thin.front().x == stroke.front().x);
  CHECK(thin.back().x == stroke.back().x);
}

TEST_CASE("thinning by shape stays within its tolerance, also where the path turns back") {
  Stroke stroke;
  for (int i = 0; i < 50'000; ++i) {
    const double s = i * 2e-4 * std::numbers::pi;
    stroke.push_back({300 + 250 * std::sin(3 * s), 200 + 150 * std::cos(2 * s)});
  }
  for (int i = 0; i < 5000; ++i)
    stroke.push_back({300 + 200 * std::sin(i * 1e-2), 200});  // to and fro on a line
  const std::vector<Stroke> pieces = thinned_by_shape(stroke);
  REQUIRE(pieces.size() == 1);
  const Stroke& thin = pieces[0];
  CHECK(thin.size() < 8000);
  const auto distance = [&](const PlotPoint& p) {
    double nearest = 1e9;
    for (std::size_t i = 1; i < thin.size(); ++i) {
      const PlotPoint &a = thin[i - 1], &b = thin[i];
      const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
      const double t = length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
      nearest = std::min(nearest, std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy));
    }
    return nearest;
  };
  double worst = 0;
  for (std::size_t i = 0; i < stroke.size(); i += 97) worst = std::max(worst, distance(stroke[i]));
  CHECK(worst < 0.25);
  const auto further = [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; };
  CHECK(std::max_element(thin.begin(), thin.end(), further)->x == doctest::Approx(550).epsilon(1e-3));
}

TEST_CASE("a figure of one curve has labels with units and no legend") {
  std::vector<double> t, y;
  for (int i = 0; i <= 200; ++i) {
    t.push_back(0.05 * i);
    y.push_back(0.25 * i - 20);
  }
  const std::string svg = plot_svg({.title = "Swing <1>", .curves = {{"mass.position", "m", t, y}}});
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">mass.position (m)</text>"));
  CHECK(contains(svg, ">time (s)</text>"));
  CHECK(contains(svg, "<title id=\"title\">Swing &lt;1&gt;</title>"));
  CHECK(contains(svg, "role=\"img\""));
  CHECK(contains(svg, "time from 0 s to 10 s; mass.position lies between -20 m and 30 m."));
  CHECK(count(svg, "mass.position") == 2);  // label and description
}

TEST_CASE("curves of one unit share a panel and a legend; other units get panels of their own") {
  const std::vector<double> t{0, 1, 2}, a{0, 1, 0}, b{1, 0, 1}, p{1e5, 2e5, 3e5};
  const std::string two = plot_svg({.curves = {{"mass.position", "m", t, a}, {"tip.position", "m", t, b}}});
  CHECK(well_formed(two));
  CHECK(contains(two, ">position (m)</text>"));
  CHECK(contains(two, ">mass.position</text>"));
  CHECK(contains(two, ">tip.position</text>"));
  const std::string forces = plot_svg({.curves = {{"a.pull", "N", t, a}, {"b.push", "N", t, b}}});
  CHECK(contains(forces, ">force (N)</text>"));
  const std::string three = plot_svg(
      {.curves = {{"mass.position", "m", t, a}, {"tank.pressure", "Pa", t, p}, {"tip.position", "m", t, b}}});
  CHECK(well_formed(three));
  CHECK(contains(three, ">position (m)</text>"));
  CHECK(contains(three, ">tank.pressure (kPa)</text>"));
  CHECK(count(three, "rotate(-90)") == 2);
  CHECK(count(three, ">time (s)</text>") == 1);
}

TEST_CASE("any data give a well-formed figure") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const double biggest = std::numeric_limits<double>::max(),
               least = std::numeric_limits<double>::denorm_min();
  const std::vector<double> none, one{1}, t{0, 1, 2, 3};
  const std::vector<std::vector<double>> samples{{0, 0, 0, 0},
                                                 {nan, nan, nan, nan},
                                                 {1, nan, 2, 3},
                                                 {infinity, 1, -infinity, 2},
                                                 {-biggest, 0, biggest, 1},
                                                 {least, 0, -least, 0},
                                                 {1, 1 + 1e-15, 1, 1},
                                                 {1e15, 1e15 + 1, 1e15, 1e15},
                                                 {-1, -2, -3, -4},
                                                 {1e-300, 1e300, 1, 1},
                                                 {biggest, biggest, biggest, biggest},
                                                 {least, least, least, least}};
  CHECK(well_formed(plot_svg({})));
  CHECK(contains(plot_svg({.curves = {{"a", "m", none, none}}}), "no values"));
  CHECK(contains(plot_svg({.curves = {{"a", "m", one, one}}}), "<circle"));
  for (const auto& sample : samples)
    for (const bool logarithmic_x : {false, true})
      for (const bool logarithmic_y : {false, true}) {
        CAPTURE(&sample - samples.data());
        CAPTURE(logarithmic_x);
        CAPTURE(logarithmic_y);
        PlotRequest request{
            .curves = {{"a\x02&", "m", t, sample}, {"b", "\"<", t, sample}, {"c", "m", one, sample}}};
        request.logarithmic_x = logarithmic_x;
        request.logarithmic_y = logarithmic_y;
        CHECK(well_formed(plot_svg(request)));
        request.curves = {{"phase", "1", sample, sample}};
        request.width = 50;
        request.height = 30;
        CHECK(well_formed(plot_svg(request)));
      }
}

TEST_CASE("long curves make small files, quickly") {
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  std::vector<double> t, y;
  for (int i = 0; i < 300'000; ++i) {
    t.push_back(3e-5 * i);
    y.push_back(std::sin(t.back()) + 0.1 * noise(random));
  }
  CHECK(plot_svg({.curves = {{"a", "m", t, y}}}).size() < 120'000);
  CHECK(plot_svg({.x_name = "b", .curves = {{"a", "m", y, y}}}).size() < 50'000);
  for (double& value : t) value = noise(random);
  CHECK(plot_svg({.x_name = "b", .curves = {{"a", "m", t, y}}}).size() < 1'000'000);
}
