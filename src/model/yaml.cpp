#include "model/yaml.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <unordered_set>

#include "model/units.hpp"

namespace escapement {
namespace {

constexpr auto nowhere = std::string_view::npos;
constexpr std::size_t longest_key = 1000;  // libyaml looks not much further for the colon

[[noreturn]] void refuse(const char* code, const Mark& mark, std::string cause, std::string hint) {
  throw ModelError(code, "", std::move(cause), std::move(hint), mark.place());
}
[[noreturn]] void refuse(const Mark& mark, std::string cause, std::string hint) {
  refuse("E-SYNTAX", mark, std::move(cause), std::move(hint));
}

// ---------------------------------------------------------------- characters

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: not UTF-8
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  char32_t code = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

/// Other line breaks than CR and LF are left out on purpose: editors and libyaml count lines differently there.
bool may_stand_in_text(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return (c < 0x7F || c >= 0xA0) && c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

/// Characters that look like ASCII ones but are not, so that no value could be read; null for all others.
const char* look_alike(char32_t c) {
  if (c == 0xA0 || c == 0x2007 || c == 0x202F) return "a non-breaking space";
  if ((c >= 0x2000 && c <= 0x200B) || c == 0x205F || c == 0x3000) return "a space that is not ASCII";
  return c == 0x2212 ? "a minus sign that is not ASCII" : nullptr;
}
bool typographic_quote(char32_t c) { return c >= 0x2018 && c <= 0x201F; }

bool blank(char c) { return c == ' ' || c == '\t'; }
bool breaks(char c) { return c == '\n' || c == '\r'; }
bool blank_or_break(std::string_view text, std::size_t at) {
  return at >= text.size() || blank(text[at]) || breaks(text[at]);
}
bool all_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), blank); }
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// In backticks, up to the first line break or other control character, not too long.
std::string excerpt(std::string_view text) {
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  std::size_t end = std::find_if(text.begin(), text.end(), control) - text.begin();
  const bool cut = end > 40 || end < text.size();
  if (end > 40) end = 37;
  while (end > 0 && end < text.size() && (text[end] & 0xC0) == 0x80) --end;
  return fmt::format("`{}{}`", text.substr(0, end), cut ? "…" : "");
}

bool null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Where a colon follows a name without a space after it, as in `mass:1 kg`; addresses and drive letters are none.
std::size_t glued_colon(std::string_view text) {
  std::size_t at = 0;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || (c & 0x80);
  };
  while (at < text.size() && in_name(text[at])) ++at;
  if (at == 0 || at + 1 >= text.size() || text[at] != ':' || std::strchr(" \t\r\n/\\:", text[at + 1]))
    return nowhere;
  return at;
}

[[noreturn]] void refuse_glued(const Mark& mark, std::string_view text) {
  refuse(mark, "no space after the colon of " + excerpt(text.substr(0, text.find(':'))),
         "put a space after the colon");
}

