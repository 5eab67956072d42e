#include "model/units.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "base/nearest_name.hpp"

namespace escapement {
namespace {

using D = Dimension;

constexpr int whole =
    60;  // an exponent of one: halves, thirds, quarters, fifths and sixths are whole numbers of these

Dimension dimension(int mass, int length, int time, int current = 0, int temperature = 0, int amount = 0,
                    int angle = 0) {
  return Dimension{{mass, length, time, current, temperature, amount, angle}}.power(whole);
}

struct Named {
  Unit unit;
  bool prefixes = false;  // kN, mm, µF …
};

const std::map<std::string, Named, std::less<>>& table() {
  constexpr double pi = std::numbers::pi;
  static const std::map<std::string, Named, std::less<>> units = {
      {"1", {{1, {}}}},
      {"%", {{0.01, {}}}},
      {"m", {{1, dimension(0, 1, 0)}, true}},
      {"g", {{1e-3, dimension(1, 0, 0)}, true}},
      {"t", {{1e3, dimension(1, 0, 0)}}},
      {"s", {{1, dimension(0, 0, 1)}, true}},
      {"min", {{60, dimension(0, 0, 1)}}},
      {"h", {{3600, dimension(0, 0, 1)}}},
      {"A", {{1, dimension(0, 0, 0, 1)}, true}},
      {"K", {{1, dimension(0, 0, 0, 0, 1)}, true}},
      {"degC", {{1, dimension(0, 0, 0, 0, 1), 273.15}}},
      {"mol", {{1, dimension(0, 0, 0, 0, 0, 1)}, true}},
      {"rad", {{1, dimension(0, 0, 0, 0, 0, 0, 1)}, true}},
      {"deg", {{pi / 180, dimension(0, 0, 0, 0, 0, 0, 1)}}},
      {"rev", {{2 * pi, dimension(0, 0, 0, 0, 0, 0, 1)}}},
      {"rpm", {{2 * pi / 60, dimension(0, 0, -1, 0, 0, 0, 1)}}},
      {"Hz", {{1, dimension(0, 0, -1)}, true}},
      {"N", {{1, dimension(1, 1, -2)}, true}},
      {"Pa", {{1, dimension(1, -1, -2)}, true}},
      {"bar", {{1e5, dimension(1, -1, -2)}, true}},
      {"J", {{1, dimension(1, 2, -2)}, true}},
      {"W", {{1, dimension(1, 2, -3)}, true}},
      {"C", {{1, dimension(0, 0, 1, 1)}, true}},
      {"V", {{1, dimension(1, 2, -3, -1)}, true}},
      {"F", {{1, dimension(-1, -2, 4, 2)}, true}},
      {"ohm", {{1, dimension(1, 2, -3, -2)}, true}},
      {"S", {{1, dimension(-1, -2, 3, 2)}, true}},
      {"Wb", {{1, dimension(1, 2, -2, -1)}, true}},
      {"T", {{1, dimension(1, 0, -2, -1)}, true}},
      {"H", {{1, dimension(1, 2, -2, -2)}, true}},
      {"l", {{1e-3, dimension(0, 3, 0)}, true}},
      {"L", {{1e-3, dimension(0, 3, 0)}, true}},
      {"g0", {{9.80665, dimension(0, 1, -2)}}},
      {"in", {{0.0254, dimension(0, 1, 0)}}},
      {"ft", {{0.3048, dimension(0, 1, 0)}}},
      {"lb", {{0.45359237, dimension(1, 0, 0)}}},
      {"lbf", {{4.4482216152605, dimension(1, 1, -2)}}},
      {"psi", {{6894.757293168361, dimension(1, -1, -2)}}},
      {"hp", {{745.6998715822702, dimension(1, 2, -3)}}},
  };
  return units;
}

constexpr std::pair<const char*, double> prefixes[] = {
    {"Y", 1e24}, {"Z", 1e21}, {"E", 1e18}, {"P", 1e15},  {"T", 1e12}, {"G", 1e9},
    {"M", 1e6},  {"k", 1e3},  {"h", 1e2},  {"d", 1e-1},  {"c", 1e-2}, {"m", 1e-3},
    {"u", 1e-6}, {"µ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}};

std::optional<Unit> look_up(std::string_view name) {
  const auto& units = table();
  if (const auto at = units.find(name); at != units.end()) return at->second.unit;
  for (const auto& [prefix, factor] : prefixes) {
    if (!name.starts_with(prefix)) continue;
    const auto at = units.find(name.substr(std::string_view(prefix).size()));
    if (at == units.end() || !at->second.prefixes) continue;
    Unit unit = at->second.unit;
    unit.factor *= factor;
    return unit;
  }
  return std::nullopt;
}

/// Names for suggestions: the table, and the usual prefixed ones.
std::vector<std::string> suggestions() {
  std::vector<std::string> names;
  for (const auto& [name, named] : table()) {
    names.push_back(name);
    if (named.prefixes)
      for (const char* p : {"k", "M", "m", "u"}) names.push_back(p + name);
  }
  return names;
}

bool name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '%' || (c & 0x80); }
bool name_character(char c) { return name_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// m2 and m² for m^2, Nm for N*m, ° for deg; otherwise the nearest name.
std::string meant(std::string_view name) {
  if (name == "°") return "deg";
  const auto with_power = [](std::string_view part) -> std::string {
    if (look_up(part)) return std::string(part);
    for (const auto& [sign, power] :
         {std::pair("²", "2"), std::pair("³", "3"), std::pair("2", "2"), std::pair("3", "3")})
      if (part.ends_with(sign) && look_up(part.substr(0, part.size() - std::string_view(sign).size())))
        return std::string(part.substr(0, part.size() - std::string_view(sign).size())) + "^" + power;
    return "";
  };
  if (const std::string one = with_power(name); !one.empty()) return one;
  for (std::size_t i = name.size() - 1; i > 0; --i) {
    const std::string first = with_power(name.substr(0, i)), second = with_power(name.substr(i));
    if (!first.empty() && !second.empty() && parse_unit(first).dimension != parse_unit(second).dimension)
      return first + "*" + second;
  }
  return nearest_name(name, suggestions());
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  Unit read() {
    Unit result = factor();
    check_range(result);
    bool alone = true;
    while (skip(), at_ < text_.size()) {
      const char c = text_[at_];
      if (c != '*' && c != '/') throw UnitError("expected '*' or '/' between units", at_);
      ++at_;
      const Unit next = factor();
      if (next.offset != 0) throw UnitError("degC cannot be combined with other units; use K", at_);
      alone = false;
      result.factor = c == '*' ? result.factor * next.factor : result.factor / next.factor;
      result.dimension = c == '*' ? result.dimension * next.dimension : result.dimension / next.dimension;
      check_range(result);
    }
    if (!alone && result.offset != 0) throw UnitError("degC cannot be combined with other units; use K", 0);
    return result;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  void check_range(const Unit& unit) const {
    bool within = unit.factor > 0 && std::isfinite(unit.factor);
    for (const int e : unit.dimension.exponent)
      within = within && std::abs(e) <= 99 * whole;  // as `^` reads them
    if (!within) throw UnitError("the unit is out of range", at_);
  }
  Unit factor() {
    skip();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) throw UnitError("a unit is missing", at_);
    Unit unit;
    if (text_[at_] == '1' && (at_ + 1 == text_.size() || !name_character(text_[at_ + 1]))) {
      ++at_;
    } else if (name_start(text_[at_])) {
      while (at_ < text_.size() && name_character(text_[at_])) ++at_;
      const auto name = text_.substr(begin, at_ - begin);
      const auto found = look_up(name);
      if (!found) throw UnitError("unknown unit `" + std::string(name) + "`", begin, meant(name));
      unit = *found;
    } else {
      throw UnitError("expected a unit", at_);
    }
    skip();
    if (at_ < text_.size() && text_[at_] == '^') {
      ++at_;
      skip();
      const bool fraction = at_ < text_.size() && text_[at_] == '(';
      if (fraction) ++at_;
      const std::size_t number = at_;
      const bool negative = at_ < text_.size() && text_[at_] == '-';
      if (negative) ++at_;
      const int n = (negative ? -1 : 1) * digits(number);
      const int parts = fraction ? rest_of_fraction() : 1;
      if (unit.offset != 0) throw UnitError("degC cannot be raised to a power; use K", begin);
      unit.factor = parts == 1 ? whole_power(unit.factor, n) : std::pow(unit.factor, double(n) / parts);
      unit.dimension = unit.dimension.power(n);
      for (int& e : unit.dimension.exponent) {
        if (e % parts != 0) throw UnitError("an exponent is no multiple of 1/60", number);
        e /= parts;
      }
    }
    return unit;
  }
  /// One or two.
  int digits(std::size_t begin) {
    int n = 0;
    const std::size_t first = at_;
    while (at_ < text_.size() && at_ < first + 2 && std::isdigit(static_cast<unsigned char>(text_[at_])))
      n = 10 * n + (text_[at_++] - '0');
    if (at_ == first) throw UnitError("expected a whole number after '^'", begin);
    return n;
  }
  /// "/2)" of "^(1/2)": by how much it divides.
  int rest_of_fraction() {
    int parts = 1;
    if (at_ < text_.size() && text_[at_] == '/') {
      const std::size_t begin = ++at_;
      parts = digits(begin);
      if (parts == 0) throw UnitError("expected a fraction after '^'", begin);
    }
    if (at_ >= text_.size() || text_[at_] != ')') throw UnitError("expected ')'", at_);
    ++at_;
    return parts;
  }
  static double whole_power(double factor, int n) {
    double power = 1;
    for (int i = 0; i < std::abs(n); ++i) power *= factor;
    return n < 0 ? 1 / power : power;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension r;
  for (int i = 0; i < D::bases; ++i) r.exponent[i] = a.exponent[i] + b.exponent[i];
  return r;
}
Dimension operator/(const Dimension& a, const Dimension& b) { return a * b.power(-1); }
Dimension Dimension::power(int n) const {
  Dimension r;
  for (int i = 0; i < bases; ++i) r.exponent[i] = n * exponent[i];
  return r;
}

/// "2", or "(1/2)".
static std::string exponent_text(int e) {
  const int common = std::gcd(e, whole);
  if (common == whole) return std::to_string(e / whole);
  return "(" + std::to_string(e / common) + "/" + std::to_string(whole / common) + ")";
}

std::string Dimension::text() const {
  static const char* const names[bases] = {"kg", "m", "s", "A", "K", "mol", "rad"};
  std::string above, below;
  for (int i = 0; i < bases; ++i) {
    const int e = exponent[i];
    if (e == 0) continue;
    std::string& side = e > 0 ? above : below;
    side += e > 0 ? (above.empty() ? "" : "*") : "/";
    side += names[i];
    if (std::abs(e) != whole) side += "^" + exponent_text(std::abs(e));
  }
  return (above.empty() ? "1" : above) + below;
}

Unit parse_unit(std::string_view text) { return Reader(text).read(); }
bool is_unit_name(std::string_view name) { return look_up(name).has_value(); }

bool compatible(const Dimension& given, const Dimension& wanted) {
  if (given == wanted) return true;
  Dimension a = given, b = wanted;
  a.exponent[D::angle] = b.exponent[D::angle] = 0;
  if (a != b) return false;
  a.exponent[D::time] = 0;
  return !a.dimensionless();  // something besides angle and time: the angle is a ratio of lengths
}

}  // namespace escapement
