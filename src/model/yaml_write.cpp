#include <fmt/format.h>

#include "model/yaml.hpp"
#include "model/yaml_text.hpp"

namespace escapement {
namespace {

using namespace yaml;

class TreeWriter {
 public:
  std::string run(const Node& node) {
    if (node.is_scalar() || node.kind == Node::Kind::null) {
      // In column 1 these would be document marks, and a glued colon a slip unless the line begins with one.
      if (!node.quoted && glued_colon(node.text) != nowhere) out_ += "--- ";
      else if (node.text.starts_with("---") || node.text.starts_with("...")) out_ += "  ";
      out_ += scalar(node, 2);
    } else {
      value(node, 0, 0);
    }
    return std::move(out_) + "\n";
  }

 private:
  static constexpr std::size_t width = 110;

  void new_line(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
    line_begin_ = out_.size() - indent;
  }

  /// A list or mapping whose first entry begins at the end of the text, in column `indent` (from 0).
  void block(const Node& node, std::size_t indent, int level) {
    bool first = true;
    for (const Node& item : node.items) {
      if (!std::exchange(first, false)) new_line(indent);
      out_ += "-";
      child(item, indent, level + 1, false);
    }
    for (const Node::Entry& entry : node.entries) {
      if (!std::exchange(first, false)) new_line(indent);
      const std::string name = key(entry.key);
      if (name.size() > longest_key) {
        out_ += "? " + name;
        new_line(indent);
        out_ += ":";
      } else {
        out_ += name + ":";
      }
      child(entry.value, indent, level + 1, true);
    }
  }
  /// After `-` or `key:`.
  void child(const Node& node, std::size_t indent, int level, bool under_key) {
    if (node.is_scalar() || node.kind == Node::Kind::null) {
      out_ += " " + scalar(node, indent + 2);
    } else if (under_key && !flow_here(node, level, 1)) {
      new_line(indent + 2);
      block(node, indent + 2, level);
    } else {
      out_ += " ";
      value(node, indent + 2, level);
    }
  }
  void value(const Node& node, std::size_t indent, int level) {
    if (const auto text = flow_here(node, level, 0)) out_ += *text;
    else block(node, indent, level);
  }

  /// The two upper levels are blocks, so that a model shows its components line by line.
  std::optional<std::string> flow_here(const Node& node, int level, std::size_t space) const {
    const bool empty = node.items.empty() && node.entries.empty();
    const bool upper =
        level < 2 && (node.is_mapping() || std::any_of(node.items.begin(), node.items.end(),
                                                       [](const Node& n) { return n.is_mapping(); }));
    if (upper && !empty) return std::nullopt;
    const std::size_t used = out_.size() - line_begin_ + space;
    std::string text;
    if (!flow(node, text, empty ? nowhere : used < width ? width - used : 0)) return std::nullopt;
    return text;
  }
  /// Appends the node in flow style; false if it does not fit or cannot stand there.
  static bool flow(const Node& node, std::string& text, std::size_t room) {
    if (node.is_sequence()) {
      text += '[';
      for (const Node& item : node.items) {
        if (&item != &node.items.front()) text += ", ";
        if (!flow(item, text, room)) return false;
      }
      text += ']';
    } else if (node.is_mapping()) {
      text += '{';
      for (const Node::Entry& entry : node.entries) {
        if (&entry != &node.entries.front()) text += ", ";
        text += key(entry.key) + ": ";
        if (text.size() >= room || !flow(entry.value, text, room)) return false;
      }
      text += '}';
    } else {
      if (node.is_scalar() && !node.quoted && plain_in_block(node.text) && !plain_in_flow(node.text))
        return false;
      text += scalar(node, 0);
    }
    return text.size() < room;
  }

  static std::string scalar(const Node& node, std::size_t indent) {
    if (node.kind == Node::Kind::null) return "~";
    if (node.quoted || !plain_in_block(node.text)) return quoted(node.text);
    std::string text;  // a line break within plain text is an empty line
    for (std::size_t i = 0; i < node.text.size(); ++i) {
      const bool here = node.text[i] == '\n';
      if (here && node.text[i - 1] != '\n') text += '\n';
      text += node.text[i];
      if (here && node.text[i + 1] != '\n') text.append(indent, ' ');
    }
    return text;
  }

  /// The rules of libyaml for a plain scalar outside of brackets, and our own.
  static bool plain_in_block(std::string_view text) {
    if (null_word(text)) return false;
    const char first = text[0];
    if (blank(first) || breaks(first) || blank(text.back()) || breaks(text.back())) return false;
    if (std::strchr(",[]{}#&*!|>'\"%@`", first)) return false;
    if ((first == '-' || first == '?' || first == ':') && blank_or_break(text, 1)) return false;
    for (std::size_t i = 0; i < text.size();) {
      const auto [code, length] = character_at(text, i);
      if (length == 0 || code == '\r' || !may_stand_in_text(code) || look_alike(code)) return false;
      if (i == 0 && typographic_quote(code)) return false;
      if (code == ':' && blank_or_break(text, i + 1)) return false;
      if (code == '#' && blank_or_break(text, i - 1)) return false;
      if (code == '\n' && (blank(text[i - 1]) || blank(text[i + 1]))) return false;
      i += length;
    }
    return true;
  }
  /// Within brackets, on one line; stricter than need be, for there is always the block.
  static bool plain_in_flow(std::string_view text) {
    return plain_in_block(text) && text.find_first_of(",[]{}?\n") == nowhere && text[0] != ':' &&
           balanced_parentheses(text);
  }

  static std::string key(std::string_view key) {
    const auto usual = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
    };
    const bool plain =
        !null_word(key) && std::all_of(key.begin(), key.end(), usual) && key[0] != '-' && key[0] != '.';
    return plain ? std::string(key) : quoted(key);
  }

  static std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (std::size_t i = 0; i < text.size();) {
      const auto [code, length] = character_at(text, i);
      if (length == 0)
        throw ModelError("E-ENCODING", "", "a text that is not UTF-8 cannot be written", "use UTF-8 texts");
      if (code == '"' || code == '\\') result += {'\\', static_cast<char>(code)};
      else if (code == '\n') result += "\\n";
      else if (code == '\t') result += "\\t";
      else if (code == '\r' || !may_stand_in_text(code))
        result += code < 0x100 ? fmt::format("\\x{:02X}", static_cast<std::uint32_t>(code))
                               : fmt::format("\\u{:04X}", static_cast<std::uint32_t>(code));
      else result += text.substr(i, length);
      i += length;
    }
    return result + '"';
  }

  std::string out_;
  std::size_t line_begin_ = 0;
};

}  // namespace

std::string write_yaml(const Node& node) { return TreeWriter().run(node); }

}  // namespace escapement
