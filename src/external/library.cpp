#include "external/library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "external/guard.hpp"
#include "external/sha256.hpp"

extern char** environ;

namespace escapement::external {

extern const char* const function_header;  // the text of escapement/function.h

namespace {

namespace fs = std::filesystem;

constexpr double loading_limit = 10;  // s, of the constructors of a library
const char* const flags[] = {"-std=gnu11", "-O2",         "-fPIC",  "-ffp-contract=off",
                             "-Wall",      "-Wl,-z,defs", "-shared"};

/// A folder that is removed with all that is in it.
struct TemporaryFolder {
  explicit TemporaryFolder(const fs::path& parent) {
    std::error_code ignored;
    fs::create_directories(parent, ignored);
    std::string name = (parent / "building-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw LoadError{"E-FILE",
                      fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)),
                      "set XDG_CACHE_HOME to a folder that can be written"};
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  fs::path path;
};

/// The words of $CC, or cc; the first as a full path.
std::vector<std::string> compiler() {
  const char* const named = std::getenv("CC");
  std::istringstream words(named != nullptr && *named != 0 ? named : "cc");
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command = {"cc"};
  if (command[0].find('/') != std::string::npos) return command;
  std::istringstream folders(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path full = fs::path(folder.empty() ? "." : folder) / command[0];
    if (access(full.c_str(), X_OK) == 0 && !fs::is_directory(full)) {
      command[0] = full.string();
      return command;
    }
  }
  throw LoadError{"E-COMPILE", fmt::format("there is no C compiler `{}`", command[0]),
                  "install one (Debian: apt install gcc), name one in CC, or give a shared library (.so)"};
}

/// What the result depends on besides the source.
std::string fingerprint(const std::vector<std::string>& command) {
  std::string text = function_header;
  for (const std::string& word : command) text += '\0' + word;
  for (const char* flag : flags) text += std::string("\0", 1) + flag;
  struct stat s = {};
  stat(command[0].c_str(), &s);
  return text + fmt::format("{} {}", s.st_size, s.st_mtime);
}

struct Finished {
  int status;
  std::string output;
};

Finished run(const std::vector<std::string>& words, const fs::path& folder) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const std::string log = (folder / "log").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int fault = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0)
    throw LoadError{"E-COMPILE", fmt::format("`{}` cannot be started: {}", words[0], std::strerror(fault)),
                    ""};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {status, read_file(log)};
}

/// The first lines of what a compiler says.
std::string excerpt(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < 12; ++count)
    result += "\n    " + line.substr(0, 200);
  return result + (count == 12 ? "\n    …" : "");
}

void compile(const Source& source, const std::vector<std::string>& command, const fs::path& result) {
  const TemporaryFolder folder(result.parent_path());
  write_file(folder.path / "include" / "escapement" / "function.h", function_header);
  std::string name = source.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '_');
  write_file(folder.path / "source.c", fmt::format("#line 1 \"{}\"\n{}", name, source.content));
  std::vector<std::string> words = command;
  words.insert(words.end(), std::begin(flags), std::end(flags));
  for (const std::string& word :
       {"-I" + (folder.path / "include").string(), (folder.path / "source.c").string(), std::string("-o"),
        (folder.path / "library.so").string(), std::string("-lm")})
    words.push_back(word);
  const Finished done = run(words, folder.path);
  if (!WIFEXITED(done.status) || WEXITSTATUS(done.status) != 0)
    throw LoadError{"E-COMPILE",
                    fmt::format("`{}` does not compile: {} ended with {}{}", source.name, command[0],
                                WIFEXITED(done.status) ? fmt::format("status {}", WEXITSTATUS(done.status))
                                                       : fmt::format("signal {}", WTERMSIG(done.status)),
                                excerpt(done.output)),
                    "a source is one file; it may include <escapement/function.h> and what the system has"};
  if (std::rename((folder.path / "library.so").c_str(), result.c_str()) != 0)
    throw LoadError{"E-FILE", fmt::format("cannot write {}: {}", result.string(), std::strerror(errno)), ""};
}

std::shared_ptr<const Library> open(const std::string& name, const fs::path& file) {
  void* handle = nullptr;
  arm_guard();
  auto constructors = [&] { handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); };
  if (!guarded(constructors, loading_limit))
    throw LoadError{"E-LIBRARY", fmt::format("loading `{}` {}", name, last_outcome().told(loading_limit)),
                    "constructors of a library run when it is loaded: it should have none"};
  if (handle == nullptr) {
    std::string why = dlerror();
    if (why.starts_with(file.string() + ": ")) why.erase(0, file.string().size() + 2);
    throw LoadError{"E-LIBRARY", fmt::format("`{}` cannot be loaded: {}", name, why),
                    "a shared library for this machine, linked with all it needs"};
  }
  return std::make_shared<const Library>(name, handle);
}

std::shared_ptr<const Library> built_and_opened(const Source& source) {
  fs::path folder = user_folder("XDG_CACHE_HOME", ".cache");
  std::optional<TemporaryFolder> own;
  if (folder.empty()) folder = own.emplace(fs::temp_directory_path()).path;
  std::string key = source.hash();
  if (!source.compiled) {
    const auto command = compiler();
    key = sha256(key + fingerprint(command));
    const fs::path file = folder / (key + ".so");
    if (!fs::exists(file)) compile(source, command, file);
    return open(source.name, file);
  }
  const fs::path file = folder / (key + ".so");
  if (!fs::exists(file)) write_file(file, source.content);
  return open(source.name, file);
}

}  // namespace

std::string Source::hash() const { return sha256(content); }

Source source_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool library = name.ends_with(".so") || name.find(".so.") != std::string::npos;
  if (!library && !name.ends_with(".c"))
    throw LoadError{"E-VALUE", fmt::format("`{}` is neither a C source nor a shared library", name),
                    "a file that ends with .c or .so"};
  return {name, read_file(path), library};
}

Source source_text(std::string name, std::string text) { return {std::move(name), std::move(text), false}; }

const void* Library::find(const char* symbol) const { return dlsym(handle_, symbol); }

std::shared_ptr<const Library> load(const Source& source, bool trust) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Library>> loaded;
  const std::string hash = source.hash();
  const std::lock_guard lock(mutex);
  if (!trust && !trusted(hash))
    throw LoadError{
        "E-TRUST",
        fmt::format("`{}` is code to be run, and you have not said that you trust it (SHA-256 {})",
                    source.name, hash),
        "look at it; then `escapement trust` with this file or the model, or --trust for this run only"};
  auto& library = loaded[hash];
  if (!library) library = built_and_opened(source);
  return library;
}

}  // namespace escapement::external
