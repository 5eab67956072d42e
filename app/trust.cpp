// `escapement trust`: which code of models may run, remembered by its content.
#include <fmt/format.h>

#include <filesystem>

#include "command_line.hpp"
#include "components/registry.hpp"
#include "external/library.hpp"
#include "messages.hpp"
#include "model/model.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;
using external::TrustFile;

/// What a file is, or what a model uses.
std::vector<external::Source> sources(const std::string& argument, const Command& command) {
  const fs::path path = argument;
  if (path.extension() != ".yaml" && path.extension() != ".yml") return {external::source_file(path)};
  const Registry registry = standard_registry();
  const Model model = Model::read_file(path, registry, {command.set, command.allow_outside, {}});
  std::vector<external::Source> all;
  for (const UsedCode& code : model.used_code())
    all.push_back(code.file.empty() ? external::source_text(code.where, code.text)
                                    : external::source_file(code.file));
  if (all.empty())
    throw ModelError("E-USAGE", argument, "this model runs no code of its own: there is nothing to trust",
                     "");
  return all;
}

void report(const Command& command, const char* event, const char* text, const std::string& hash,
            const std::string& name) {
  if (command.json) print_json(Json::object().set("event", event).set("name", name).set("hash", hash));
  else if (!command.quiet) fmt::print("{:<15} {}  {}\n", text, hash, name);
}

}  // namespace

int trust(const Command& command) {
  const TrustFile file;
  if (command.list) {
    for (const auto& code : file.read()) report(command, "listed", "trusted", code.hash, code.note);
    return 0;
  }
  if (command.arguments.empty())
    throw ModelError("E-USAGE", "trust", "something is missing: FILE",
                     "escapement trust FILE, or escapement trust --list");
  for (const std::string& argument : command.arguments) {
    try {
      for (const external::Source& source : sources(argument, command)) {
        const std::string hash = source.hash();
        if (command.remove)
          file.remove(hash) ? report(command, "removed", "no more trusted", hash, source.name)
                            : report(command, "unchanged", "was not trusted", hash, source.name);
        else
          file.add(hash, source.name) ? report(command, "trusted", "trusted", hash, source.name)
                                      : report(command, "unchanged", "was trusted", hash, source.name);
      }
    } catch (const external::LoadError& e) {
      throw ModelError(e.code, argument, e.cause, e.hint);
    }
  }
  return 0;
}

}  // namespace escapement::app
