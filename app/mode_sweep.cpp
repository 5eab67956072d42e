#include "mode_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "components/registry.hpp"
#include "mode_analysis.hpp"
#include "quantity.hpp"
#include "report/plot.hpp"
#include "shapes.hpp"

namespace escapement::app {
namespace {

struct Sweep {
  std::string key, unit;
  std::vector<double> values;
};

Sweep sweep_of(const Command& command) {
  const char* const example = "hub.speed 0 \"100 rad/s\" 21";
  const auto& words = command.sweep;
  if (words.size() != 4)
    throw ModelError("E-USAGE", "--sweep", "takes a key, two values and how many",
                     fmt::format("--sweep {}", example));
  const Quantity from = parse_quantity("--sweep", words[1], example),
                 to = parse_quantity("--sweep", words[2], example);
  if (!from.unit.empty() && !to.unit.empty() && from.unit != to.unit)
    throw ModelError("E-USAGE", "--sweep",
                     fmt::format("`{}` and `{}` are of different units", words[1], words[2]),
                     "the same unit at both ends");
  char* end = nullptr;
  const long count = std::strtol(words[3].c_str(), &end, 10);
  if (*end || count < 2 || count > 10000)
    throw ModelError("E-USAGE", "--sweep " + words[3], "is no number of values from 2 to 10000",
                     fmt::format("--sweep {}", example));
  Sweep sweep{words[0], to.unit.empty() ? from.unit : to.unit, {}};
  for (long i = 0; i < count; ++i)
    sweep.values.push_back(from.value +
                           (to.value - from.value) * static_cast<double>(i) / static_cast<double>(count - 1));
  return sweep;
}

/// How much two shapes are alike: 1 for the same.
double likeness(const System& system, const Mode& a, const Mode& b) {
  std::complex<double> product = 0;
  double aa = 0, bb = 0;
  for (int i = 0; i < system.rows(Kind::algebraic).begin; ++i) {
    const double weight = 1 / (system.nominal()[i] * system.nominal()[i]);
    product += weight * std::conj(a.shape[i]) * b.shape[i];
    aa += weight * std::norm(a.shape[i]);
    bb += weight * std::norm(b.shape[i]);
  }
  return aa > 0 && bb > 0 ? std::norm(product) / (aa * bb) : 0;
}

/// A mode over the parameter: the same one as long as its shape is like the one before.
struct Line {
  std::vector<double> frequency, damping;
  Mode last;
};

void follow(const System& system, const std::vector<Mode>& modes, std::size_t at, std::vector<Line>& lines) {
  std::vector<char> taken(modes.size(), 0);
  struct Candidate {
    double likeness;
    std::size_t line, mode;
  };
  std::vector<Candidate> candidates;
  for (std::size_t l = 0; l < lines.size(); ++l)
    for (std::size_t m = 0; m < modes.size(); ++m)
      candidates.push_back({likeness(system, lines[l].last, modes[m]), l, m});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.likeness > b.likeness; });
  std::vector<int> chosen(lines.size(), -1);
  for (const Candidate& c : candidates)
    if (c.likeness > 0.3 && chosen[c.line] < 0 && !taken[c.mode]) {
      chosen[c.line] = static_cast<int>(c.mode);
      taken[c.mode] = 1;
    }
  for (std::size_t m = 0; m < modes.size(); ++m)
    if (!taken[m]) {
      lines.push_back({std::vector<double>(at, NAN), std::vector<double>(at, NAN), {}});
      chosen.push_back(static_cast<int>(m));
    }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const Mode* mode = chosen[l] < 0 ? nullptr : &modes[chosen[l]];
    lines[l].frequency.push_back(mode ? mode->frequency() : NAN);
    lines[l].damping.push_back(mode ? mode->damping() : NAN);
    if (mode) lines[l].last = *mode;
  }
}

std::string campbell_csv(const Sweep& sweep, const std::vector<Line>& lines) {
  std::string csv = quoted_field(sweep.key);
  for (std::size_t l = 0; l < lines.size(); ++l)
    csv += fmt::format(",mode_{0}.frequency,mode_{0}.damping_ratio", l + 1);
  csv += "\n";
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    csv += fmt::format("{:.17g}", sweep.values[i]);
    for (const Line& line : lines)
      csv += std::isfinite(line.frequency[i])
                 ? fmt::format(",{:.17g},{:.17g}", line.frequency[i], line.damping[i])
                 : std::string(",,");
    csv += "\n";
  }
  return csv;
}

std::string campbell_plot(const Sweep& sweep, const std::vector<Line>& lines, const std::string& title) {
  PlotRequest plot;
  plot.title = title;
  plot.x_name = sweep.key;
  plot.x_unit = sweep.unit;
  for (std::size_t l = 0; l < lines.size(); ++l)
    plot.curves.push_back({fmt::format("mode {}", l + 1), "Hz", sweep.values, lines[l].frequency});
  return plot_svg(plot);
}

/// `last`: the analysis at the last value.
RunFolder write_sweep(const Command& command, const Sweep& sweep, const std::vector<Line>& lines,
                      const ModeAnalysis& last) {
  RunFolder folder = shapes_folder(command, last.model, last.assembly, "-modes");
  folder.write("campbell.csv", campbell_csv(sweep, lines));
  folder.write("plot-1.svg", campbell_plot(sweep, lines, last.model.title));
  folder.write("modes.csv", modes_csv(last));
  write_shapes(folder, last.model, last.assembly, last.configuration.state, shapes_of(last.result.modes));
  folder.write("summary.json", Json::object()
                                       .set("title", last.model.title)
                                       .set("status", "done")
                                       .set("analysis", "modes")
                                       .set("sweep", sweep.key)
                                       .set("values", sweep.values.size())
                                       .set("unknowns", unknowns_by_kind(last.assembly.system))
                                       .set("version", ESCAPEMENT_VERSION)
                                       .text(true) +
                                   "\n");
  return folder;
}

}  // namespace

int sweep_modes(const Command& command) {
  const Sweep sweep = sweep_of(command);
  const Registry registry = standard_registry();
  std::vector<Line> lines;
  std::vector<Warning> told;
  std::optional<ModeAnalysis> last;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    Command one = command;
    one.set.emplace_back(
        sweep.key, fmt::format("{:.17g}{}{}", sweep.values[i], sweep.unit.empty() ? "" : " ", sweep.unit));
    last.reset();
    last.emplace(analyse_modes(one, registry));
    tell_warnings(*last, command, told);
    follow(last->assembly.system, last->result.modes, i, lines);
    if (command.json)
      print_json(
          Json::object().set("event", "modes").set("value", sweep.values[i]).set("modes", modes_json(*last)));
  }
  const RunFolder folder = write_sweep(command, sweep, lines, *last);
  if (command.json) print_json(Json::object().set("event", "done").set("folder", folder.path().string()));
  else if (!command.quiet)
    fmt::print("  {} values of {}, {} mode{} followed, in {} and plot-1.svg\n", sweep.values.size(),
               sweep.key, lines.size(), lines.size() == 1 ? "" : "s",
               (folder.path() / "campbell.csv").string());
  if (command.report) write_report(folder.path().string(), "", command.json);
  return 0;
}

}  // namespace escapement::app
