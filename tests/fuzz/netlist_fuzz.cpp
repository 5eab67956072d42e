// Any bytes: a netlist gives a tree or faults with a place; a tree survives writing and reading. A first line
// `*connect` connects some nodes and sources.
#include <cstdint>
#include <cstdlib>

#include "model/diagnostics.hpp"
#include "netlist/netlist.hpp"

using namespace escapement;

namespace {

void check(const ModelError& e) {
  if (e.place.line < 1 || e.place.column < 1 || e.cause.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = "n.cir", included = "n.inc";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  SubsystemOptions options;
  options.limits.nodes = 50'000;
  options.include = [&](const Node& name, const std::string&) {  // the text itself, without its first line
    const std::size_t end = text.find('\n');
    return SubsystemText{std::string(end == text.npos ? "" : text.substr(end + 1)), &included, name.text};
  };
  SubsystemUse use{"x", {{"r", 2}}, {}};
  if (text.starts_with("*connect")) use.connect = {{"v1", "signal"}, {"out", "node"}, {"in", "ground"}};
  Node tree;
  try {
    tree = Netlist::read({std::string(text), &file, file}, options).tree(use).root;
  } catch (const ModelError& e) {
    check(e);
    return 0;
  } catch (const ModelErrors& e) {
    for (const ModelError& one : e.errors) check(one);
    return 0;
  }
  if (!same_tree(tree, read_yaml(write_yaml(tree), &file))) std::abort();
  return 0;
}
