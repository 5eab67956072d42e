#include "run_data.hpp"

#include "components/registry.hpp"
#include "messages.hpp"
#include "model/assembly.hpp"
#include "record/file_error.hpp"

namespace escapement::app {

namespace fs = std::filesystem;

void check_run_folder(const fs::path& folder, bool json) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault) || !fs::exists(folder / "results.csv", fault)) {
    std::string hint = "escapement run MODEL makes one";
    if (folder.extension() == ".yaml")
      hint = "escapement run " + folder.string() + " first, then name its folder";
    throw FileError(folder.string(),
                    fs::exists(folder, fault) ? "is not a run folder" : "there is no such run folder", hint);
  }
  if (!fs::exists(folder / "summary.json", fault))
    print_warning({"W-INCOMPLETE", "the run has not ended, or was killed: these are the results so far"},
                  json);
}

std::string usual_x(const Results& results) {
  const bool path = results.columns.size() > 1 && results.columns[1].name.starts_with("path.");
  return path ? results.columns[1].name : "time";
}

ReportedRun reported_run(const fs::path& folder, bool json) {
  check_run_folder(folder, json);
  ReportedRun run{folder, read_results(folder), {}, {}};
  std::vector<std::string> names;
  for (const Column& c : run.results.columns) names.push_back(c.name);
  try {
    const Registry registry = standard_registry();
    const Model model = Model::read_file(folder / "model.yaml", registry);
    run.title = model.title;
    for (const PlotRequestText& p : model.plots) {
      ReportedRun::Plot plot{p.title, usual_x(run.results), {}};
      if (!p.x.text.empty() && p.x.text != "time")
        if (const auto found = matching(p.x.text, names); found.size() == 1) plot.x = names[found.front()];
      for (const ChannelPattern& y : p.y)
        for (const int i : matching(y.text, names)) plot.y.push_back(names[i]);
      if (!plot.y.empty()) run.plots.push_back(std::move(plot));
    }
  } catch (const std::exception&) {
    print_warning({"W-PLOTS", (folder / "model.yaml").string() +
                                  " cannot be read by this version: its plots are left out"},
                  json);
  }
  return run;
}

}  // namespace escapement::app
