// Writer: where rows of results go. Rows are streamed: memory does not grow with the length of a run.
#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace escapement {

/// One column: its name, the unit of its numbers (SI; "1" for pure numbers) and what it is, in a line.
struct Column {
  std::string name, unit, summary = {};
};

/// The first column is `time` in s. Every function throws FileError when the disk refuses.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void row(std::span<const double> values) = 0;
  /// Everything written so far can be read by others, even if this process is killed afterwards.
  virtual void flush() = 0;
  /// Ends the file; nothing may follow.
  virtual void close() = 0;
  /// After flush(): how long the file is; 0 where that says nothing.
  virtual long long bytes() const { return 0; }
};

/// `keep`: goes on after so many bytes of the file that is there, the rest is cut off; -1: a new file.
std::unique_ptr<Writer> csv_writer(const std::filesystem::path& path, const std::vector<Column>& columns,
                                   long long keep = -1);
std::unique_ptr<Writer> hdf5_writer(const std::filesystem::path& path, const std::vector<Column>& columns);

}  // namespace escapement
