// The text of a file, whole and within limits.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace escapement {

/// The bytes of a regular file; E-FILE if it cannot be read, E-LIMIT if it is larger than `most`. `name`: what messages
/// call it.
std::string read_regular_file(const std::filesystem::path& path, const std::string& name, std::size_t most);

}  // namespace escapement
