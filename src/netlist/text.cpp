#include "netlist/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"
#include "model/yaml_text.hpp"

namespace escapement::netlist {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

/// Where a comment at the end of a line begins: `;`, ` $ `, ` //`.
std::size_t comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool before = i == 0 || blank(line[i - 1]) || line[i - 1] == ',';
    if (line[i] == ';') return i;
    if (line[i] == '$' && before && (i + 1 == line.size() || blank(line[i + 1]))) return i;
    if (line[i] == '/' && before && i + 1 < line.size() && line[i + 1] == '/') return i;
  }
  return line.size();
}

/// A title that is a card: somebody began without a title, and the card would be lost.
bool looks_like_card(std::string_view line) {
  if (line.starts_with('.') && !lower(line).starts_with(".title")) return true;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < line.size() && parts.size() < 6;) {
    while (i < line.size() && blank(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !blank(line[i])) ++i;
    if (i > begin) parts.push_back(lower(line.substr(begin, i - begin)));
  }
  double ignored;
  return parts.size() == 4 && std::string_view("rclvi").find(parts[0][0]) != std::string_view::npos &&
         parts[0].size() > 1 && std::all_of(parts[0].begin() + 1, parts[0].end(), digit) &&
         read_number(parts[3], ignored) == NumberFault::none;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string r(text);
  for (char& c : r)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return r;
}

Mark Card::mark(std::size_t at) const {
  if (pieces.empty()) return {file, 1, 1};
  auto piece = std::upper_bound(pieces.begin(), pieces.end(), at,
                                [](std::size_t value, const Piece& p) { return value < p.begin; });
  if (piece != pieces.begin()) --piece;
  const std::size_t end = std::min(at, text.size()), begin = std::min(piece->begin, end);
  const auto before = [&](std::size_t i) {
    return std::lower_bound(inner_bytes.begin(), inner_bytes.end(), i) - inner_bytes.begin();
  };
  return {file, piece->line, piece->column + static_cast<int>(end - begin - (before(end) - before(begin)))};
}

std::string Card::shown() const { return yaml::excerpt(text); }

Lines split(const SubsystemText& file, bool first_is_title, const std::string& where,
            std::size_t most_lines) {
  Lines lines;
  lines.title_mark = {file.name, 1, 1};
  std::string_view text = file.text;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  {
    yaml::Source source(text, file.name);
    yaml::check_encoding(source);
  }
  int number = 0;
  bool control = false;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
    ++number;
    const auto column = [&](std::size_t i) { return characters(line.substr(0, i)) + 1; };
    std::size_t first = 0;
    while (first < line.size() && blank(line[first])) ++first;
    if (number == 1 && first_is_title) {
      if (looks_like_card(line.substr(first)))
        throw fault("E-SYNTAX", {file.name, 1, column(first)}, where,
                    fmt::format("the first line of a netlist is its title, but {} is a card",
                                yaml::excerpt(line.substr(first))),
                    "put a line with a title before it");
      std::string_view title = yaml::trimmed(line);
      while (title.starts_with('*')) title.remove_prefix(1);
      lines.title = yaml::trimmed(title);
      lines.title_mark = {file.name, 1, column(first)};
      continue;
    }
    if (first == line.size() || line[first] == '*') continue;
    const std::string begins = lower(line.substr(first, 9));
    const auto dot_card = [&](std::string_view name) {
      return begins.starts_with(name) && (begins.size() == name.size() || blank(begins[name.size()]));
    };
    if (control) {
      control = !dot_card(".endc");
      continue;
    }
    if (dot_card(".control")) {
      control = true;
      continue;
    }
    line = line.substr(0, begins.starts_with(".inc") || begins.starts_with(".lib")
                              ? std::min(line.find(';'), line.size())
                              : comment(line));
    while (!line.empty() && blank(line.back())) line.remove_suffix(1);
    if (first >= line.size()) continue;
    if (dot_card(".end")) break;
    if (++kept > most_lines)
      throw fault("E-LIMIT", {file.name, number, 1}, where,
                  fmt::format("the netlist has more than {} lines", most_lines), "split it into subsystems");
    if (line[first] != '+') {
      lines.cards.push_back({std::string(line.substr(first)), {{0, number, column(first)}}, file.name, {}});
      continue;
    }
    if (lines.cards.empty())
      throw fault("E-SYNTAX", {file.name, number, column(first)}, where,
                  "a line that begins with `+` goes on with the line before, but there is none",
                  "the first line is the title; remove the `+`");
    ++first;
    while (first < line.size() && blank(line[first])) ++first;
    if (first == line.size()) continue;
    Card& card = lines.cards.back();
    card.text += ' ';
    card.pieces.push_back({card.text.size(), number, column(first)});
    card.text += line.substr(first);
  }
  for (Card& card : lines.cards)
    for (std::size_t i = 0; i < card.text.size(); ++i)
      if (continues_character(card.text[i])) card.inner_bytes.push_back(static_cast<std::uint32_t>(i));
  return lines;
}

