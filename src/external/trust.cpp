#include "external/trust.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/file.hpp"

namespace escapement::external {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_bytes = 64 << 20;

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
  std::string text;
  const std::error_code fault = escapement::read_file(path, text, most_bytes);
  const std::string name = path.filename().string();
  if (fault == std::errc::file_too_large)
    throw LoadError{"E-LIMIT", fmt::format("`{}` has {} bytes", name, fs::file_size(path)), ""};
  if (fault)
    throw LoadError{"E-FILE",
                    fmt::format("cannot read `{}`: {}", name,
                                fault == not_a_regular_file ? "not a regular file" : fault.message()),
                    ""};
  return text;
}

void write_file(const fs::path& path, const std::string& content) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const std::error_code fault = escapement::write_file(path, content, {.durable = true, .owner_only = true});
  if (fault)
    throw LoadError{"E-FILE", fmt::format("`{}` cannot be written: {}", path.string(), fault.message()), ""};
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
