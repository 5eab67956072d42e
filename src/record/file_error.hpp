// Files that cannot be read or written, as exceptions with path, cause and hint.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>

namespace escapement {

/// `E-FILE out/results.csv  cannot be written: No space left on device` and, on a second line, what to try.
struct FileError : std::runtime_error {
  FileError(std::string path, std::string cause, std::string hint)
      : std::runtime_error("E-FILE " + path + "  " + cause + (hint.empty() ? "" : "\n    Try: " + hint)),
        path(std::move(path)),
        cause(std::move(cause)),
        hint(std::move(hint)) {}
  std::string path, cause, hint;
};

/// The fault in the system's own words, for a value of errno; `deed` as in "cannot be written".
FileError system_error(const std::filesystem::path& path, const std::string& deed, int error_number);

}  // namespace escapement
