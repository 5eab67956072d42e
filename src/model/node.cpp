#include "model/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

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
      return "`" + text.substr(0, cut_before(text, std::min<std::size_t>(end, 37))) + "…`";
    }
  }
}

const Node* find_section(const Node& root, std::string_view key, Node::Kind kind, const char* wanted) {
  const Node* n = root.find(key);
  if (!n || n->kind == Node::Kind::null) return nullptr;
  if (n->kind != kind)
    throw fault("E-TYPE", n->mark, std::string(key),
                fmt::format("expected {}, found {}", wanted, n->described()));
  return n;
}

const std::string& scalar(const Node& n, const std::string& where) {
  if (!n.is_scalar()) throw fault("E-TYPE", n.mark, where, "expected text, found " + n.described());
  return n.text;
}

}  // namespace escapement
