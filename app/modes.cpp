// `escapement modes`: eigenvalues and shapes about a configuration; over a parameter with --sweep.
#include "analyses/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "analyses/configuration.hpp"
#include "base/nearest_name.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "messages.hpp"
#include "quantity.hpp"
#include "record/run_folder.hpp"
#include "report/plot.hpp"
#include "shapes.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

Where where_of(const Command& command) {
  const std::string& at = command.at;
  if (at.empty()) return {};
  if (at == "equilibrium") return {Where::Kind::equilibrium};
  if (at == "steady") return {Where::Kind::steady};
  if (at == "start") return {Where::Kind::start};
  if (std::isalpha(static_cast<unsigned char>(at[0])))
    throw ModelError("E-USAGE", "--at " + at, "is no configuration",
                     did_you_mean(at, std::vector<std::string>{"start", "equilibrium", "steady"},
                                  "start, equilibrium, steady, or a time such as \"2.5 s\""));
  return {Where::Kind::time, quantity("--at", at, "s", "\"2.5 s\"")};
}

ModesOptions options_of(const Command& command) {
  ModesOptions o;
  if (command.count > 0) o.count = command.count;
  o.undamped = command.undamped;
  if (!command.below.empty()) {
    o.below = quantity("--below", command.below, "Hz", "\"500 Hz\"");
    if (!(o.below > 0))
      throw ModelError("E-USAGE", "--below " + command.below, "nothing is below that", "--below \"500 Hz\"");
  }
  return o;
}

/// A model and its modes.
struct Analysis {
  Model model;
  Assembly assembly;
  Configuration configuration;
  ModesResult result;
};

Analysis analyse(const Command& command, const Registry& registry) {
  Model model = Model::read_file(command.arguments.at(0), registry,
                                 {command.set, command.allow_outside, {}, command.trust});
  Assembly assembly = assemble_for_linearization(model);
  try {
    Configuration configuration = configure(model, assembly, where_of(command));
    ModesOptions options = options_of(command);
    options.proximal = configuration.proximal;
    ModesResult result = find_modes(assembly.system, configuration.state, options);
    return {std::move(model), std::move(assembly), std::move(configuration), std::move(result)};
  } catch (const ModelError& e) {
    throw model.located(e);
  }
}

void tell(const Analysis& a, const Command& command, std::vector<Warning>& told) {
  std::vector<Warning> warnings = a.assembly.warnings;
  for (const auto* list : {&a.configuration.warnings, &a.result.warnings})
    warnings.insert(warnings.end(), list->begin(), list->end());
  for (const Warning& w : warnings)
    if (std::find(told.begin(), told.end(), w) == told.end()) {
      print_warning(w, command.json);
      told.push_back(w);
    }
}

/// "period 0.2 s", "decays in 3 s", "grows in 3 s" (by a factor e), "drifts".
std::string in_time(const Mode& m) {
  if (m.s == 0.0) return "drifts";
  if (m.frequency() > 0) return fmt::format("period {:.4g} s", 1 / m.frequency());
  return fmt::format("{} in {:.4g} s", m.s.real() < 0 ? "decays" : "grows", 1 / std::abs(m.s.real()));
}

Json mode_json(const Mode& m, int number, const std::string& moves) {
  return Json::object()
      .set("mode", number)
      .set("frequency", m.frequency())
      .set("natural_frequency", m.natural())
      .set("damping_ratio", m.damping())
      .set("real", m.s.real())
      .set("imaginary", m.s.imag())
      .set("residual", m.residual)
      .set("moves", moves);
}

std::string quoted(const std::string& text) {
  return text.find_first_of(",\"") == std::string::npos ? text : "\"" + text + "\"";
}

std::string modes_csv(const Analysis& a) {
  std::string text = "mode,frequency,natural_frequency,damping_ratio,real,imaginary,residual,moves\n";
  int number = 0;
  for (const Mode& m : a.result.modes)
    text += fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.3g},{}\n", ++number, m.frequency(),
                        m.natural(), m.damping(), m.s.real(), m.s.imag(), m.residual,
                        quoted(what_moves(a.assembly.system, m.largest)));
  return text;
}

void print_table(const Analysis& a, const fs::path& folder, const std::string& program) {
  if (!a.model.title.empty()) fmt::print("{}\n", a.model.title);
  fmt::print("  {:>4}  {:>14}  {:>10}  {:<20}  {}\n", "mode", "frequency (Hz)", "damping", "", "moves most");
  int number = 0, unstable = 0;
  for (const Mode& m : a.result.modes) {
    const std::string damping = m.s == 0.0 || m.frequency() == 0
                                    ? "-"
                                    : fmt::format("{:.4g}", std::abs(m.damping()) < 1e-7 ? 0.0 : m.damping());
    fmt::print("  {:>4}  {:>14.7g}  {:>10}  {:<20}  {}\n", ++number, m.frequency(), damping, in_time(m),
               what_moves(a.assembly.system, m.largest));
    unstable += m.s.real() > 1e-7 * std::abs(m.s);
  }
  if (unstable > 0)
    fmt::print("  {} of these grow{}: this configuration is not stable\n", unstable,
               unstable == 1 ? "s" : "");
  fmt::print("  in {}; to see them move: {} report {}\n", (folder / "modes.csv").string(), program,
             quoted_if_needed(folder.string()));
}

