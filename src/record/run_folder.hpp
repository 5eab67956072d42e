// The folder a run writes to. Nothing that is not an earlier run is ever overwritten.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace escapement {

class RunFolder {
 public:
  /// The first line of the model in a run folder begins so.
  static constexpr std::string_view model_heading = "# The model as run";

  /// A folder with a file of this name holds models alone: results of runs go to the current folder instead.
  static constexpr const char* models_only = ".models-only";
  /// `<model's folder>-run`, or `-run-2`, `-run-3` … if there is one already. Throws FileError.
  static RunFolder beside(const std::filesystem::path& model, const std::string& suffix = "-run");
  /// This folder: new, empty, or (with `replace`) an earlier run, whose files are removed.
  static RunFolder at(const std::filesystem::path& folder, bool replace);

  /// The folder of a run that goes on.
  static RunFolder of_run(const std::filesystem::path& folder) { return RunFolder(folder, held(folder)); }

  /// A folder that is there already, whatever it holds: for single files.
  static RunFolder existing(const std::filesystem::path& folder) { return RunFolder(folder, nullptr); }

  const std::filesystem::path& path() const { return path_; }
  /// A small file, written whole: temporary, then renamed. `durable`: on the disk before it returns.
  void write(const std::string& name, std::string_view text, bool durable = false) const;

 private:
  using Hold = std::shared_ptr<void>;
  RunFolder(std::filesystem::path path, Hold hold) : path_(std::move(path)), hold_(std::move(hold)) {}
  /// One process at a time writes a run: throws FileError while another does.
  static Hold held(const std::filesystem::path& folder);

  std::filesystem::path path_;
  Hold hold_;
};

/// Of a text, for telling models apart: FNV-1a, 64 bits, "fnv1a:…".
std::string hash_of(std::string_view text);

}  // namespace escapement
