// The names that one file of a model sees: its parameters, its ports, and where it looks for files.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/expression.hpp"
#include "model/node.hpp"

namespace escapement {

/// A parameter of a model or subsystem: a number or a vector with its dimension, or text.
struct ParameterValue {
  Dimension dimension;
  std::vector<double> values;  // one for a number
  bool vector = false, bare = false;
  std::string text;  // if `values` is empty
};

/// The names one file sees. A subsystem sees nothing outside but what it is given.
struct Namespace {
  std::string prefix;  // "front_left." or empty
  std::map<std::string, ParameterValue> parameters;
  std::map<std::string, std::string> ports;  // port name -> what it is connected to, by absolute path
  bool bare_numbers_are_si = false;
  bool of_other_format = false;  // than YAML: its parameters are evaluated already
  std::filesystem::path folder;  // where its files are looked for
  std::filesystem::path root;    // the model's folder, which they must not leave
  Scope scope;                   // of `parameters`
  void index();                  // fills `scope`
  /// The parameter of this name, which from then on counts as used; none: nullptr.
  const ParameterValue* parameter(std::string_view name) const;
  std::vector<std::string> unused() const;

 private:
  mutable std::set<std::string, std::less<>> used_;
};

/// Values of the loop variables of `for:`.
using Loop = std::vector<std::pair<std::string, int>>;

/// A file named in a model: inside the folder of the model, or E-OUTSIDE.
std::filesystem::path contained_path(const Namespace& space, const Node& name, bool allow_outside,
                                     const std::string& where);

/// What a flattened model calls such a file: it stands beside that model, in no folder.
std::string flat_name(const std::filesystem::path& file, const Namespace& space);

}  // namespace escapement
