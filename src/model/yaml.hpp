// YAML by libyaml into our own tree with marks. Limits and pitfalls are ours: duplicate keys, deep nesting, alias
// bombs, huge files, tags, several documents, text that YAML would read as something else.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.hpp"

namespace escapement {

/// Owns the names of the files that marks point at.
class Sources {
 public:
  const std::string* add(std::string name) {
    names_.push_back(std::make_unique<std::string>(std::move(name)));
    return names_.back().get();
  }

 private:
  std::vector<std::unique_ptr<std::string>> names_;
};

struct YamlLimits {
  std::size_t bytes = 64u << 20;      // of the text, and again of texts copied by aliases
  int depth = 100;                    // of lists and mappings, aliases expanded
  std::size_t alias_nodes = 200'000;  // nodes made by expanding aliases, in all
  std::size_t nodes = 5'000'000;      // in all
  std::size_t anchors = 10'000;
};

/// Throws ModelError E-SYNTAX, E-DUPLICATE, E-ENCODING, E-LIMIT with the place.
Node read_yaml(std::string_view text, const std::string* file, const YamlLimits& limits = {});
/// The same from a file; E-FILE if it cannot be read. `name`: what messages call it.
Node read_yaml_file(const std::filesystem::path& path, const std::string& name, Sources& sources,
                    const YamlLimits& limits = {});
/// The tree as YAML text that reads back as the same tree. E-ENCODING if a text is not UTF-8.
std::string write_yaml(const Node& node);
/// Equal in kinds, texts, quotes and order; marks may differ.
bool same_tree(const Node& a, const Node& b);

}  // namespace escapement
