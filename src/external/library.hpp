// Libraries of user functions: a shared library, or a C source that is compiled into one; loaded only if it is trusted.
#pragma once
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "external/trust.hpp"

namespace escapement::external {

/// Code as it stands in a file or in a model. What is hashed is what is compiled and loaded.
struct Source {
  std::string name;     // as messages call it
  std::string content;  // of a .c or .so file
  bool compiled = false;
  std::string hash() const;
};
/// Throws LoadError E-FILE, or E-VALUE for a file that is neither .c nor .so.
Source source_file(const std::filesystem::path& path);
Source source_text(std::string name, std::string text);

class Library {
 public:
  Library(std::string name, void* handle) : name(std::move(name)), handle_(handle) {}
  const std::string name;
  /// An exported symbol, or null.
  const void* find(const char* symbol) const;
  /// After a fault nothing of it is called again.
  bool broken() const { return broken_; }
  void give_up() const { broken_ = true; }

 private:
  void* handle_;
  mutable std::atomic<bool> broken_ = false;
};

/// Compiled if need be (once: results are kept in $XDG_CACHE_HOME/escapement) and loaded for the rest of the process.
/// Throws LoadError E-TRUST, E-COMPILE, E-LIBRARY or E-FILE. `trust`: whatever it is.
std::shared_ptr<const Library> load(const Source& source, bool trust = false);

}  // namespace escapement::external
