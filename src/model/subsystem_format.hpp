// Subsystems in files that are not YAML: `amp: {use: amplifier.cir, with: {rload: 1 kohm}, connect: {out: plug}}`. A format
// turns each use of such a file into the tree that a subsystem file in YAML would give; the registry says which formats there are.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/yaml.hpp"

namespace escapement {

/// The text of such a file, or of one that it asks for.
struct SubsystemText {
  std::string text;
  const std::string* name = nullptr;  // as messages call it
  std::string path;  // the same for the same file: for circles, and for what it includes itself
};

struct SubsystemOptions {
  /// Finds a file beside the one that names it (by its path); may throw E-FILE, E-OUTSIDE. Without it: no files.
  std::function<SubsystemText(const Node& name, const std::string& from)> include = {};
  YamlLimits limits = {};
  std::string where = {};  // what messages call the subsystem as a whole
};

/// How a model uses it.
struct SubsystemUse {
  std::string path;                            // of the subsystem, for messages: "amp"
  std::map<std::string, double> parameters;    // instead of its own values, in SI
  std::map<std::string, std::string> connect;  // what of it is connected, and to what
};

struct SubsystemTree {
  Node root;                                       // escapement, title, units, ports, nodes, components
  std::map<std::string, std::string> connections;  // the ports of the tree, by what `connect:` calls them
  std::vector<std::string> connectable;            // what `connect:` may name
};

/// A file of such a format, read once.
class SubsystemFile {
 public:
  virtual ~SubsystemFile() = default;
  /// Its parameters: names and places.
  virtual const Node& parameters() const = 0;
  /// The tree, all numbers evaluated. Names may have dots.
  virtual SubsystemTree tree(const SubsystemUse& use) const = 0;
};

struct SubsystemFormat {
  std::string name;                     // what messages call such a file: "netlist"
  std::string connectable;              // … and what of it can be connected
  std::vector<std::string> extensions;  // ".cir", in small letters
  /// Throws ModelError or ModelErrors, each with its place.
  std::function<std::shared_ptr<const SubsystemFile>(const SubsystemText&, const SubsystemOptions&)> read;
};

}  // namespace escapement
