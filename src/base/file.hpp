// Files read and written whole. Faults are those of the system; who asked for the file tells the user.
#pragma once
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace escapement {

/// The fault of a file that is there, but is a pipe or a device.
inline const std::error_code not_a_regular_file = std::make_error_code(std::errc::no_such_device_or_address);

/// All bytes of a regular file. Faults are also `is_a_directory`, `not_a_regular_file` and, beyond `most` bytes, `file_too_large`.
std::error_code read_file(const std::filesystem::path& path, std::string& bytes,
                          std::size_t most = std::numeric_limits<std::size_t>::max());

struct HowToWrite {
  bool durable = false;     // on the disk before it returns
  bool owner_only = false;  // nobody else may read or write it
};

/// Replaces a file in one go: it is there whole, or as it was. On the way it has another name in the same folder.
std::error_code write_file(const std::filesystem::path& path, std::string_view bytes, HowToWrite how = {});

}  // namespace escapement
