// `escapement buckling`: factors of the loads at which a structure buckles, and how.
#include "analyses/buckling.hpp"

#include <fmt/format.h>

#include "analyses/prepare.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "messages.hpp"
#include "shapes.hpp"

namespace escapement::app {

int buckling(const Command& command) {
  if (command.force && command.out.empty())
    throw ModelError("E-USAGE", "--force", "it concerns a folder given with --out", "--out DIR --force");
  const Registry registry = standard_registry();
  const Model model = Model::read_file(command.arguments.at(0), registry,
                                       {command.set, command.allow_outside, {}, command.trust});
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
  if (result.modes.empty())
    throw ModelError("E-MODES", "", "no positive factor of the loads makes this structure buckle",
                     "loads that press, or the opposite direction");
  for (const Warning& w : warnings) print_warning(w, command.json);

  const RunFolder folder = shapes_folder(command, model, assembly, "-buckling");
  std::string csv = "mode,factor,linear_factor,moves\n";
  Json list = Json::array();
  std::vector<ShapeOfRows> shapes;
  for (std::size_t k = 0; k < result.modes.size(); ++k) {
    const BucklingMode& m = result.modes[k];
    const std::string moves = what_moves(assembly.system, m.largest);
    csv += fmt::format("{},{:.17g},{:.17g},{}\n", k + 1, m.factor, m.linear, moves);
    list.add(Json::object()
                 .set("mode", k + 1)
                 .set("factor", m.factor)
                 .set("linear_factor", m.linear)
                 .set("moves", moves));
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
    fmt::print("  {:>4}  {:>16}  {:>16}  {}\n", "mode", "load factor", "unloaded tells", "moves most");
    for (std::size_t k = 0; k < result.modes.size(); ++k)
      fmt::print("  {:>4}  {:>16.8g}  {:>16.8g}  {}\n", k + 1, result.modes[k].factor, result.modes[k].linear,
                 what_moves(assembly.system, result.modes[k].largest));
    fmt::print("  in {}; to see the shapes: {} report {}\n", (folder.path() / "buckling.csv").string(),
               command.program, quoted_if_needed(folder.path().string()));
  }
  if (command.report) write_report(folder.path().string(), "", command.json);
  return 0;
}

}  // namespace escapement::app
