#include "model/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/error.hpp"
#include "model/units.hpp"

namespace escapement {
namespace {

/// A file descriptor, closed with it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

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

/// Only regular files are opened: a pipe would wait for its writer, a device may never end.
std::string read_regular_file(const std::filesystem::path& path, const std::string& name, std::size_t most) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    refuse_file(name, std::string("cannot be read: ") + std::strerror(error),
                error == ENOENT ? near_file(path) : "");
  }
  if (S_ISDIR(status.st_mode)) refuse_file(name, "cannot be read: it is a directory", "give a file in it");
  if (!S_ISREG(status.st_mode))
    refuse_file(name, "cannot be read: it is not a regular file", "copy the text to a file");
  const auto too_large = [&] {
    throw ModelError("E-LIMIT", "", fmt::format("the file is larger than {} bytes", most),
                     "keep tables in data files", {name, 0, 0});
  };
  if (static_cast<std::uintmax_t>(status.st_size) > most) too_large();

  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) refuse_file(name, std::string("cannot be read: ") + std::strerror(errno), "");
  std::string text;
  for (std::size_t size = 0;;) {  // the size may lie: files of /proc, files that grow
    text.resize(
        size + std::max<std::size_t>(4096, status.st_size + 1 - std::min<std::size_t>(size, status.st_size)));
    const ssize_t count = ::read(file.number, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_file(name, std::string("cannot be read: ") + std::strerror(errno), "");
    size += static_cast<std::size_t>(count);
    if (size > most) too_large();
    if (count == 0) {
      text.resize(size);
      return text;
    }
  }
}

}  // namespace escapement