// ---- one parameter after the other

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

int sweep(const Command& command) {
  const Sweep sweep = sweep_of(command);
  const Registry registry = standard_registry();
  std::vector<Line> lines;
  std::vector<Warning> told;
  std::optional<Analysis> last;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    Command one = command;
    one.set.emplace_back(
        sweep.key, fmt::format("{:.17g}{}{}", sweep.values[i], sweep.unit.empty() ? "" : " ", sweep.unit));
    last.reset();
    last.emplace(analyse(one, registry));
    tell(*last, command, told);
    follow(last->assembly.system, last->result.modes, i, lines);
    if (command.json) {
      Json modes = Json::array();
      for (std::size_t k = 0; k < last->result.modes.size(); ++k)
        modes.add(mode_json(last->result.modes[k], static_cast<int>(k) + 1,
                            what_moves(last->assembly.system, last->result.modes[k].largest)));
      print_json(Json::object().set("event", "modes").set("value", sweep.values[i]).set("modes", modes));
    }
  }
  std::string csv = quoted(sweep.key);
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
  PlotRequest plot;
  plot.title = last->model.title;
  plot.x_name = sweep.key;
  plot.x_unit = sweep.unit;
  for (std::size_t l = 0; l < lines.size(); ++l)
    plot.curves.push_back({fmt::format("mode {}", l + 1), "Hz", sweep.values, lines[l].frequency});
  const RunFolder folder = shapes_folder(command, last->model, last->assembly, "-modes");
  folder.write("campbell.csv", csv);
  folder.write("plot-1.svg", plot_svg(plot));
  folder.write("modes.csv", modes_csv(*last));
  write_shapes(folder, last->model, last->assembly, last->configuration.state, shapes_of(last->result.modes));
  folder.write("summary.json", Json::object()
                                       .set("title", last->model.title)
                                       .set("status", "done")
                                       .set("analysis", "modes")
                                       .set("sweep", sweep.key)
                                       .set("values", sweep.values.size())
                                       .set("unknowns", unknowns_by_kind(last->assembly.system))
                                       .set("version", ESCAPEMENT_VERSION)
                                       .text(true) +
                                   "\n");
  if (command.json) print_json(Json::object().set("event", "done").set("folder", folder.path().string()));
  else if (!command.quiet)
    fmt::print("  {} values of {}, {} mode{} followed, in {} and plot-1.svg\n", sweep.values.size(),
               sweep.key, lines.size(), lines.size() == 1 ? "" : "s",
               (folder.path() / "campbell.csv").string());
  if (command.report) write_report(folder.path().string(), "", command.json);
  return 0;
}

}  // namespace

int modes(const Command& command) {
  if (command.force && command.out.empty())
    throw ModelError("E-USAGE", "--force", "it concerns a folder given with --out", "--out DIR --force");
  where_of(command), options_of(command);
  if (!command.sweep.empty()) return sweep(command);
  const auto begin = std::chrono::steady_clock::now();
  const Registry registry = standard_registry();
  const Analysis a = analyse(command, registry);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<Warning> told;
  tell(a, command, told);
  if (!command.quiet)
    for (const auto* notes : {&a.configuration.notes, &a.result.notes})
      for (const std::string& n : *notes) print_note(n, command.json);
  const RunFolder folder = shapes_folder(command, a.model, a.assembly, "-modes");
  folder.write("modes.csv", modes_csv(a));
  write_shapes(folder, a.model, a.assembly, a.configuration.state, shapes_of(a.result.modes));
  Json list = Json::array();
  for (std::size_t k = 0; k < a.result.modes.size(); ++k)
    list.add(mode_json(a.result.modes[k], static_cast<int>(k) + 1,
                       what_moves(a.assembly.system, a.result.modes[k].largest)));
  Json summary = Json::object()
                     .set("title", a.model.title)
                     .set("status", "done")
                     .set("analysis", "modes")
                     .set("at", command.at.empty() ? a.model.start : command.at)
                     .set("undamped", command.undamped)
                     .set("modes", list)
                     .set("warnings", warnings_json(told))
                     .set("wall_seconds", wall)
                     .set("unknowns", unknowns_by_kind(a.assembly.system))
                     .set("version", ESCAPEMENT_VERSION);
  if (a.result.radius > 0) summary.set("complete_below", a.result.radius / (2 * std::numbers::pi));
  folder.write("summary.json", summary.text(true) + "\n");
  if (command.json) {
    for (std::size_t k = 0; k < a.result.modes.size(); ++k)
      print_json(Json::object()
                     .set("event", "mode")
                     .merge(mode_json(a.result.modes[k], static_cast<int>(k) + 1,
                                      what_moves(a.assembly.system, a.result.modes[k].largest))));
    print_json(Json::object()
                   .set("event", "done")
                   .set("folder", folder.path().string())
                   .set("modes", (folder.path() / "modes.csv").string()));
  } else if (!command.quiet) {
    print_table(a, folder.path(), command.program);
  }
  if (command.report) write_report(folder.path().string(), "", command.json);
  return 0;
}

}  // namespace escapement::app
