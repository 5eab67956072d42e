// Reads results.csv block by block, so that a file of any length can be streamed.
#include "record/results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "record/file_error.hpp"

namespace escapement {
namespace {

namespace fs = std::filesystem;

class CsvReader {
 public:
  explicit CsvReader(const fs::path& path) : path_(path), buffer_(1 << 20) {
    do file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (file_ < 0 && errno == EINTR);
    if (file_ < 0) throw system_error(path_, "cannot be read", errno);
    try {
      read_header();
    } catch (...) {
      ::close(file_);
      throw;
    }
  }
  ~CsvReader() { ::close(file_); }
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  /// False at the end. Only lines with their end count: the last number of another may lack digits.
  bool row(std::span<double> values) {
    const char* newline = find_newline();
    if (newline == nullptr) return false;
    ++line_;
    const char* end = newline;
    if (end > next_ && end[-1] == '\r') --end;
    const char* place = next_;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto [after, fault] = std::from_chars(place, end, values[j]);
      const bool last = j + 1 == values.size();
      if (fault == std::errc::result_out_of_range)
        values[j] = std::strtod(std::string(place, after).c_str(), nullptr);  // rounds to 0 or infinity
      else if (fault != std::errc())
        complain(fmt::format("column {} `{}`: got `{}`, needs a number", j + 1, names_[j],
                             std::string_view(place, std::min(std::find(place, end, ','), place + 40))));
      if (last ? after != end : after == end || *after != ',') {
        const auto commas = std::count(next_, end, ',');
        if (commas + 1 != static_cast<std::ptrdiff_t>(values.size()))
          complain(fmt::format("got {} numbers, needs {}", commas + 1, values.size()));
        complain(fmt::format("column {} `{}`: unexpected `{}` after the number", j + 1, names_[j], *after));
      }
      place = after + 1;
    }
    next_ = newline + 1;
    return true;
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw FileError(path_.string(), fmt::format("line {}: {}", line_, what),
                    "restore the file as the run wrote it, or run the model again");
  }

  /// The end of the line at next_, after reading on if needed; null at the end of the file.
  const char* find_newline() {
    std::size_t known = 0;  // bytes from next_ on that are known to hold none
    for (;;) {
      const void* found = std::memchr(next_ + known, '\n', filled_ - next_ - known);
      if (found != nullptr) return static_cast<const char*>(found);
      known = filled_ - next_;
      if (!fill()) return nullptr;
    }
  }

  bool fill() {
    const std::size_t kept = filled_ - next_;
    std::memmove(buffer_.data(), next_, kept);
    if (kept == buffer_.size()) buffer_.resize(2 * kept);
    next_ = buffer_.data();
    filled_ = next_ + kept;
    ssize_t count;
    do count = read(file_, buffer_.data() + kept, buffer_.size() - kept);
    while (count < 0 && errno == EINTR);
    if (count < 0) throw system_error(path_, "cannot be read", errno);
    filled_ += count;
    return count > 0;
  }

  /// One record of RFC 4180, whose quoted names may hold commas, quotes and line ends.
  void read_header() {
    std::string name;
    bool inside_quotes = false;
    for (line_ = 1;; ++next_) {
      if (next_ == filled_ && !fill()) complain("no complete header row");
      const char c = *next_;
      if (c == '"') {
        if (!inside_quotes && was_quote_) name += '"';  // "" within quotes
        was_quote_ = inside_quotes;
        inside_quotes = !inside_quotes;
        continue;
      }
      was_quote_ = false;
      if (inside_quotes) {
        name += c;
        if (c == '\n') ++line_;
      } else if (c == ',' || c == '\n') {
        if (c == '\n' && !name.empty() && name.back() == '\r') name.pop_back();
        names_.push_back(std::move(name));
        name.clear();
        if (c == '\n') break;
      } else name += c;
    }
    ++next_;
    if (names_.front() != "time")
      complain(fmt::format("the first column is `{}`, needs `time`", names_.front()));
  }

  fs::path path_;
  int file_ = -1;
  std::vector<char> buffer_;
  const char* next_ = buffer_.data();
  const char* filled_ = buffer_.data();
  std::vector<std::string> names_;
  long line_ = 0;
  bool was_quote_ = false;
};

/// Units and summaries by name; none if there is no readable HDF5 file.
std::vector<Column> described(const std::vector<std::string>& names, const fs::path& hdf5_path) {
  std::map<std::string, Column> known;
  try {
    if (fs::exists(hdf5_path))
      for (Column& column : hdf5_columns(hdf5_path)) known[column.name] = column;
  } catch (const FileError&) {
  }
  std::vector<Column> columns;
  for (const std::string& name : names) {
    Column& column = known[name];
    column.name = name;
    columns.push_back(column);
  }
  return columns;
}

/// The same numbers from HDF5, in the order of these columns; false if they are not all there.
bool read_ended(const fs::path& hdf5_path, Results& results) {
  try {
    Results stored = read_hdf5(hdf5_path);
    if (stored.columns.size() != results.columns.size()) return false;
    for (std::size_t i = 0; i < results.columns.size(); ++i) {
      const int j = stored.find(results.columns[i].name);
      if (j < 0) return false;
      results.data[i] = std::move(stored.data[j]);
    }
    return true;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace

int Results::find(std::string_view name) const {
  const auto match = [&](const Column& column) { return column.name == name; };
  const auto found = std::find_if(columns.begin(), columns.end(), match);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

void each_row(const fs::path& csv, const std::function<void(std::span<const double>)>& take) {
  CsvReader reader(csv);
  std::vector<double> values(reader.names().size());
  while (reader.row(values)) take(values);
}

Results read_results(const fs::path& run_folder_or_csv) {
  std::error_code ignored;
  const fs::path csv =
      fs::is_directory(run_folder_or_csv, ignored) ? run_folder_or_csv / "results.csv" : run_folder_or_csv;
  CsvReader reader(csv);
  const fs::path hdf5 = fs::path(csv).replace_extension(".h5");
  Results results{described(reader.names(), hdf5), {}};
  results.data.resize(results.columns.size());
  // Of a run that has ended both files hold the same; a killed one has more rows as text.
  if (fs::exists(csv.parent_path() / "summary.json", ignored) && fs::exists(hdf5, ignored) &&
      read_ended(hdf5, results))
    return results;
  std::vector<double> values(results.columns.size());
  while (reader.row(values))
    for (std::size_t j = 0; j < values.size(); ++j) results.data[j].push_back(values[j]);
  return results;
}

}  // namespace escapement
