#include "model/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

Node::Node(double number) : Node(fmt::format("{:.17g}", number)) {}

Node Node::sequence(std::vector<Node> items) {
  Node n;
  n.kind = Kind::sequence;
  n.items = std::move(items);
  return n;
}

Node Node::mapping(std::vector<Entry> entries) {
  Node n;
  n.kind = Kind::mapping;
  n.entries = std::move(entries);
  return n;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}
Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string Node::described() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
    default: {
      std::size_t end = text.find('\n');  // one line, and no character cut in two
      if (end == text.npos && text.size() <= 40) return "`" + text + "`";
      end = std::min<std::size_t>(end, 37);
      while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
      return "`" + text.substr(0, end) + "…`";
    }
  }
}

}  // namespace escapement
