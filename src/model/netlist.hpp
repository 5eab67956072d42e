// SPICE netlists as subsystems: `amp: {use: amplifier.cir, with: {rload: 1 kohm}, connect: {out: plug}}`. A netlist becomes the
// tree that a subsystem file in YAML would give; every value knows its place in the netlist. docs/netlists.md says what
// is read.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/yaml.hpp"

namespace escapement {

namespace netlist {
struct Deck;
}

/// A text that `.include` or `.lib` asks for.
struct NetlistFile {
  std::string text;
  const std::string* name = nullptr;  // as messages call it
  std::string path;  // the same for the same file: for circles, and for what it includes itself
};

struct NetlistOptions {
  /// Finds a file beside the one that names it (by its path); may throw E-FILE, E-OUTSIDE. Without it: no files.
  std::function<NetlistFile(const Node& name, const std::string& from)> include = {};
  YamlLimits limits = {};
  std::string where = {};  // what messages call the netlist as a whole
};

/// How a model uses a netlist.
struct NetlistUse {
  std::string path;                            // of the subsystem, for messages: "amp"
  std::map<std::string, double> parameters;    // instead of the values of `.param`, in SI
  std::map<std::string, std::string> connect;  // nodes and sources, and what they are connected to
};

struct NetlistTree {
  Node root;                                       // escapement, title, units, ports, nodes, components
  std::map<std::string, std::string> connections;  // the ports of the tree, by what `connect:` calls them
  std::vector<std::string> connectable;            // what `connect:` may name
};

class Netlist {
 public:
  /// Throws ModelError or ModelErrors, each with its place.
  static Netlist read(const NetlistFile& file, const NetlistOptions& options = {});

  /// The parameters of the netlist itself (`.param`): names and places.
  const Node& parameters() const { return parameters_; }
  /// The tree, all numbers evaluated. Names may have dots: `x1.r1` is R1 of the subcircuit X1.
  NetlistTree tree(const NetlistUse& use) const;

 private:
  std::shared_ptr<const netlist::Deck> deck_;
  Node parameters_;
};

/// Does the name of a file end like that of a netlist?
bool is_netlist(const std::filesystem::path& file);

}  // namespace escapement
