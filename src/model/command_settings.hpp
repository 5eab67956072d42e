// --set KEY=VALUE of the command line: parameters of the model and of subsystems, keys of components and of the top level.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/model.hpp"

namespace escapement {

class CommandSettings {
 public:
  CommandSettings(const ReadOptions& options, ModelTexts& texts)
      : options_(options), texts_(texts), unused_(options.set) {}

  /// The value for exactly this key, which is used with that; the last one counts. null: none.
  const Node* find(const std::string& key);
  /// What is said of `simulate`, by its keys.
  std::map<std::string, std::string> of_simulate() const;
  /// Puts what is said of `simulate` into its section.
  void apply_to_simulate(Node& section);
  /// `mass.initial.position` of components: changed copies of their fields.
  void apply_to_components(Model& model, Diagnostics& diagnostics);

 private:
  void apply(Model& model, const std::string& key, const std::string& value);
  [[noreturn]] void refuse_unknown(const Model& model, const std::string& key) const;
  void replace(Node& fields, const std::string& key, const std::string& full_key, const std::string& value);
  const Node& parsed(const std::string& key, const std::string& value);

  const ReadOptions& options_;
  ModelTexts& texts_;
  std::vector<std::pair<std::string, std::string>> unused_;
};

}  // namespace escapement
