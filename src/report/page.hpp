// The report: one HTML page with everything in it, from run folders and the viewer.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "record/json.hpp"
#include "record/results.hpp"

namespace escapement {

/// What the page needs to know of a run besides its folder.
struct ReportedRun {
  std::filesystem::path folder;
  Results results;
  struct Plot {
    std::string title, x;  // x: a channel, or `time`
    std::vector<std::string> y;
  };
  std::string title;
  std::vector<Plot> plots;
};

/// How far two runs are apart, channel by channel; the second one interpolated at the times of the first.
struct Difference {
  std::string channel, unit;
  double largest = 0, at = 0, rms = 0;
  double relative = 0;  // rms over that of the first run about its mean; not finite if that is constant
};
std::vector<Difference> differences(const Results& a, const Results& b);
Json difference_json(const Difference& difference);

/// Was the viewer built into this program?
bool has_viewer();
/// Of one run, or of two that are compared. All channels of a run take at most 21 MB (more beyond 20,000): longer ones are thinned to
/// the lowest and highest value of equal buckets of rows. Throws FileError.
std::string report_page(const std::vector<ReportedRun>& runs, const std::vector<Difference>& norms = {});

}  // namespace escapement
