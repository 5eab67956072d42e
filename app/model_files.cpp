#include "model_files.hpp"

#include <fmt/format.h>

#include "external/trust.hpp"
#include "report/scene_json.hpp"

namespace escapement::app {

Model read_model(const Command& command, const Registry& registry) {
  return Model::read_file(command.arguments.at(0), registry,
                          {command.set, command.allow_outside, {}, command.trust});
}

ModelFiles::ModelFiles(const Model& model, const std::filesystem::path& path)
    : flattened(write_yaml(model.flattened())) {
  try {
    source = external::read_file(path);
    for (const UsedFile& file : model.used_files()) used[file.name] = external::read_file(file.path);
  } catch (const external::LoadError& e) {
    throw ModelError(e.code, "", e.cause, e.hint);
  }
}

void ModelFiles::write(const RunFolder& folder, const Model& model, const Assembly& assembly) const {
  folder.write("model.yaml", fmt::format("{}, by escapement {}.\n{}", RunFolder::model_heading,
                                         ESCAPEMENT_VERSION, flattened));
  folder.write("source.yaml", source);
  folder.write("scene.json", scene_json(model, assembly).text() + "\n");
  for (const auto& [name, content] : used) folder.write(name, content);
}

}  // namespace escapement::app
