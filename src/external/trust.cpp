#include "external/trust.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

namespace escapement::external {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_bytes = 64 << 20;

LoadError file_fault(const fs::path& path, const std::string& what, int number) {
  return {"E-FILE", fmt::format("`{}` {}: {}", path.string(), what, std::strerror(number)), ""};
}

bool is_hash(const std::string& word) {
  return word.size() == 64 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

fs::path user_folder(const char* variable, const char* below_home) {
  const char* const named = std::getenv(variable);
  if (named != nullptr && fs::path(named).is_absolute()) return fs::path(named) / "escapement";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != 0) return fs::path(home) / below_home / "escapement";
  return {};
}

std::string read_file(const fs::path& path) {
  std::error_code fault;
  const auto size = fs::file_size(path, fault);
  if (fault)
    throw LoadError{"E-FILE", fmt::format("cannot read `{}`: {}", path.filename().string(), fault.message()),
                    ""};
  if (!fs::is_regular_file(path))
    throw LoadError{"E-FILE", fmt::format("cannot read `{}`: not a regular file", path.filename().string()),
                    ""};
  if (size > most_bytes)
    throw LoadError{"E-LIMIT", fmt::format("`{}` has {} bytes", path.filename().string(), size), ""};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || (size > 0 && text.str().empty())) throw file_fault(path, "cannot be read", errno);
  return std::move(text).str();
}

void write_file(const fs::path& path, const std::string& content) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::string temporary = path.string() + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) throw file_fault(path, "cannot be written", errno);
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = write(file, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool whole = done == content.size() && fsync(file) == 0;
  const int fault = errno;
  close(file);
  if (!whole || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = whole ? errno : fault;
    unlink(temporary.c_str());
    throw file_fault(path, "cannot be written", reason);
  }
}

TrustFile::TrustFile() : file_(user_folder("XDG_CONFIG_HOME", ".config")) {
  if (!file_.empty()) file_ /= "trusted";
}

std::vector<TrustedCode> TrustFile::read() const {
  std::vector<TrustedCode> all;
  std::ifstream file(file_);
  for (std::string line; std::getline(file, line);) {
    const std::string hash = line.substr(0, line.find(' '));
    if (!is_hash(hash)) continue;
    const std::size_t note = line.find("# ");
    all.push_back({hash, note == std::string::npos ? "" : line.substr(note + 2)});
  }
  return all;
}

bool TrustFile::contains(const std::string& hash) const {
  const auto all = read();
  return std::any_of(all.begin(), all.end(), [&](const TrustedCode& c) { return c.hash == hash; });
}

bool TrustFile::add(const std::string& hash, const std::string& name) const {
  auto all = read();
  if (contains(hash)) return false;
  std::string plain;
  for (const char c : name) plain += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  all.push_back({hash, fmt::format("{} {:%Y-%m-%d}", plain, fmt::localtime(std::time(nullptr)))});
  write(all);
  return true;
}

bool TrustFile::remove(const std::string& hash) const {
  auto all = read();
  if (std::erase_if(all, [&](const TrustedCode& c) { return c.hash == hash; }) == 0) return false;
  write(all);
  return true;
}

void TrustFile::write(const std::vector<TrustedCode>& all) const {
  if (file_.empty())
    throw LoadError{"E-FILE", "there is no folder for settings", "set XDG_CONFIG_HOME or HOME"};
  std::string text =
      "# Code that Escapement may run, by the SHA-256 of its content; see `escapement trust`.\n";
  for (const TrustedCode& c : all) text += fmt::format("{}  # {}\n", c.hash, c.note);
  write_file(file_, text);
}

bool trusted(const std::string& hash) {
  const auto& shipped = shipped_hashes();
  return std::find(shipped.begin(), shipped.end(), hash) != shipped.end() || TrustFile().contains(hash);
}

}  // namespace escapement::external
