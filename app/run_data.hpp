// A run folder as `report`, `compare` and `export` find it.
#pragma once
#include <filesystem>

#include "report/page.hpp"

namespace escapement::app {

/// Throws FileError with a hint if this is no run folder; warns if the run has not ended.
void check_run_folder(const std::filesystem::path& folder, bool json);
/// What plots have on their horizontal axis unless told otherwise: the time, or what a path is along.
std::string usual_x(const Results& results);
/// Results, title and plots. A model that this version cannot read has no plots.
ReportedRun reported_run(const std::filesystem::path& folder, bool json);

}  // namespace escapement::app
