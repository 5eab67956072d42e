// Results: what a run has recorded, read back from its folder.
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "record/writer.hpp"

namespace escapement {

struct Results {
  std::vector<Column> columns;
  std::vector<std::vector<double>> data;  // by column; all equally long
  /// The index of a column, or -1.
  int find(std::string_view name) const;
  std::size_t rows() const { return data.empty() ? 0 : data.front().size(); }
};

/// From a run folder, or from a CSV file itself. A last line without its end, as a killed run leaves it, is not
/// counted. Units come from the HDF5 file beside the CSV; without one they are empty. Throws FileError.
Results read_results(const std::filesystem::path& run_folder_or_csv);

/// The rows of a CSV file, one after the other. Throws FileError.
void each_row(const std::filesystem::path& csv, const std::function<void(std::span<const double>)>& take);

/// From an HDF5 file: `time` first, the others by name. Throws FileError.
Results read_hdf5(const std::filesystem::path& path);
/// Names and units alone.
std::vector<Column> hdf5_columns(const std::filesystem::path& path);

}  // namespace escapement
