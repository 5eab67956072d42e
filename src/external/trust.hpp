// Which code may run: what the user has trusted, known by the hash of its content, and what is shipped.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace escapement::external {

/// A folder for settings or for what can be made again, by the XDG rules ("XDG_CONFIG_HOME", ".config"); empty if the
/// environment names neither it nor a home.
std::filesystem::path user_folder(const char* variable, const char* below_home);

struct TrustedCode {
  std::string hash, note;  // name and date
};

/// $XDG_CONFIG_HOME/escapement/trusted: one line per hash, with name and date behind it.
class TrustFile {
 public:
  TrustFile();
  explicit TrustFile(std::filesystem::path file) : file_(std::move(file)) {}
  const std::filesystem::path& path() const { return file_; }
  std::vector<TrustedCode> read() const;
  bool contains(const std::string& hash) const;
  /// Throws LoadError E-FILE. False: it was (or was not) there before.
  bool add(const std::string& hash, const std::string& name) const;
  bool remove(const std::string& hash) const;

 private:
  void write(const std::vector<TrustedCode>& all) const;
  std::filesystem::path file_;
};

/// Trusted by the user, or shipped with the program.
bool trusted(const std::string& hash);
/// Hashes of the C functions among the examples.
const std::vector<std::string>& shipped_hashes();

/// Why code cannot be used: a message code, the cause and what to do.
struct LoadError {
  std::string code, cause, hint;
};

/// Replaces a file in one go: it is there whole, or as it was. Throws LoadError E-FILE.
void write_file(const std::filesystem::path& path, const std::string& content);
/// Throws LoadError E-FILE or E-LIMIT.
std::string read_file(const std::filesystem::path& path);

}  // namespace escapement::external
