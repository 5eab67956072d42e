// Node: the tree of a model text. Every value knows its line and column; nothing is interpreted yet.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace escapement {

/// A place in a source text; the name of the file belongs to whoever owns the tree (Sources).
struct Mark {
  const std::string* file = nullptr;
  int line = 0, column = 0;  // from 1; columns count characters, not bytes
  SourcePlace place() const { return file ? SourcePlace{*file, line, column} : SourcePlace{}; }
};

/// A scalar, a sequence or a mapping. Mappings keep the order of the text; their keys are unique.
struct Node {
  enum class Kind { null, scalar, sequence, mapping };
  struct Entry;

  Kind kind = Kind::null;
  bool quoted = false;         // a scalar in quotes or a block scalar: text, never a number or a name
  Mark mark;                   // of its first character
  std::string text;            // of a scalar
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a mapping

  Node() = default;
  Node(const char* text);
  Node(std::string text);
  /// A number in full precision, without a unit.
  Node(double number);
  Node(int number);
  static Node sequence(std::vector<Node> items);
  static Node mapping(std::vector<Entry> entries);

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  /// The value of a key, null if it is absent (or this is no mapping).
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// "a mapping", "a list", "`5 kg`", "nothing": for messages.
  std::string described() const;
};

struct Node::Entry {
  std::string key;
  Mark mark;  // of the key
  Node value;
};

inline Node::Node(std::string text) : kind(Kind::scalar), text(std::move(text)) {}
inline Node::Node(const char* text) : Node(std::string(text)) {}
inline Node::Node(int number) : Node(std::to_string(number)) {}

/// A fault at a place of a model text.
inline ModelError fault(const char* code, const Mark& mark, const std::string& where, std::string cause,
                        std::string hint = {}) {
  return ModelError(code, where, std::move(cause), std::move(hint), mark.place());
}

/// The value under a key of a mapping; null: not given. E-TYPE unless it is of this kind, which messages call `wanted`.
const Node* find_section(const Node& root, std::string_view key, Node::Kind kind, const char* wanted);
/// The text of a scalar, or E-TYPE.
const std::string& scalar(const Node& n, const std::string& where);

/// For models written in C++: List{"ground", "mass"}, Fields{{"mass", "1 kg"}, {"initial", Fields{{"position", "5 m"}}}}.
struct List : Node {
  List(std::initializer_list<Node> items) : Node(Node::sequence(items)) {}
};
struct Fields : Node {
  Fields() { kind = Kind::mapping; }
  Fields(std::initializer_list<std::pair<std::string, Node>> fields) : Fields() {
    for (const auto& [key, value] : fields) entries.push_back({key, {}, value});
  }
};

}  // namespace escapement