std::vector<Word> words(const Card& card, const std::string& where, std::size_t most) {
  std::vector<Word> list;
  const std::string& text = card.text;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (list.size() > most)
      throw fault("E-LIMIT", card.mark(i), where, "the netlist has too many words",
                  "split it into subsystems");
    if (blank(c) || c == ',') {
      ++i;
    } else if (c == '(' || c == ')' || c == '=') {
      const auto kind = c == '(' ? Word::Kind::open : c == ')' ? Word::Kind::close : Word::Kind::equals;
      list.push_back({kind, std::string(1, c), i, &card});
      ++i;
    } else if (c == '{' || c == '\'' || c == '"') {
      int level = 1;
      std::size_t end = i + 1;
      for (; end < text.size(); ++end) {
        if (c == '{' && text[end] == '{') ++level;
        if (text[end] == (c == '{' ? '}' : c) && --level == 0) break;
      }
      if (end == text.size())
        throw fault("E-SYNTAX", card.mark(i), where, fmt::format("the `{}` is not closed", c),
                    fmt::format("end the expression with `{}`", c == '{' ? '}' : c));
      list.push_back(
          {Word::Kind::expression, lower(std::string_view(text).substr(i + 1, end - i - 1)), i + 1, &card});
      i = end + 1;
    } else if (c == '}') {
      throw fault("E-SYNTAX", card.mark(i), where, "a `}` without its `{`", "write {expression}");
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t,()={}'\"", i), text.size());
      list.push_back({Word::Kind::word, lower(std::string_view(text).substr(i, end - i)), i, &card});
      i = end;
    }
  }
  return list;
}

NumberFault read_number(std::string_view text, double& number) {
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const std::size_t begin = at;
  std::size_t digits = 0;
  while (at < text.size() && (digit(text[at]) || text[at] == '.')) digits += digit(text[at++]);
  const std::string_view mantissa = text.substr(begin, at - begin);
  if (digits == 0 || std::count(mantissa.begin(), mantissa.end(), '.') > 1) return NumberFault::not_a_number;
  int exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t next = at + 1;
    const bool minus = next < text.size() && text[next] == '-';
    if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
    const std::size_t first = next;
    for (; next < text.size() && digit(text[next]); ++next)
      exponent = std::min(exponent * 10 + (text[next] - '0'), 100'000);
    if (next > first) at = next;
    else exponent = 0;
    if (minus) exponent = -exponent;
  }
  // The scale goes into the exponent, so that 10u is 1e-5 to the last digit.
  const std::string rest = lower(text.substr(at));
  double factor = 1;
  if (rest.starts_with("meg")) exponent += 6;
  else if (rest.starts_with("mil")) factor = 25.4e-6;
  else if (rest.starts_with("\xC2\xB5") || rest.starts_with("\xCE\xBC")) exponent -= 6;  // µ
  else if (!rest.empty()) {
    constexpr std::string_view scales = "tgkmunpfa";
    constexpr int powers[] = {12, 9, 3, -3, -6, -9, -12, -15, -18};
    if (const std::size_t k = scales.find(rest[0]); k != scales.npos) exponent += powers[k];
  }
  if (!std::all_of(rest.begin(), rest.end(), [](char c) { return letter(c) || (c & 0x80); }))
    return NumberFault::not_a_number;
  const std::string whole = fmt::format("{}e{}", mantissa, exponent);
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (error == std::errc::result_out_of_range) {
    const bool zero = mantissa.find_first_not_of("0.") == std::string_view::npos;
    number = 0;
    if (!zero) return NumberFault::out_of_range;
  } else if (error != std::errc() || end != whole.data() + whole.size()) {
    return NumberFault::not_a_number;
  }
  number *= text[0] == '-' ? -factor : factor;
  return std::isfinite(number) ? NumberFault::none : NumberFault::out_of_range;
}

std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  if (text.empty() || !(digit(text[0]) || (text[0] == '.' && text.size() > 1 && digit(text[1])))) return 0;
  while (at < text.size() && (digit(text[at]) || text[at] == '.')) ++at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t next = at + 1;
    if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
    if (next < text.size() && digit(text[next])) {
      while (next < text.size() && digit(text[next])) ++next;
      at = next;
    }
  }
  while (at < text.size() && (letter(text[at]) || (text[at] & 0x80) || digit(text[at]))) ++at;
  return at;
}

std::string identifier(std::string_view name) {
  std::string r;
  for (const char c : name) {
    if (letter(c) || digit(c) || c == '_') r += c;
    else if (c == '+') r += "_p";
    else if (c == '-') r += "_m";
    else if (!continues_character(c)) r += '_';  // once for each character
  }
  if (r.empty() || !letter(r[0])) r = "n" + r;
  return lower(r);
}

}  // namespace escapement::netlist