/// The colon that ends a key: outside of quotes and followed by a space or the end.
std::size_t key_colon(std::string_view line) {
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

bool balanced_parentheses(std::string_view text) {
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

void check_encoding(Source& source) {
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

// ---------------------------------------------------------------- libyaml's errors in plain words

struct Range {
  yaml_mark_t begin, end;
};

class Complaint {
 public:
  /// `quote`: the last scalar, if it is quoted and goes over several lines.
  Complaint(Source& source, const yaml_parser_t& parser, bool flow, const std::optional<Range>& quote)
      : source_(source),
        text_(source.text()),
        flow_(flow),
        problem_(parser.problem ? parser.problem : ""),
        context_(parser.context ? parser.context : ""),
        at_(source.offset(parser.problem_mark)),
        from_(parser.context ? source.offset(parser.context_mark) : at_),
        problem_line_(parser.problem_mark.line),
        quote_(quote) {}

  [[noreturn]] void raise() {
    indentation_characters();
    if (context_.find("quoted scalar") != nowhere) quoted();
    if (quote_ && quote_->end.line == problem_line_) open_quote();
    if (context_.find("tag") != nowhere || problem_.find("tag") != nowhere)
      refuse(source_.mark(from_), "tags (`!…`) are not used here",
             "remove it, or quote a text that starts with `!`");
    if (context_.find("directive") != nowhere || problem_ == "found incompatible YAML document")
      refuse(source_.mark(from_), "a line that starts with `%` is a directive of YAML",
             "remove it, or quote a text that starts with `%`");
    if (context_ == "while scanning an alias" || context_ == "while scanning an anchor") reference();
    if (context_ == "while scanning a block scalar") block_text();
    if (problem_ == "found character that cannot start any token") first_character();
    if (problem_ == "found unexpected ':'") missing_space(from_);
    if (problem_ == "mapping values are not allowed in this context") unexpected_colon();
    if (problem_ == "could not find expected ':'") missing_colon(from_);
    if (problem_ == "block sequence entries are not allowed in this context")
      refuse(source_.mark(at_), "a list entry `-` cannot begin here",
             "start the list on a line of its own, or write it as [a, b]");
    if (problem_ == "mapping keys are not allowed in this context")
      refuse(source_.mark(at_), "a `?` cannot begin a value", "quote a text that starts with `?`");
    if (problem_.starts_with("did not find expected ',' or")) unclosed();
    if (problem_ == "did not find expected node content") missing_value();
    if (problem_ == "did not find expected key" || problem_ == "did not find expected '-' indicator" ||
        problem_ == "did not find expected <document start>")
      stray();
    refuse(source_.mark(at_), "this is not YAML: " + std::string(problem_), "");
  }

 private:
  std::string_view line(std::size_t offset) const { return source_.line_from(source_.line_begin(offset)); }
  std::string_view before() const {
    const std::size_t begin = source_.line_begin(at_);
    return text_.substr(begin, at_ - begin);
  }
  std::string_view after(std::size_t offset) const { return source_.line_from(offset); }
  std::size_t indentation(std::size_t offset) const {
    return std::min(line(offset).find_first_not_of(" \t"), line(offset).size());
  }
  char character(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  char here() const { return character(at_); }

  void indentation_characters() {
    for (const std::size_t place : {from_, at_})
      for (std::size_t i = source_.line_begin(place); i < text_.size() && !breaks(text_[i]);) {
        const auto [code, length] = character_at(text_, i);
        if (code == '\t' && !flow_) refuse(source_.mark(i), "a tab in the indentation", "indent with spaces");
        if (const char* const what = code == 0x2212 ? nullptr : look_alike(code))
          refuse(source_.mark(i), std::string(what) + " in the indentation", "indent with plain spaces");
        if (!blank(text_[i]) && !(code == '-' && blank_or_break(text_, i + 1))) break;
        i += length;
      }
  }

  [[noreturn]] void quoted() {
    if (problem_ == "found unknown escape character")
      refuse(source_.mark(at_),
             fmt::format("{} is no escape of double quotes", excerpt(text_.substr(at_, 2))),
             "write `\\\\` for a backslash, or use single quotes");
    if (context_ == "while parsing a quoted scalar")
      refuse(source_.mark(at_), "an escape with a wrong character code", "write `\\\\` for a backslash");
    refuse(source_.mark(from_), "the quote that begins here is not closed",
           fmt::format("close it with {}", character(from_)));
  }
  [[noreturn]] void reference() {
    refuse(source_.mark(from_),
           fmt::format("`{}` begins {} of YAML", character(from_),
                       character(from_) == '*' ? "an alias" : "an anchor"),
           fmt::format("quote a text that starts with `{}`", character(from_)));
  }
  [[noreturn]] void block_text() {
    refuse(source_.mark(from_), fmt::format("`{}` begins a text over several lines", character(from_)),
           fmt::format("quote a text that starts with `{}`", character(from_)));
  }
  [[noreturn]] void first_character() {
    const std::string what = here() == '`' ? "a backtick" : fmt::format("`{}`", here());
    refuse(source_.mark(at_), "a value cannot start with " + what, "quote it");
  }

  [[noreturn]] void missing_space(std::size_t begin) {
    refuse_glued(source_.mark(begin), source_.line_from(begin));
  }
  [[noreturn]] void long_key(std::size_t begin) {
    refuse(source_.mark(begin), fmt::format("a key of more than {} characters", longest_key),
           "use a shorter name");
  }
  [[noreturn]] void missing_colon(std::size_t begin) {
    const std::string_view found = trimmed(after(begin));
    if (glued_colon(found) != nowhere) missing_space(begin);
    if (const std::size_t colon = key_colon(found); colon != nowhere && colon > longest_key) long_key(begin);
    refuse(source_.mark(begin), fmt::format("no colon after {}", excerpt(found)), "write `key: value`");
  }

  /// A colon where no key can end: a second one in a line, or the line before is at fault.
  [[noreturn]] void unexpected_colon() {
    const std::string_view whole = line(at_), key = trimmed(before());
    // `mass {type: …`: the colon that is missing is the one after the name.
    if (const std::size_t brace = key.find_first_of("{[");
        brace != nowhere && brace > 0 && key_colon(key.substr(0, brace)) == nowhere)
      refuse(source_.mark(source_.line_begin(at_) + indentation(at_)),
             fmt::format("no colon after {}", excerpt(trimmed(key.substr(0, brace)))), "write `key: value`");
    const std::size_t first = key_colon(whole);
    if (first < before().size()) {
      const std::string_view list = whole.substr(0, std::min(whole.find_first_not_of("- \t"), first));
      const std::string_view name = trimmed(whole.substr(list.size(), first - list.size()));
      const std::string_view value = trimmed(whole.substr(first + 1));
      const bool short_plain = name.size() + value.size() < 80 && value.find_first_of("\"\\") == nowhere;
      refuse(source_.mark(at_), "a second colon in the value of " + excerpt(name),
             short_plain ? fmt::format("quote it: `{}: \"{}\"`", name, value) : "quote the whole value");
    }
    const std::size_t begin = source_.line_begin(at_) + indentation(at_);
    if (key.size() > longest_key) long_key(begin);
    if (const auto previous = source_.content_before(at_)) {
      std::size_t content = *previous;
      while (text_[content] == '-' && blank_or_break(text_, content + 1))
        content = std::min(text_.find_first_not_of(" \t", content + 1), text_.size() - 1);
      const std::string_view other = after(content);
      const std::size_t colon = key_colon(other);
      if (colon == nowhere) missing_colon(content);
      if (indentation(content) < indentation(at_)) indented_under(content);
    }
    refuse(source_.mark(begin), fmt::format("the key {} cannot stand here", excerpt(key)),
           "check its indentation and the quotes before it");
  }

  [[noreturn]] void indented_under(std::size_t content) {
    const std::size_t begin = source_.line_begin(at_) + indentation(at_);
    const std::string_view other = after(content), found = after(begin);
    refuse(source_.mark(begin),
           fmt::format("{} is indented under {}, which has a value already",
                       excerpt(trimmed(found.substr(0, key_colon(found)))),
                       excerpt(trimmed(other.substr(0, key_colon(other))))),
           fmt::format("start it in column {}", source_.mark(content).column));
  }

  [[noreturn]] void unclosed() {
    const char closes = problem_.back() == '\'' ? problem_[problem_.size() - 2] : '}';
    const char open = character(from_);
    const std::string opened = fmt::format("the `{}` of line {}", open, source_.mark(from_).line);
    const bool first_in_line =
        all_blank(before()) || (here() == ':' && key_colon(line(at_)) >= before().size());
    const bool other_line = source_.line_begin(at_) != source_.line_begin(from_);
    if (at_ >= text_.size() || text_.substr(at_).find_first_not_of(" \t\r\n") == nowhere ||
        (other_line && first_in_line && indentation(at_) <= indentation(from_)))
      refuse(source_.mark(from_), fmt::format("the `{}` that begins here is not closed", open),
             fmt::format("close it with `{}`", closes));
    if (here() == '}' || here() == ']')
      refuse(source_.mark(at_), fmt::format("{} is closed with `{}`", opened, here()),
             fmt::format("close it with `{}`", closes));
    if (other_line && first_in_line)
      refuse(source_.mark(source_.line_begin(at_) + indentation(at_)),
             fmt::format("no `,` before this line, within {}", opened),
             fmt::format("end the line before with `,`, or close with `{}`", closes));
    if (here() == ':') refuse(source_.mark(at_), "a second colon in one value", "quote the whole value");
    refuse(source_.mark(at_),
           fmt::format("expected `,` or `{}` before {}", closes, excerpt(trimmed(after(at_)))),
           here() == '[' || here() == '{' ? "quote a text that contains brackets"
                                          : "quote a text that goes on here");
  }

  [[noreturn]] void missing_value() {
    if (here() == ':') refuse(source_.mark(at_), "a key is missing before the colon", "write `key: value`");
    if (at_ >= text_.size())
      refuse(source_.mark(from_), "a value is missing before the end of the file", "close what is open");
    refuse(source_.mark(at_), fmt::format("a value is missing before {}", excerpt(trimmed(after(at_)))),
           here() == ',' ? "remove one `,`" : "check the brackets");
  }

  /// Something follows where the mapping, list or document should go on or end.
  [[noreturn]] void stray() {
    if (here() == '}' || here() == ']')
      refuse(source_.mark(at_), fmt::format("`{}` closes nothing", here()),
             "remove it, or quote the text it belongs to");
    if (here() == ':') refuse(source_.mark(at_), "a key is missing before the colon", "write `key: value`");
    const std::string_view left = trimmed(before());
    const std::string found = excerpt(trimmed(after(at_)));
    if (!left.empty() && left.find_first_not_of("- ") != nowhere) {
      const char last = left.back();
      refuse(
          source_.mark(at_), fmt::format("{} follows a value that ended already", found),
          last == '"' || last == '\'' ? "put the whole text in one pair of quotes" : "quote the whole text");
    }
    if (here() == '-' && blank_or_break(text_, at_ + 1) && problem_ == "did not find expected key")
      refuse(source_.mark(at_), "a list entry `-` among the keys of a mapping",
             "indent the list under its key, or write `key: value`");
    if (here() != '-' && problem_ == "did not find expected '-' indicator" &&
        source_.mark(at_).column >= source_.mark(from_).column)
      refuse(source_.mark(at_), fmt::format("{} stands among list entries", found),
             fmt::format("begin it with `- ` in column {}, or indent it under its key",
                         source_.mark(from_).column));
    if (problem_ == "did not find expected <document start>")
      refuse(source_.mark(at_), fmt::format("{} is indented less than the first line", found),
             "start all top-level keys in column 1");
    const auto previous = source_.content_before(at_);
    if (previous && indentation(*previous) < indentation(at_) && key_colon(after(*previous)) != nowhere)
      indented_under(*previous);
    refuse(source_.mark(at_), fmt::format("the indentation of {} fits no line above it", found),
           fmt::format("start it in column {} or {}", source_.mark(from_).column,
                       source_.mark(previous.value_or(from_)).column));
  }
  [[noreturn]] void open_quote() {
    refuse(source_.mark(quote_->begin),
           fmt::format("the quote that begins here goes on to line {}", source_.mark(at_).line),
           "close it where the text ends");
  }

  Source& source_;
  std::string_view text_;
  bool flow_;
  std::string_view problem_, context_;
  std::size_t at_, from_, problem_line_;
  std::optional<Range> quote_;
};

// ---------------------------------------------------------------- events to a tree

/// One event of libyaml, deleted with it.
struct Event : yaml_event_t {
  Event() : yaml_event_t{} {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(this); }
};

std::string_view view(const yaml_char_t* text) {
  return text ? reinterpret_cast<const char*>(text) : std::string_view();
}

class TreeBuilder {
 public:
  TreeBuilder(Source& source, const YamlLimits& limits) : source_(source), limits_(limits) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    const std::string_view text = source.text();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  Node run() {
    for (bool ended = false; !ended;) {
      Event event;
      if (!yaml_parser_parse(&parser_, &event)) {
        if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
        Complaint(source_, parser_, !open_.empty() && open_.back().flow, quote_).raise();
      }
      switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
          if (complete_)
            refuse(source_.mark(event.start_mark), "a second document begins here: one document per file",
                   "remove the line `---`, or move what follows into a file of its own");
          if (event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end)
            refuse(source_.mark(event.start_mark), "tags (`%TAG`) are not used here", "remove the directive");
          break;
        case YAML_ALIAS_EVENT:
          alias(event);
          break;
        case YAML_SCALAR_EVENT:
          scalar(event);
          break;
        case YAML_SEQUENCE_START_EVENT:
          begin(event, Node::Kind::sequence, event.data.sequence_start.anchor, event.data.sequence_start.tag,
                event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
          break;
        case YAML_MAPPING_START_EVENT:
          begin(event, Node::Kind::mapping, event.data.mapping_start.anchor, event.data.mapping_start.tag,
                event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
          break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
          end();
          break;
        case YAML_STREAM_END_EVENT:
          ended = true;
          break;
        default:
          break;
      }
    }
    if (!complete_)
      refuse(source_.mark(std::size_t{0}), "the file is empty",
             "start a model with the line `escapement: 1`");
    return std::move(root_);
  }

 private:
  /// A list or mapping whose end has not come yet; it is a child of the one before.
  struct Open {
    Node node;
    bool flow;
    bool has_key = false, plain_key = false;
    std::string key;
    Mark key_mark;
    yaml_mark_t key_end{};
    std::unordered_set<std::size_t> hashes;  // of the keys, once they are many

    std::size_t children() const { return node.items.size() + node.entries.size(); }
  };
  using Path = std::vector<std::uint32_t>;  // which child, from the top

  bool expects_key() const {
    return !open_.empty() && open_.back().node.is_mapping() && !open_.back().has_key;
  }
  bool in_flow() const { return !open_.empty() && open_.back().flow; }

  void refuse_tag(const Event& event, const yaml_char_t* tag) {
    if (!tag) return;
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    std::string name(view(tag));
    if (name.starts_with(standard)) name.replace(0, standard.size(), "!!");
    refuse(source_.mark(event.start_mark), fmt::format("the tag {} is not used here", excerpt(name)),
           "remove it; a value is read by what its field needs");
  }

  void remember(const Event& event, const yaml_char_t* anchor) {
    if (!anchor) return;
    const Mark mark = source_.mark(event.start_mark);
    if (expects_key()) refuse(mark, "an anchor (`&`) on a key", "put it before the value");
    Path path;
    for (const Open& o : open_) path.push_back(static_cast<std::uint32_t>(o.children()));
    anchors_.insert_or_assign(std::string(view(anchor)), std::move(path));
    if (anchors_.size() > limits_.anchors)
      refuse("E-LIMIT", mark, fmt::format("more than {} anchors", limits_.anchors), "use parameters instead");
  }

  /// The node of an anchor, null while it is still open.
  const Node* resolve(const Path& path) const {
    std::size_t level = 0;
    while (level < path.size() && level < open_.size() && path[level] == open_[level].children()) ++level;
    if (level == path.size()) return nullptr;
    const Node* node = &open_[level].node;
    for (; level < path.size(); ++level)
      node = node->is_mapping() ? &node->entries[path[level]].value : &node->items[path[level]];
    return node;
  }

  void alias(const Event& event) {
    const Mark mark = source_.mark(event.start_mark);
    const auto name = view(event.data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      refuse(mark, fmt::format("{} names no anchor above it", excerpt("*" + std::string(name))),
             fmt::format("quote a text that starts with `*`, or write `&{}` before a value", name));
    if (expects_key())
      refuse(mark, fmt::format("the alias `*{}` cannot be a key", name), "write the key out");
    const Node* const target = resolve(found->second);
    if (!target) refuse(mark, fmt::format("`*{}` stands within what it names", name), "write the value out");
    count_expansion(*target, open_.size(), mark);
    accept(Node(*target));
  }

  /// Counts before anything is copied, and no further than the limits.
  void count_expansion(const Node& node, std::size_t depth, const Mark& mark) {
    const auto limit = [&](const char* what, std::size_t most) {
      refuse("E-LIMIT", mark, fmt::format("aliases make more than {} {}", most, what),
             "use a subsystem or parameters instead");
    };
    if (++expanded_nodes_ > limits_.alias_nodes) limit("values", limits_.alias_nodes);
    count_node(mark);
    if ((expanded_bytes_ += node.text.size()) > limits_.bytes) limit("bytes", limits_.bytes);
    if (node.is_sequence() || node.is_mapping()) check_depth(++depth, mark);
    for (const Node& item : node.items) count_expansion(item, depth, mark);
    for (const Node::Entry& entry : node.entries) {
      if ((expanded_bytes_ += entry.key.size()) > limits_.bytes) limit("bytes", limits_.bytes);
      count_expansion(entry.value, depth, mark);
    }
  }
  void count_node(const Mark& mark) {
    if (++nodes_ > limits_.nodes)
      refuse("E-LIMIT", mark, fmt::format("more than {} values", limits_.nodes), "keep tables in data files");
  }
  void check_depth(std::size_t depth, const Mark& mark) {
    if (depth > static_cast<std::size_t>(limits_.depth))
      refuse("E-LIMIT", mark, fmt::format("nested more than {} deep", limits_.depth), "check the brackets");
  }

  void begin(const Event& event, Node::Kind kind, const yaml_char_t* anchor, const yaml_char_t* tag,
             bool flow) {
    const Mark mark = source_.mark(event.start_mark);
    refuse_tag(event, tag);
    if (expects_key())
      refuse(mark, fmt::format("a {} cannot be a key", kind == Node::Kind::mapping ? "mapping" : "list"),
             "quote a text that starts with a bracket or `?`");
    check_depth(open_.size() + 1, mark);
    count_node(mark);
    remember(event, anchor);
    open_.push_back({{}, flow, false, false, {}, {}, {}, {}});
    open_.back().node.kind = kind;
    open_.back().node.mark = mark;
  }

  void end() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    accept(std::move(node));
  }

  void scalar(const Event& event) {
    const auto& data = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
    const bool plain = data.style == YAML_PLAIN_SCALAR_STYLE;
    const Mark mark = source_.mark(event.start_mark);
    refuse_tag(event, data.tag);
    quote_.reset();
    if (!plain && event.end_mark.line > event.start_mark.line) quote_ = {event.start_mark, event.end_mark};
    if (plain) check_plain(event, text);
    if (text.empty() && (data.style == YAML_LITERAL_SCALAR_STYLE || data.style == YAML_FOLDED_SCALAR_STYLE))
      refuse(mark, "a text over several lines is announced, but none follows",
             "quote a text that starts with `>` or `|`");
    if (expects_key()) {
      remember(event, data.anchor);
      key(event, text, plain);
      return;
    }
    if (plain && text.empty() && !data.anchor) check_nothing();
    count_node(mark);
    remember(event, data.anchor);
    Node node;
    node.mark = mark;
    if (!plain || !null_word(text)) {
      node.kind = Node::Kind::scalar;
      node.quoted = !plain;
      node.text = text;
    }
    accept(std::move(node));
  }

  void key(const Event& event, std::string_view text, bool plain) {
    Open& o = open_.back();
    const Mark mark = source_.mark(event.start_mark);
    if (plain && null_word(text))
      refuse(mark,
             text.empty() ? "a key is missing before the colon"
                          : fmt::format("{} (nothing) cannot be a key", excerpt(text)),
             text.empty() ? "write `key: value`" : fmt::format("quote it: \"{}\"", text));
    if (plain && text == "<<")
      refuse(mark, "merge keys (`<<`) are not supported", "use parameters or a subsystem for what is shared");
    check_duplicate(o, text, mark);
    o.has_key = true;
    o.plain_key = plain;
    o.key = text;
    o.key_mark = mark;
    o.key_end = event.end_mark;
  }
  void check_duplicate(Open& o, std::string_view text, const Mark& mark) {
    constexpr std::size_t many = 16;
    auto& entries = o.node.entries;
    const std::hash<std::string_view> hash;
    if (entries.size() >= many) {
      if (o.hashes.empty())
        for (const auto& entry : entries) o.hashes.insert(hash(entry.key));
      if (o.hashes.insert(hash(text)).second) return;
    }
    for (const auto& entry : entries)
      if (entry.key == text)
        refuse("E-DUPLICATE", mark,
               fmt::format("{} was given at line {} already", excerpt(text), entry.mark.line),
               "remove one of the two");
  }

  /// What YAML accepts as text but nobody can have meant.
  void check_plain(const Event& event, std::string_view text) {
    const Mark mark = source_.mark(event.start_mark);
    for (std::size_t i = 0; i < text.size();) {
      const auto [code, length] = character_at(text, i);
      if (const char* const what = look_alike(code))
        refuse(source_.mark(source_.text().find(text.substr(i, length), source_.offset(event.start_mark))),
               what, fmt::format("type a plain `{}`, or quote the text", code == 0x2212 ? '-' : ' '));
      if (i == 0 && typographic_quote(code)) refuse(mark, "a typographic quote", "type a plain `\"`");
      i += length;
    }
    if (text == "-") refuse(mark, "a `-` alone is no value", "quote it, or give a value");
    if (in_flow() && !balanced_parentheses(text)) cut_expression(event, text);
    const bool may_be_entry = open_.empty() || (open_.back().has_key && !open_.back().flow);
    if (may_be_entry && glued_colon(text) != nowhere && starts_line(event)) refuse_glued(mark, text);
  }
  bool starts_line(const Event& event) {
    const std::size_t at = source_.offset(event.start_mark), begin = source_.line_begin(at);
    return all_blank(source_.text().substr(begin, at - begin));
  }
  [[noreturn]] void cut_expression(const Event& event, std::string_view text) {
    const std::string_view rest = source_.line_from(source_.offset(event.start_mark));
    int level = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (level > 0 || !std::strchr(",]}", rest[end])); ++end)
      level += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    const Mark mark = source_.mark(event.start_mark);
    const std::string_view whole = trimmed(rest.substr(0, end));
    if (level != 0 || whole.size() <= text.size() || whole.find_first_of("\"\\") != nowhere)
      refuse(mark, fmt::format("{} has an unbalanced parenthesis", excerpt(text)), "quote this expression");
    refuse(mark, fmt::format("{} ends at a comma: within brackets YAML splits there", excerpt(text)),
           whole.size() < 80 ? fmt::format("quote this expression: \"{}\"", whole) : "quote this expression");
  }
  /// An absent value in a flow mapping: was there a colon at all?
  void check_nothing() {
    if (open_.empty())
      refuse(source_.mark(std::size_t{0}), "the file holds nothing",
             "start a model with the line `escapement: 1`");
    const Open& o = open_.back();
    if (!o.flow || !o.node.is_mapping()) return;
    const std::string_view text = source_.text();
    std::size_t at = source_.offset(o.key_end);
    while (at < text.size() && (blank(text[at]) || breaks(text[at]) || text[at] == '#'))
      at += text[at] == '#' ? source_.line_from(at).size() : 1;
    if (at < text.size() && text[at] == ':') return;
    if (o.plain_key && glued_colon(o.key) != nowhere) refuse_glued(o.key_mark, o.key);
    refuse(o.key_mark, fmt::format("no colon after {}", excerpt(o.key)),
           "write `key: value`, or use a list: [a, b]");
  }

  void accept(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      complete_ = true;
      return;
    }
    Open& o = open_.back();
    if (o.node.is_sequence()) {
      o.node.items.push_back(std::move(node));
    } else {
      o.node.entries.push_back({std::move(o.key), o.key_mark, std::move(node)});
      o.has_key = false;
      o.key.clear();
    }
  }

  Source& source_;
  const YamlLimits& limits_;
  yaml_parser_t parser_;
  std::vector<Open> open_;
  std::map<std::string, Path, std::less<>> anchors_;
  std::size_t nodes_ = 0, expanded_nodes_ = 0, expanded_bytes_ = 0;
  std::optional<Range> quote_;  // the last scalar, if it is quoted and goes over several lines
  Node root_;
  bool complete_ = false;
};

// ---------------------------------------------------------------- a tree to text

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

// ---------------------------------------------------------------- files

/// A file descriptor, closed with it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void refuse_file(const std::string& name, const std::string& cause, const std::string& hint) {
  throw ModelError("E-FILE", "", cause, hint, {name, 0, 0});
}

std::string near_file(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end && names.size() < 1000;
       i.increment(error))
    names.push_back(i->path().filename().string());
  const std::string near = nearest_name(path.filename().string(), names);
  return near.empty() ? "check the name and the folder" : "did you mean " + near + "?";
}

/// Only regular files are opened: a pipe would wait for its writer, a device may never end.
std::string read_regular_file(const std::filesystem::path& path, const std::string& name, std::size_t most) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    refuse_file(name, std::string("cannot be read: ") + std::strerror(error),
                error == ENOENT ? near_file(path) : "");
  }
  if (S_ISDIR(status.st_mode)) refuse_file(name, "cannot be read: it is a directory", "give a file in it");
  if (!S_ISREG(status.st_mode))
    refuse_file(name, "cannot be read: it is not a regular file", "copy the text to a file");
  const auto too_large = [&] {
    throw ModelError("E-LIMIT", "", fmt::format("the file is larger than {} bytes", most),
                     "keep tables in data files", {name, 0, 0});
  };
  if (static_cast<std::uintmax_t>(status.st_size) > most) too_large();

  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) refuse_file(name, std::string("cannot be read: ") + std::strerror(errno), "");
  std::string text;
  for (std::size_t size = 0;;) {  // the size may lie: files of /proc, files that grow
    text.resize(
        size + std::max<std::size_t>(4096, status.st_size + 1 - std::min<std::size_t>(size, status.st_size)));
    const ssize_t count = ::read(file.number, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_file(name, std::string("cannot be read: ") + std::strerror(errno), "");
    size += static_cast<std::size_t>(count);
    if (size > most) too_large();
    if (count == 0) {
      text.resize(size);
      return text;
    }
  }
}

}  // namespace

Node read_yaml(std::string_view text, const std::string* file, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    refuse("E-LIMIT", {file, 1, 1}, fmt::format("the text is larger than {} bytes", limits.bytes),
           "keep tables in data files");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Source source(text, file);
  check_encoding(source);
  return TreeBuilder(source, limits).run();
}

Node read_yaml_file(const std::filesystem::path& path, const std::string& name, Sources& sources,
                    const YamlLimits& limits) {
  const std::string text = read_regular_file(path, name, limits.bytes);
  return read_yaml(text, sources.add(name), limits);
}

std::string write_yaml(const Node& node) { return TreeWriter().run(node); }

bool same_tree(const Node& a, const Node& b) {
  const auto same_entry = [](const Node::Entry& x, const Node::Entry& y) {
    return x.key == y.key && same_tree(x.value, y.value);
  };
  return a.kind == b.kind && a.quoted == b.quoted && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_tree) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same_entry);
}

}  // namespace escapement
