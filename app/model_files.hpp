// What a folder of results holds of its model: the model as run, its text, the files it uses, and its scene.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "command_line.hpp"
#include "model/assembly.hpp"
#include "record/run_folder.hpp"

namespace escapement::app {

/// The model that the command names, with its settings.
Model read_model(const Command& command, const Registry& registry);

struct ModelFiles {
  std::string flattened;  // the model as run
  std::string source;
  std::map<std::string, std::string> used;  // by name

  /// Throws ModelError if one cannot be read any more.
  ModelFiles(const Model& model, const std::filesystem::path& path);
  void write(const RunFolder& folder, const Model& model, const Assembly& assembly) const;
};

}  // namespace escapement::app
