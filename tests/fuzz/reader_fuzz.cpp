// Any bytes: read_yaml gives a tree or a ModelError with a place; a tree survives writing and reading.
#include <cstdint>
#include <cstdlib>

#include "model/yaml.hpp"

using namespace escapement;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = "m.yaml";
  YamlLimits limits;
  limits.alias_nodes = 20'000;
  Node tree;
  try {
    tree = read_yaml({reinterpret_cast<const char*>(data), size}, &file, limits);
  } catch (const ModelError& e) {
    if (e.place.line < 1 || e.place.column < 1 || e.cause.empty()) std::abort();
    return 0;
  }
  if (!same_tree(tree, read_yaml(write_yaml(tree), &file))) std::abort();
  return 0;
}
