#include "record/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/archive.hpp"
#include "base/file.hpp"
#include "core/error.hpp"
#include "record/file_error.hpp"

namespace escapement {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view magic = "escapement checkpoint 1\n";
constexpr std::size_t sum_length = 22;  // fnv1a: and 16 digits

[[noreturn]] void refuse(const fs::path& file, const std::string& cause, const std::string& hint) {
  throw ModelError("E-CHECKPOINT", "", cause, hint, {file.string(), 0, 0});
}

}  // namespace

void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint) {
  Checkpoint c = checkpoint;
  Archive a;
  a(c.version, c.model_hash, c.time, c.contents);
  std::string text(magic);
  text += hash_of(a.bytes());
  text += a.bytes();
  folder.write(checkpoint_name, text, true);
}

Checkpoint read_checkpoint(const fs::path& folder) {
  const fs::path file = folder / checkpoint_name;
  std::string text;
  if (const std::error_code fault = read_file(file, text))
    throw system_error(file, "cannot be read", fault.value());
  const std::string again = "run the model again";
  if (!std::string_view(text).starts_with(magic))
    refuse(file, "is no checkpoint that this version knows", again);
  const std::string_view rest = std::string_view(text).substr(magic.size());
  if (rest.size() < sum_length || hash_of(rest.substr(sum_length)) != rest.substr(0, sum_length))
    refuse(file, "is damaged: its checksum does not fit", again);
  Checkpoint c;
  try {
    Archive a(rest.substr(sum_length));
    a(c.version, c.model_hash, c.time, c.contents);
  } catch (const ArchiveError& e) {
    refuse(file, fmt::format("is damaged: {}", e.what()), again);
  }
  return c;
}

void make_durable(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(file, "cannot be read", errno);
  const int fault = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (fault != 0 && fault != EINVAL) throw system_error(file, "cannot be written", fault);
}

}  // namespace escapement
