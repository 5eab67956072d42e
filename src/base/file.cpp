#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace escapement {
namespace {

/// A file descriptor, closed with it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::error_code last_fault() { return {errno, std::generic_category()}; }

std::error_code write_all(int file, std::string_view bytes, bool durable) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n >= 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR) return last_fault();
  }
  return durable && ::fsync(file) != 0 ? last_fault() : std::error_code();
}

/// Beside the file, and of this process and call alone.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> calls = 0;
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()) + "-" +
                               std::to_string(++calls) + ".part");
}

}  // namespace

/// Only regular files are opened: a pipe would wait for its writer, a device may never end.
std::error_code read_file(const std::filesystem::path& path, std::string& bytes, std::size_t most) {
  bytes.clear();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return last_fault();
  if (S_ISDIR(status.st_mode)) return std::make_error_code(std::errc::is_a_directory);
  if (!S_ISREG(status.st_mode)) return not_a_regular_file;
  const auto expected = static_cast<std::size_t>(status.st_size);
  if (expected > most) return std::make_error_code(std::errc::file_too_large);

  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) return last_fault();
  for (std::size_t size = 0;;) {  // the size may lie: files of /proc, files that grow
    bytes.resize(size + std::max<std::size_t>(4096, expected + 1 - std::min(size, expected)));
    const ssize_t count = ::read(file.number, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return last_fault();
    size += static_cast<std::size_t>(count);
    if (size > most) return std::make_error_code(std::errc::file_too_large);
    if (count == 0) {
      bytes.resize(size);
      return {};
    }
  }
}

std::error_code write_file(const std::filesystem::path& path, std::string_view bytes, HowToWrite how) {
  const std::filesystem::path temporary = temporary_name(path);
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, how.owner_only ? 0600 : 0666);
  if (file < 0) return last_fault();
  std::error_code fault = write_all(file, bytes, how.durable);
  if (::close(file) != 0 && !fault) fault = last_fault();
  if (!fault && ::rename(temporary.c_str(), path.c_str()) != 0) fault = last_fault();
  if (fault) {
    ::unlink(temporary.c_str());
    return fault;
  }
  if (!how.durable) return {};
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const Descriptor entry{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};  // the new name, too
  if (entry.number >= 0) ::fsync(entry.number);
  return {};
}

}  // namespace escapement
