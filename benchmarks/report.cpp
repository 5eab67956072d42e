// The page of a long run: a million rows of 50 channels (arguments: rows, channels). Time to read the results and to write
// the page, its size. `node web/test/browser.mjs PAGE` tells how long a browser takes to open it (third argument: folder to keep).
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "record/run_folder.hpp"
#include "record/writer.hpp"
#include "report.hpp"
#include "report/page.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const long rows = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int channels = argc > 2 ? std::atoi(argv[2]) : 50;
  const fs::path folder = argc > 3
                              ? fs::path(argv[3])
                              : fs::temp_directory_path() / fmt::format("escapement-report-{}", getpid());
  fs::create_directories(folder);
  std::vector<Column> columns = {{"time", "s"}};
  for (int i = 0; i < channels; ++i)
    columns.push_back({fmt::format("part.{}.position", i), "m", "a channel"});
  std::vector<double> row(columns.size());
  const double recording = seconds<ProcessorClock>(
      [&] {
        const auto text = csv_writer(folder / "results.csv", columns),
                   file = hdf5_writer(folder / "results.h5", columns);
        for (long k = 0; k < rows; ++k) {
          row[0] = 1e-3 * static_cast<double>(k);
          for (int i = 0; i < channels; ++i)
            row[i + 1] = std::sin((1 + 0.1 * i) * row[0]) + 1e-3 * std::cos(300 * row[0]);
          text->row(row);
          file->row(row);
        }
        text->close();
        file->close();
      },
      1, 0);
  const RunFolder run = RunFolder::existing(folder);
  run.write("model.yaml", "escapement: 1\ntitle: A long run\n");
  run.write("summary.json",
            "{\"status\": \"done\", \"events\": [], \"warnings\": [], \"notes\": [], \"unknowns\": {}}\n");
  ReportedRun data{folder, {}, "A long run", {{"First", "time", {"part.0.position", "part.1.position"}}}};
  const double reading = seconds<ProcessorClock>([&] { data.results = read_results(folder); }, 1, 0);
  std::string page;
  const double writing = seconds<ProcessorClock>(
      [&] {
        page = report_page({data});
        run.write("report.html", page);
      },
      1, 0);
  const std::string name = fmt::format("{} rows of {} channels", rows, channels);
  report("report", name + ", read", reading / recording, "recording it", reading, "s");
  report("report", name + ", page", writing / recording, "recording it", writing, "s");
  report("report", name + ", size",
         static_cast<double>(page.size()) / (8.0 * static_cast<double>(rows) * channels),
         "the numbers as doubles", static_cast<double>(page.size()) * 1e-6, "MB");
  if (argc <= 3) fs::remove_all(folder);
  return has_viewer() ? 0 : 1;
}
