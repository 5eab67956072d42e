// `escapement report` and `escapement compare`: run folders as one HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command_line.hpp"
#include "core/error.hpp"
#include "messages.hpp"
#include "record/file_error.hpp"
#include "record/run_folder.hpp"
#include "run_data.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// Never over something that is no page.
void write_page(const fs::path& file, const std::string& page, bool json) {
  if (file.extension() != ".html")
    throw FileError(file.string(), "would not be known as a page", "a file name ending in .html");
  RunFolder::existing(file.has_parent_path() ? file.parent_path() : fs::path("."))
      .write(file.filename().string(), page);
  if (json) print_json(Json::object().set("event", "reported").set("file", file.string()));
  else fmt::print("{}\n", file.string());
}

}  // namespace

void need_viewer() {
  if (!has_viewer())
    throw ModelError(
        "E-VIEWER", "", "this program was built without the viewer of reports",
        "scripts/viewer.sh, which needs nodejs, npm and the network once; `escapement plot` works without");
}

void write_report(const std::string& run, const std::string& out, bool json) {
  const fs::path folder = run;
  std::vector<ReportedRun> data;
  data.push_back(reported_run(folder, json));
  write_page(out.empty() ? folder / "report.html" : fs::path(out), report_page(data), json);
}

int report(const Command& command) {
  need_viewer();
  write_report(command.arguments.at(0), command.out, command.json);
  return 0;
}

int compare(const Command& command) {
  std::vector<ReportedRun> runs;
  for (const std::string& folder : command.arguments) runs.push_back(reported_run(folder, command.json));
  const std::vector<Difference> list = differences(runs[0].results, runs[1].results);
  if (list.empty())
    throw ModelError("E-CHANNEL", "", "the two runs have no channel in common, or no time",
                     "record the same channels in both");
  std::size_t width = 7;
  for (const Difference& d : list) width = std::max(width, d.channel.size());
  if (!command.json)
    fmt::print("{:<{}}  {:>12}  {:>10}  {:>12}  {:>10}\n", "channel", width, "largest", "at t (s)", "rms",
               "relative");
  for (const Difference& d : list) {
    if (command.json) print_json(Json::object().set("event", "difference").merge(difference_json(d)));
    else
      fmt::print("{:<{}}  {:>12.4g}  {:>10.4g}  {:>12.4g}  {:>10}  {}\n", d.channel, width, d.largest, d.at,
                 d.rms, std::isfinite(d.relative) ? fmt::format("{:.2e}", d.relative) : "-",
                 d.unit == "1" ? "" : d.unit);
  }
  if (!has_viewer()) {
    if (!command.out.empty()) need_viewer();
    return 0;
  }
  const fs::path file =
      command.out.empty() ? fs::path(command.arguments.at(1)) / "compare.html" : fs::path(command.out);
  try {
    write_page(file, report_page(runs, list), command.json);
  } catch (const FileError& e) {
    if (!command.out.empty()) throw;
    print_warning({"W-FILE", fmt::format("{} {}", e.path, e.cause), "--out says where the page may go"},
                  command.json);
  }
  return 0;
}

}  // namespace escapement::app
