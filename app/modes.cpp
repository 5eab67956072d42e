// `escapement modes`: eigenvalues and shapes about a configuration; over a parameter with --sweep.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "components/registry.hpp"
#include "mode_analysis.hpp"
#include "mode_sweep.hpp"
#include "shapes.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// "period 0.2 s", "decays in 3 s", "grows in 3 s" (by a factor e), "drifts".
std::string in_time(const Mode& m) {
  if (m.s == 0.0) return "drifts";
  if (m.frequency() > 0) return fmt::format("period {:.4g} s", 1 / m.frequency());
  return fmt::format("{} in {:.4g} s", m.s.real() < 0 ? "decays" : "grows", 1 / std::abs(m.s.real()));
}

void print_table(const ModeAnalysis& a, const fs::path& folder, const std::string& program) {
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

}  // namespace

int modes(const Command& command) {
  need_out_for_force(command);
  check_mode_options(command);
  if (!command.sweep.empty()) return sweep_modes(command);
  const auto begin = std::chrono::steady_clock::now();
  const Registry registry = standard_registry();
  const ModeAnalysis a = analyse_modes(command, registry);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<Warning> told;
  tell_warnings(a, command, told);
  if (!command.quiet)
    for (const auto* notes : {&a.configuration.notes, &a.result.notes})
      for (const std::string& n : *notes) print_note(n, command.json);
  const RunFolder folder = shapes_folder(command, a.model, a.assembly, "-modes");
  folder.write("modes.csv", modes_csv(a));
  write_shapes(folder, a.model, a.assembly, a.configuration.state, shapes_of(a.result.modes));
  Json summary = Json::object()
                     .set("title", a.model.title)
                     .set("status", "done")
                     .set("analysis", "modes")
                     .set("at", command.at.empty() ? a.model.start : command.at)
                     .set("undamped", command.undamped)
                     .set("modes", modes_json(a))
                     .set("warnings", warnings_json(told))
                     .set("wall_seconds", wall)
                     .set("unknowns", unknowns_by_kind(a.assembly.system))
                     .set("version", ESCAPEMENT_VERSION);
  if (a.result.radius > 0) summary.set("complete_below", a.result.radius / (2 * std::numbers::pi));
  folder.write("summary.json", summary.text(true) + "\n");
  if (command.json) {
    for (std::size_t k = 1; k <= a.result.modes.size(); ++k)
      print_json(Json::object().set("event", "mode").merge(mode_json(a, k)));
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
