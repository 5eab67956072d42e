// What the reader and the writer of YAML know about text: characters, colons, places. For src/model/yaml*.cpp alone.
#pragma once
#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "model/node.hpp"

namespace escapement::yaml {

constexpr auto nowhere = std::string_view::npos;
constexpr std::size_t longest_key = 1000;  // libyaml looks not much further for the colon

[[noreturn]] inline void refuse(const char* code, const Mark& mark, std::string cause, std::string hint) {
  throw ModelError(code, "", std::move(cause), std::move(hint), mark.place());
}
[[noreturn]] inline void refuse(const Mark& mark, std::string cause, std::string hint) {
  refuse("E-SYNTAX", mark, std::move(cause), std::move(hint));
}

/// Other line breaks than CR and LF are left out on purpose: editors and libyaml count lines differently there.
inline bool may_stand_in_text(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return (c < 0x7F || c >= 0xA0) && c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

/// Characters that look like ASCII ones but are not, so that no value could be read; null for all others.
inline const char* look_alike(char32_t c) {
  if (c == 0xA0 || c == 0x2007 || c == 0x202F) return "a non-breaking space";
  if ((c >= 0x2000 && c <= 0x200B) || c == 0x205F || c == 0x3000) return "a space that is not ASCII";
  return c == 0x2212 ? "a minus sign that is not ASCII" : nullptr;
}
inline bool typographic_quote(char32_t c) { return c >= 0x2018 && c <= 0x201F; }

inline bool blank(char c) { return c == ' ' || c == '\t'; }
inline bool breaks(char c) { return c == '\n' || c == '\r'; }
inline bool blank_or_break(std::string_view text, std::size_t at) {
  return at >= text.size() || blank(text[at]) || breaks(text[at]);
}
inline bool all_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), blank); }
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// In backticks, up to the first line break or other control character, not too long.
inline std::string excerpt(std::string_view text) {
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  std::size_t end = std::find_if(text.begin(), text.end(), control) - text.begin();
  const bool cut = end > 40 || end < text.size();
  if (end > 40) end = 37;
  return fmt::format("`{}{}`", text.substr(0, cut_before(text, end)), cut ? "…" : "");
}

inline bool null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Where a colon follows a name without a space after it, as in `mass:1 kg`; addresses and drive letters are none.
inline std::size_t glued_colon(std::string_view text) {
  std::size_t at = 0;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || (c & 0x80);
  };
  while (at < text.size() && in_name(text[at])) ++at;
  if (at == 0 || at + 1 >= text.size() || text[at] != ':' || std::strchr(" \t\r\n/\\:", text[at + 1]))
    return nowhere;
  return at;
}

[[noreturn]] inline void refuse_glued(const Mark& mark, std::string_view text) {
  refuse(mark, "no space after the colon of " + excerpt(text.substr(0, text.find(':'))),
         "put a space after the colon");
}

/// The colon that ends a key: outside of quotes and followed by a space or the end.
inline std::size_t key_colon(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') &&
               (i == 0 || !std::isalnum(static_cast<unsigned char>(line[i - 1])))) {
      quote = c;
    } else if (c == '#' && i > 0 && blank(line[i - 1])) {
      return nowhere;
    } else if (c == ':' && blank_or_break(line, i + 1)) {
      return i;
    }
  }
  return nowhere;
}

inline bool balanced_parentheses(std::string_view text) {
  int level = 0;
  for (char c : text) {
    level += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (level < 0) return false;
  }
  return level == 0;
}

// ---------------------------------------------------------------- the text and its places

/// Looks up places by going forward from the last one, so that many lookups in order stay cheap.
class Source {
 public:
  Source(std::string_view text, const std::string* file) : text_(text), file_(file) {}

  std::string_view text() const { return text_; }
  Mark mark(const yaml_mark_t& m) const {
    return {file_, static_cast<int>(m.line) + 1, static_cast<int>(m.column) + 1};
  }
  Mark mark(std::size_t offset) {
    if (offset < at_) at_ = line_ = column_ = 0;
    while (at_ < offset && at_ < text_.size()) step();
    return {file_, static_cast<int>(line_) + 1, static_cast<int>(column_) + 1};
  }
  std::size_t offset(const yaml_mark_t& m) {
    if (m.line < line_ || (m.line == line_ && m.column < column_)) at_ = line_ = column_ = 0;
    while (at_ < text_.size() && (line_ < m.line || (line_ == m.line && column_ < m.column))) step();
    return at_;
  }
  std::size_t line_begin(std::size_t offset) const {
    while (offset > 0 && !breaks(text_[offset - 1])) --offset;
    return offset;
  }
  std::string_view line_from(std::size_t offset) const {
    return text_.substr(offset, std::min(text_.find_first_of("\r\n", offset), text_.size()) - offset);
  }
  /// Where the content of the last line before this one begins that is neither empty nor a comment.
  std::optional<std::size_t> content_before(std::size_t offset) const {
    for (std::size_t begin = line_begin(offset); begin > 0;) {
      begin = line_begin(begin - 1);
      const std::size_t content = text_.find_first_not_of(" \t", begin);
      if (!breaks(text_[content]) && text_[content] != '#') return content;
    }
    return std::nullopt;
  }

 private:
  void step() {
    if (breaks(text_[at_])) {
      at_ += text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
      ++line_;
      column_ = 0;
    } else {
      at_ += std::max<std::size_t>(1, character_at(text_, at_).length);
      ++column_;
    }
  }
  std::string_view text_;
  const std::string* file_;
  std::size_t at_ = 0, line_ = 0, column_ = 0;
};

inline void check_encoding(Source& source) {
  const std::string_view text = source.text();
  const char* const hint = "save the file as UTF-8";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    refuse("E-ENCODING", source.mark(0), "the text is UTF-16", hint);
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, length] = character_at(text, at);
    if (length == 0)
      refuse("E-ENCODING", source.mark(at),
             fmt::format("the byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(text[at])), hint);
    if (!may_stand_in_text(code)) {
      const auto what = code == 0                          ? "a NUL byte"
                        : code == 0x2028 || code == 0x2029 ? "a Unicode line separator"
                        : code == 0xFEFF                   ? "a byte order mark inside the text"
                                                           : "a control character";
      refuse("E-ENCODING", source.mark(at),
             fmt::format("{} (U+{:04X})", what, static_cast<std::uint32_t>(code)),
             code == 0 ? hint : "remove it, or write it as an escape in double quotes");
    }
    at += length;
  }
}

}  // namespace escapement::yaml
