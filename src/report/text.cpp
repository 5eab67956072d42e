// Text of figures.
#include "report/text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "base/utf8.hpp"

namespace escapement {
namespace {

/// The length of the character at `at`; 0 if there is none that XML knows.
std::size_t character_length(std::string_view text, std::size_t at) {
  const Character c = character_at(text, at);
  return c.code == 0xFFFE || c.code == 0xFFFF ? 0 : c.length;
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(character_length(text, at), 1);
    result.push_back(text.substr(at, length));
    at += length;
  }
  return result;
}

double character_width(std::string_view character) {  // em, as in wide faces such as DejaVu Sans
  const char c = character[0];
  if (std::string_view("ijl.,:;'|!I").find(c) != std::string_view::npos) return 0.33;
  if (std::string_view("ftr()[]/- ").find(c) != std::string_view::npos) return 0.41;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.95;
  return std::isupper(static_cast<unsigned char>(c)) ? 0.7 : 0.63;
}

std::string superscript(std::string_view digits) {
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : digits) text += c == '-' ? "⁻" : raised[c - '0'];
  return text;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const char c = text[at];
    if (length == 0) result += "\xEF\xBF\xBD";  // U+FFFD
    else if (length > 1) result += text.substr(at, length);
    else if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (c == '"') result += "&quot;";
    else result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string px(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const std::string_view character : characters(text)) width += character_width(character);
  return width * size;
}

std::string shortened(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  std::vector<std::string_view> kept = characters(text);
  const std::size_t all = kept.size();
  std::size_t front = all / 2, back = all - front;  // how many characters stay at either end
  const auto joined = [&] {
    std::string result;
    for (std::size_t i = 0; i < front; ++i) result += kept[i];
    result += "…";
    for (std::size_t i = all - back; i < all; ++i) result += kept[i];
    return result;
  };
  while (front + back > 2 && text_width(joined(), size) > width) --(front > back ? front : back);
  return joined();
}

std::string printed_unit(const std::string& unit) {
  if (unit == "1") return "";
  std::string text;
  for (std::size_t at = 0; at < unit.size();) {
    std::size_t end = at + 1;
    if (is_letter(unit[at])) {
      while (end < unit.size() && is_letter(unit[end])) ++end;
      const std::string word = unit.substr(at, end - at);
      text += word == "ohm" || word == "Ohm" ? "Ω" : word == "deg" ? "°" : word == "degC" ? "°C" : word;
    } else if (unit[at] == '^' && end < unit.size() && (is_digit(unit[end]) || unit[end] == '-')) {
      while (end < unit.size() && (is_digit(unit[end]) || unit[end] == '-')) ++end;
      text += superscript(std::string_view(unit).substr(at + 1, end - at - 1));
    } else text += unit[at] == '*' ? "·" : std::string(1, unit[at]);
    at = end;
  }
  return text;
}

std::string power_of_ten(int exponent) { return "10" + superscript(std::to_string(exponent)); }

std::string prefixed_unit(const std::string& unit, int exponent) {
  std::size_t end = 0;
  while (end < unit.size() && is_letter(unit[end])) ++end;
  const std::string symbol = unit.substr(0, end);
  if (end < unit.size() && unit[end] != '*' && unit[end] != '/' && unit[end] != ' ') return "";  // m^3
  struct Habit {
    const char* symbol;
    int largest;  // exponent in practice: no ks, no Mm
  };
  static constexpr Habit habits[] = {{"m", 3}, {"s", 0},    {"A", 6},  {"K", 0},  {"rad", 0}, {"Hz", 12},
                                     {"N", 9}, {"Pa", 12},  {"J", 12}, {"W", 12}, {"C", 3},   {"V", 9},
                                     {"F", 0}, {"ohm", 12}, {"S", 6},  {"Wb", 3}, {"T", 0},   {"H", 3}};
  static constexpr std::pair<int, const char*> prefixes[] = {{-12, "p"}, {-9, "n"}, {-6, "µ"}, {-3, "m"},
                                                             {3, "k"},   {6, "M"},  {9, "G"},  {12, "T"}};
  for (const Habit& habit : habits)
    if (symbol == habit.symbol && exponent <= habit.largest)
      for (const auto& [power, prefix] : prefixes)
        if (power == exponent) return prefix + printed_unit(unit);
  return "";
}

std::string quantity_of(const std::string& unit) {
  static constexpr std::pair<const char*, const char*> quantities[] = {{"m", "length"},
                                                                       {"m/s", "velocity"},
                                                                       {"m/s^2", "acceleration"},
                                                                       {"rad", "angle"},
                                                                       {"rad/s", "angular velocity"},
                                                                       {"rad/s^2", "angular acceleration"},
                                                                       {"N", "force"},
                                                                       {"N*m", "torque"},
                                                                       {"Pa", "pressure"},
                                                                       {"m^3/s", "volume flow"},
                                                                       {"kg/s", "mass flow"},
                                                                       {"m^3", "volume"},
                                                                       {"kg", "mass"},
                                                                       {"J", "energy"},
                                                                       {"W", "power"},
                                                                       {"K", "temperature"},
                                                                       {"V", "voltage"},
                                                                       {"A", "current"},
                                                                       {"C", "charge"},
                                                                       {"Wb", "magnetic flux"},
                                                                       {"Hz", "frequency"},
                                                                       {"s", "time"}};
  for (const auto& [symbol, name] : quantities)
    if (unit == symbol) return name;
  return "";
}

}  // namespace escapement
