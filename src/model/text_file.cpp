#include "model/text_file.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/file.hpp"
#include "base/nearest_name.hpp"
#include "core/error.hpp"

namespace escapement {
namespace {

[[noreturn]] void refuse_file(const std::string& name, const std::string& cause, const std::string& hint) {
  throw ModelError("E-FILE", "", cause, hint, {name, 0, 0});
}

std::string near_file(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end && names.size() < 1000;
       i.increment(error))
    names.push_back(i->path().filename().string());
  const std::string near = nearest_name(path.filename().string(), names);
  return near.empty() ? "check the name and the folder" : "did you mean " + near + "?";
}

}  // namespace

std::string read_regular_file(const std::filesystem::path& path, const std::string& name, std::size_t most) {
  std::string text;
  const std::error_code fault = read_file(path, text, most);
  if (!fault) return text;
  if (fault == std::errc::is_a_directory)
    refuse_file(name, "cannot be read: it is a directory", "give a file in it");
  if (fault == not_a_regular_file)
    refuse_file(name, "cannot be read: it is not a regular file", "copy the text to a file");
  if (fault == std::errc::file_too_large)
    throw ModelError("E-LIMIT", "", fmt::format("the file is larger than {} bytes", most),
                     "keep tables in data files", {name, 0, 0});
  refuse_file(name, "cannot be read: " + fault.message(),
              fault == std::errc::no_such_file_or_directory ? near_file(path) : "");
}

}  // namespace escapement
