// `escapement plot`: channels of a run as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/nearest_name.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "messages.hpp"
#include "model/assembly.hpp"
#include "model/model.hpp"
#include "record/file_error.hpp"
#include "record/results.hpp"
#include "record/run_folder.hpp"
#include "report/plot.hpp"
#include "run_data.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// Is the channel there, but not recorded?
bool unrecorded(const fs::path& run, const std::string& pattern) {
  try {
    const Registry registry = standard_registry();
    const Assembly assembly = assemble(Model::read_file(run / "model.yaml", registry));
    return !assembly.select({{pattern, {}, {}}}).empty();
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<int> select(const Results& results, const std::vector<std::string>& patterns,
                        const fs::path& run) {
  std::vector<std::string> names;
  for (const Column& c : results.columns) names.push_back(c.name);
  std::vector<int> list;
  for (const std::string& pattern : patterns) {
    const auto found = matching(pattern, names);
    for (const int i : found)
      if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
    if (!found.empty()) continue;
    if (unrecorded(run, pattern))
      throw ModelError("E-CHANNEL", pattern, "the run has not recorded it",
                       fmt::format("add it to the model, `record: [{}]`, and run again", pattern));
    const std::vector<std::string> first(names.begin() + 1,
                                         names.begin() + std::min<std::size_t>(names.size(), 13));
    throw ModelError(
        "E-CHANNEL", pattern, "the run has no such channel",
        did_you_mean(pattern, names,
                     fmt::format("one of {}{}", fmt::join(first, ", "), names.size() > 13 ? ", …" : "")));
  }
  return list;
}

void write_plot(const Results& results, const std::string& title, const std::string& x,
                const std::vector<std::string>& channels, const fs::path& file, const fs::path& run,
                const Command& command) {
  PlotRequest request;
  request.title = title;
  request.width = command.width;
  int horizontal = 0;
  if (const std::string name = x.empty() ? usual_x(results) : x; name != "time") {
    const auto found = select(results, {name}, run);
    if (found.size() != 1)
      throw ModelError("E-CHANNEL", x, "more than one channel matches; the horizontal axis needs one", "");
    horizontal = found.front();
    request.x_name = results.columns[horizontal].name;
    request.x_unit = results.columns[horizontal].unit;
  }
  for (const int i : select(results, channels, run))
    request.curves.push_back(
        {results.columns[i].name, results.columns[i].unit, results.data[horizontal], results.data[i]});
  std::error_code fault;
  if (const auto there = fs::symlink_status(file, fault);
      fs::exists(there) && (!fs::is_regular_file(there) || file.extension() != ".svg"))
    throw FileError(file.string(), "is there already and is no plot; it is left as it is",
                    "a file name ending in .svg");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  RunFolder::existing(folder).write(file.filename().string(), plot_svg(request));
  if (command.json) print_json(Json::object().set("event", "plotted").set("file", file.string()));
  else fmt::print("{}\n", file.string());
}

/// "mass.position spring.force" -> mass.position_spring.force, without what a file name should not hold.
std::string file_name(const std::vector<std::string>& channels) {
  std::string name;
  for (const std::string& c : channels) name += (name.empty() ? "" : "_") + c;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '-';
  return name.substr(0, 80) + ".svg";
}

}  // namespace

int plot(const Command& command) {
  const fs::path folder = command.arguments.at(0);
  check_run_folder(folder, command.json);
  const Results results = read_results(folder);
  const std::vector<std::string> channels(command.arguments.begin() + 1, command.arguments.end());
  if (!channels.empty()) {
    const fs::path file = command.out.empty() ? folder / file_name(channels) : fs::path(command.out);
    write_plot(results, "", command.x, channels, file, folder, command);
    return 0;
  }
  const Registry registry = standard_registry();
  const Model model = Model::read_file(folder / "model.yaml", registry);
  if (model.plots.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < results.columns.size() && i < 13; ++i)
      names.push_back(results.columns[i].name);
    throw ModelError(
        "E-USAGE", folder.string(), "the model asks for no plots; name the channels to plot",
        fmt::format("one of {}{}", fmt::join(names, ", "), results.columns.size() > 13 ? ", …" : ""));
  }
  const auto texts = [](const std::vector<ChannelPattern>& patterns) {
    std::vector<std::string> list;
    for (const ChannelPattern& p : patterns) list.push_back(p.text);
    return list;
  };
  int number = 0;
  for (const PlotRequestText& p : model.plots) {
    ++number;
    fs::path file = folder / fmt::format("plot-{}.svg", number);
    if (!command.out.empty())
      file = model.plots.size() == 1 ? fs::path(command.out)
                                     : fs::path(command.out).replace_extension(fmt::format("{}.svg", number));
    write_plot(results, p.title, p.x.text, texts(p.y), file, folder, command);
  }
  return 0;
}

}  // namespace escapement::app
