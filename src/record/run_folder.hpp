// The folder a run writes to. Nothing that is not an earlier run is ever overwritten.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace escapement {

class RunFolder {
 public:
  /// The first line of the model in a run folder begins so.
  static constexpr std::string_view model_heading = "# The model as run";

  /// `<model's folder>-run`, or `-run-2`, `-run-3` … if there is one already. Throws FileError.
  static RunFolder beside(const std::filesystem::path& model, const std::string& suffix = "-run");
  /// This folder: new, empty, or (with `replace`) an earlier run, whose files are removed.
  static RunFolder at(const std::filesystem::path& folder, bool replace);

  /// A folder that is there already, whatever it holds: for single files.
  static RunFolder existing(std::filesystem::path folder) { return RunFolder(std::move(folder)); }

  const std::filesystem::path& path() const { return path_; }
  /// A small file, written whole: temporary, then renamed. `durable`: on the disk before it returns.
  void write(const std::string& name, std::string_view text, bool durable = false) const;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Of a text, for telling models apart: FNV-1a, 64 bits, "fnv1a:…".
std::string hash_of(std::string_view text);

}  // namespace escapement
