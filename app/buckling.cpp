// `escapement buckling`: factors of the loads at which a structure buckles, and how.
#include "analyses/buckling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyses/prepare.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "messages.hpp"
#include "model_files.hpp"
#include "shapes.hpp"

namespace escapement::app {
namespace {

const char* name_of(Instability kind) {
  return kind == Instability::bifurcation ? "bifurcation" : "limit point";
}

}  // namespace

int buckling(const Command& command) {
  need_out_for_force(command);
  const Registry registry = standard_registry();
  const Model model = read_model(command, registry);
  const Assembly assembly = assemble(model);
  for (const Warning& w : assembly.warnings) print_warning(w, command.json);
  const WithLoads with_loads = [&](double factor) { return assemble(model, {}, factor); };
  BucklingResult result;
  std::vector<Warning> warnings;
  try {
    PrepareOptions options = prepare_options(model);
    options.mode = StartMode::assembled;
    const Assembly unloaded = with_loads(0);
    const Prepared prepared = prepare(unloaded, options);
    warnings = prepared.warnings;
    result =
        find_buckling(prepared.state, {command.count > 0 ? command.count : 5, prepared.proximal}, with_loads);
  } catch (const ModelError& e) {
    throw model.located(e);
  }
  warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  for (const Warning& w : warnings) print_warning(w, command.json);
  if (result.modes.empty())
    throw ModelError("E-MODES", "",
                     fmt::format("no factor of the loads from 0 to {:.4g} was found at which this structure "
                                 "buckles or snaps through",
                                 result.searched),
                     "loads that press, or the opposite direction");

  const RunFolder folder = shapes_folder(command, model, assembly, "-buckling");
  std::string csv = "mode,kind,factor,linear_factor,moves\n";
  Json list = Json::array();
  std::vector<ShapeOfRows> shapes;
  for (std::size_t k = 0; k < result.modes.size(); ++k) {
    const BucklingMode& m = result.modes[k];
    const std::string moves = what_moves(assembly.system, m.largest);
    const bool told_unloaded = std::isfinite(m.linear);
    csv += fmt::format("{},{},{:.17g},{},{}\n", k + 1, name_of(m.kind), m.factor,
                       told_unloaded ? fmt::format("{:.17g}", m.linear) : "", moves);
    Json mode = Json::object().set("mode", k + 1).set("kind", name_of(m.kind)).set("factor", m.factor);
    if (told_unloaded) mode.set("linear_factor", m.linear);
    list.add(mode.set("moves", moves));
    shapes.emplace_back(m.shape.begin(), m.shape.end());
  }
  std::vector<const ShapeOfRows*> pointers;
  for (const ShapeOfRows& s : shapes) pointers.push_back(&s);
  folder.write("buckling.csv", csv);
  write_shapes(folder, model, assembly, result.modes.front().state, pointers);
  folder.write("summary.json", Json::object()
                                       .set("title", model.title)
                                       .set("status", "done")
                                       .set("analysis", "buckling")
                                       .set("modes", list)
                                       .set("warnings", warnings_json(warnings))
                                       .set("unknowns", unknowns_by_kind(assembly.system))
                                       .set("version", ESCAPEMENT_VERSION)
                                       .text(true) +
                                   "\n");
  if (command.json) {
    print_json(Json::object().set("event", "buckling").set("modes", list));
    print_json(Json::object().set("event", "done").set("folder", folder.path().string()));
  } else if (!command.quiet) {
    if (!model.title.empty()) fmt::print("{}\n", model.title);
    fmt::print("  {:>4}  {:<11}  {:>16}  {:>16}  {}\n", "mode", "kind", "load factor", "linear estimate",
               "moves most");
    for (std::size_t k = 0; k < result.modes.size(); ++k) {
      const BucklingMode& m = result.modes[k];
      fmt::print("  {:>4}  {:<11}  {:>16.8g}  {:>16}  {}\n", k + 1, name_of(m.kind), m.factor,
                 std::isfinite(m.linear) ? fmt::format("{:.8g}", m.linear) : "-",
                 what_moves(assembly.system, m.largest));
    }
    fmt::print("  in {}; to see the shapes: {} report {}\n", (folder.path() / "buckling.csv").string(),
               command.program, quoted_if_needed(folder.path().string()));
  }
  if (command.report) write_report(folder.path().string(), "", command.json);
  return 0;
}

}  // namespace escapement::app
