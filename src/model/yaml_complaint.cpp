#include "model/yaml_complaint.hpp"

namespace escapement::yaml {
namespace {

class Complaint {
 public:
  /// `quote`: the last scalar, if it is quoted and goes over several lines.
  Complaint(Source& source, const yaml_parser_t& parser, bool flow, const std::optional<QuotedLines>& quote)
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
  std::optional<QuotedLines> quote_;
};

}  // namespace

void complain(Source& source, const yaml_parser_t& parser, bool flow,
              const std::optional<QuotedLines>& quote) {
  Complaint(source, parser, flow, quote).raise();
}

}  // namespace escapement::yaml
