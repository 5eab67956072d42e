#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "base/file.hpp"
#include "record/file_error.hpp"
#include "record/json.hpp"
#include "record/motion.hpp"
#include "report/base64.hpp"
#include "report/text.hpp"
#include "report/viewer.hpp"

namespace escapement {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_values = 4'000'000;  // of all channels; 4 bytes each, a third more as text

std::string read_text(const fs::path& path) {
  std::string text;
  return read_file(path, text) ? "" : text;
}

/// A JSON file of the run folder as it is, or null.
Json json_file(const fs::path& path) {
  std::string text = read_text(path);
  return text.empty() ? Json() : Json::raw(std::move(text));
}

/// Blocks of numbers, each an element of the page.
class Blocks {
 public:
  int add(const void* data, std::size_t bytes) {
    fmt::format_to(std::back_inserter(text_), "<script type=\"application/octet-stream\" id=\"block-{}\">",
                   count_);
    append_base64(text_, data, bytes);
    text_ += "</script>\n";
    return count_++;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int count_ = 0;
};

/// Which rows of a long run stand for all: buckets of equal numbers of rows, two points each.
struct Thinning {
  std::size_t rows, buckets;
  bool thinned;
  Thinning(std::size_t rows, std::size_t channels) : rows(rows) {
    const std::size_t points =
        std::clamp<std::size_t>(most_values / std::max<std::size_t>(channels, 1), 200, 100'000);
    thinned = rows > points;
    buckets = points / 2;
  }
  std::size_t begin(std::size_t bucket) const { return rows * bucket / buckets; }

  std::vector<double> times(const std::vector<double>& t) const {
    if (!thinned) return t;
    std::vector<double> list;
    for (std::size_t b = 0; b < buckets; ++b) {
      list.push_back(t[begin(b)]);
      list.push_back(b + 1 == buckets ? t.back() : t[(begin(b) + begin(b + 1)) / 2]);
    }
    return list;
  }
  std::vector<float> values(const std::vector<double>& y, double offset) const {
    std::vector<float> list;
    const auto add = [&](double v) { list.push_back(static_cast<float>(v - offset)); };
    if (!thinned) {
      for (const double v : y) add(v);
      return list;
    }
    for (std::size_t b = 0; b < buckets; ++b) {
      const auto [low, high] = std::minmax_element(y.begin() + static_cast<long>(begin(b)),
                                                   y.begin() + static_cast<long>(begin(b + 1)));
      add(std::min(low, high) == low ? *low : *high);
      add(std::min(low, high) == low ? *high : *low);
    }
    return list;
  }
};

Json channels_json(const Results& results, const Thinning& thinning, Blocks& blocks) {
  Json list = Json::array();
  for (std::size_t i = 1; i < results.columns.size(); ++i) {
    const std::vector<double>& y = results.data[i];
    double low = 0, high = 0;
    if (!y.empty()) {
      const auto [a, b] = std::minmax_element(y.begin(), y.end());
      low = *a, high = *b;
    }
    // Small changes of a large value would be lost in 32 bits.
    const double offset = high - low < 1e-3 * std::max(std::abs(low), std::abs(high)) ? low : 0.0;
    const std::vector<float> values = thinning.values(y, offset);
    list.add(Json::object()
                 .set("name", results.columns[i].name)
                 .set("unit", results.columns[i].unit)
                 .set("summary", results.columns[i].summary)
                 .set("block", blocks.add(values.data(), values.size() * sizeof(float)))
                 .set("offset", offset)
                 .set("min", low)
                 .set("max", high));
  }
  return list;
}

Json motion_json(const fs::path& folder, Blocks& blocks) {
  const MotionFile motion = read_motion_file(folder / "motion.bin");
  if (motion.frames == 0) return {};
  return Json::object()
      .set("block", blocks.add(motion.values.data(), motion.values.size() * sizeof(float)))
      .set("frames", motion.frames)
      .set("columns", motion.columns);
}

/// The name of the folder, with or without a slash behind it.
std::string name_of(const fs::path& folder) {
  const fs::path name = folder.lexically_normal();
  return (name.filename().empty() ? name.parent_path() : name).filename().string();
}

Json run_json(const ReportedRun& run, Blocks& blocks) {
  const Thinning thinning(run.results.rows(), run.results.columns.size() - 1);
  const std::vector<double> times = thinning.times(run.results.data.front());
  Json plots = Json::array();
  for (const ReportedRun::Plot& p : run.plots) {
    Json y = Json::array();
    for (const std::string& channel : p.y) y.add(channel);
    plots.add(Json::object().set("title", p.title).set("x", p.x.empty() ? "time" : p.x).set("y", y));
  }
  Json j = Json::object();
  j.set("name", name_of(run.folder)).set("title", run.title);
  j.set("source", read_text(run.folder / "source.yaml"));
  j.set("model", read_text(run.folder / "model.yaml")).set("summary", json_file(run.folder / "summary.json"));
  j.set("plots", plots).set("rows", run.results.rows());
  j.set("time", Json::object()
                    .set("block", blocks.add(times.data(), times.size() * sizeof(double)))
                    .set("thinned", thinning.thinned));
  j.set("channels", channels_json(run.results, thinning, blocks));
  j.set("scene", json_file(run.folder / "scene.json")).set("motion", motion_json(run.folder, blocks));
  j.set("history", json_file(run.folder / "history.json"));
  return j;
}

/// Replaces the one place of `mark`.
void put(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) throw std::logic_error("the viewer has no place for its data");
  page.replace(at, mark.size(), text);
}

}  // namespace

std::vector<Difference> differences(const Results& a, const Results& b) {
  std::vector<Difference> list;
  const std::vector<double>&t = a.data.front(), &s = b.data.front();
  for (std::size_t i = 1; i < a.columns.size(); ++i) {
    const int j = b.find(a.columns[i].name);
    if (j < 0) continue;
    const std::vector<double>&x = a.data[i], &y = b.data[j];
    Difference d{a.columns[i].name, a.columns[i].unit};
    double sum = 0, mean = 0, square = 0;
    std::size_t count = 0, k = 0;
    for (std::size_t n = 0; n < t.size(); ++n) {
      if (s.empty() || t[n] < s.front() || t[n] > s.back()) continue;
      while (k + 1 < s.size() && s[k + 1] < t[n]) ++k;
      const bool at_end = k + 1 >= s.size();
      const double width = at_end ? 0 : s[k + 1] - s[k];
      const double part = width > 0 ? (t[n] - s[k]) / width : 0;
      const double other = at_end ? y[k] : part >= 1 ? y[k + 1] : y[k] + part * (y[k + 1] - y[k]);
      const double e = std::abs(x[n] - other);
      if (e > d.largest) d.largest = e, d.at = t[n];
      sum += e * e;
      ++count;
      const double before = x[n] - mean;
      mean += before / static_cast<double>(count);
      square += before * (x[n] - mean);
    }
    if (count == 0) continue;
    d.rms = std::sqrt(sum / static_cast<double>(count));
    d.relative = std::sqrt(sum / square);
    if (sum == 0) d.relative = 0;
    list.push_back(d);
  }
  return list;
}

Json difference_json(const Difference& d) {
  return Json::object()
      .set("channel", d.channel)
      .set("unit", d.unit)
      .set("largest", d.largest)
      .set("at", d.at)
      .set("rms", d.rms)
      .set("relative", d.relative);
}

bool has_viewer() { return !viewer_template().empty(); }

std::string report_page(const std::vector<ReportedRun>& runs, const std::vector<Difference>& norms) {
  Blocks blocks;
  Json list = Json::array();
  for (const ReportedRun& run : runs) list.add(run_json(run, blocks));
  Json report = Json::object();
  report.set("format", 1)
      .set("kind", runs.size() > 1 ? "comparison" : "run")
      .set("version", ESCAPEMENT_VERSION);
  report.set("runs", list);
  if (runs.size() > 1) {
    Json differences = Json::array();
    for (const Difference& d : norms) differences.add(difference_json(d));
    report.set("norms", differences);
  }
  std::string data;
  for (const char c : report.text()) {
    if (c == '<') data += "\\u003c";
    else data += c;
  }
  std::string page(viewer_template());
  const ReportedRun& first = runs.front();
  put(page, "<!--ESCAPEMENT-TITLE-->", escaped(first.title.empty() ? name_of(first.folder) : first.title));
  put(page, "<!--ESCAPEMENT-DATA-->",
      "<script type=\"application/json\" id=\"report\">" + data + "</script>\n" + blocks.text());
  return page;
}

}  // namespace escapement
