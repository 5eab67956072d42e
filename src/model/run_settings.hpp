// What to do with a model: title, simulate, start, gravity, nominal, record, plots.
#pragma once
#include <string>

#include "model/command_settings.hpp"
#include "model/model.hpp"

namespace escapement {

class RunSettings {
 public:
  RunSettings(Model& model, const Namespace& space, CommandSettings& command, Diagnostics& diagnostics)
      : model_(model), space_(space), command_(command), diagnostics_(diagnostics) {}
  void read(const Node& root);

 private:
  /// A key of the top level, or what --set says of it.
  const Node* top(const Node& root, const std::string& key);
  void read_simulate(const Node& root);
  void read_start(const Node& start);
  std::string start_mode(const Node& start);
  void read_gravity(const Node& gravity);
  void read_record(const Node& record);
  void read_plot(const Node& plot);

  Model& model_;
  const Namespace& space_;
  CommandSettings& command_;
  Diagnostics& diagnostics_;
};

}  // namespace escapement
