#include "record/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>

#include "base/file.hpp"
#include "record/file_error.hpp"

namespace escapement {
namespace fs = std::filesystem;

namespace {
constexpr const char* own_files[] = {"results.csv", "results.h5",   "summary.json",  "model.yaml",
                                     "source.yaml", "scene.json",   "motion.bin",    "history.json",
                                     "report.html", "compare.html", "checkpoint.bin"};

/// A model of the user's own is never replaced: those of runs begin with RunFolder::model_heading.
bool written_by_a_run(const fs::path& model) {
  std::error_code fault;
  if (!fs::exists(model, fault)) return true;
  std::ifstream file(model);
  std::string line;
  std::getline(file, line);
  return line.starts_with(RunFolder::model_heading);
}

}  // namespace

RunFolder::Hold RunFolder::held(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(folder, "cannot be read", errno);
  Hold hold(nullptr, [descriptor](void*) { ::close(descriptor); });
  // File systems without locks are no fault: there the user has to take care.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FileError(folder.string(), "another process is writing a run there",
                    "wait until it has ended, or another folder");
  return hold;
}

RunFolder RunFolder::beside(const fs::path& model, const std::string& suffix) {
  std::error_code fault;
  const fs::path folder =
      fs::weakly_canonical(model.has_parent_path() ? model.parent_path() : fs::path("."), fault);
  std::string base = folder.string();
  const fs::path here = fs::current_path(fault);
  if (fs::exists(folder.parent_path() / models_only, fault)) base = folder.filename().string();
  else if (const fs::path relative = folder.lexically_relative(here);
           !fault && !relative.empty() && *relative.begin() != "..")
    base = relative == "." ? (fs::path("..") / folder.filename()).string() : relative.string();
  for (int i = 1; i < 100000; ++i) {
    const fs::path candidate = base + suffix + (i == 1 ? "" : fmt::format("-{}", i));
    if (fs::create_directory(candidate, fault)) return of_run(candidate);
    if (fault) throw system_error(candidate, "cannot be made", fault.value());
  }
  throw FileError(base + suffix, "there are too many runs already",
                  "remove some, or choose a folder with --out");
}

RunFolder RunFolder::at(const fs::path& folder, bool replace) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) throw system_error(folder, "cannot be made", fault.value());
  Hold hold = held(folder);
  if (fs::is_empty(folder, fault) && !fault) return RunFolder(folder, std::move(hold));
  if (fault) throw system_error(folder, "cannot be read", fault.value());
  if (!replace)
    throw FileError(folder.string(), "the folder is not empty",
                    "another folder, or --force to replace the run in it");
  if (!fs::exists(folder / "results.csv") || !written_by_a_run(folder / "model.yaml"))
    throw FileError(folder.string(), "the folder holds something else than a run; it is left as it is",
                    "another folder");
  for (const char* file : own_files)  // all or nothing
    if (const auto there = fs::symlink_status(folder / file, fault);
        fs::exists(there) && !fs::is_regular_file(there) && !fs::is_symlink(there))
      throw FileError((folder / file).string(), "is no file; the run is left as it is", "another folder");
  const auto remove = [&](const fs::path& file) {
    fs::remove(file, fault);
    if (fault) throw system_error(file, "cannot be removed", fault.value());
  };
  for (int i = 1; fs::exists(folder / fmt::format("plot-{}.svg", i), fault); ++i)
    remove(folder / fmt::format("plot-{}.svg", i));
  if (fs::exists(folder / "vtk" / "motion.pvd", fault)) {  // of an export
    for (const auto& entry : fs::directory_iterator(folder / "vtk", fault)) {
      const std::string name = entry.path().filename().string();
      if (name == "motion.pvd" || name == "components.csv" ||
          (name.starts_with("motion-") && name.ends_with(".vtp")))
        remove(entry.path());
    }
  }
  for (const char* file : own_files) remove(folder / file);
  return RunFolder(folder, std::move(hold));
}

void RunFolder::write(const std::string& name, std::string_view text, bool durable) const {
  std::error_code ignored;
  if (const auto there = fs::symlink_status(path_ / name, ignored);
      fs::exists(there) && !fs::is_regular_file(there))
    throw FileError((path_ / name).string(), "is there already and is no file", "another name");
  if (const std::error_code fault = write_file(path_ / name, text, {.durable = durable}))
    throw system_error(path_ / name, "cannot be written", fault.value());
}

std::string hash_of(std::string_view text) {
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return fmt::format("fnv1a:{:016x}", h);
}

}  // namespace escapement
