// `escapement export`: the moving picture of a run for other programs.
#include <fmt/format.h>

#include "command_line.hpp"
#include "core/error.hpp"
#include "messages.hpp"
#include "report/vtk.hpp"
#include "run_data.hpp"

namespace escapement::app {

int export_run(const Command& command) {
  namespace fs = std::filesystem;
  if (!command.vtk)
    throw ModelError("E-USAGE", "export", "say to what",
                     "--vtk; all channels are in results.csv and results.h5 of the run already");
  const fs::path run = command.arguments.at(0);
  check_run_folder(run, command.json);
  const fs::path to = command.out.empty() ? run / "vtk" : fs::path(command.out);
  const std::size_t frames = export_vtk(run, to);
  if (command.json)
    print_json(Json::object()
                   .set("event", "exported")
                   .set("file", (to / "motion.pvd").string())
                   .set("frames", frames));
  else fmt::print("{} ({} frames)\n", (to / "motion.pvd").string(), frames);
  return 0;
}

}  // namespace escapement::app
