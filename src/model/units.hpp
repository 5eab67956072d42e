// Units and dimensions: what a number in a model file is measured in. Angles are tracked, so that rad/s and Hz are not
// mistaken for each other.
#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace escapement {

/// Exponents of the base quantities, angle included.
struct Dimension {
  enum Base { mass, length, time, current, temperature, amount, angle };
  static constexpr int bases = 7;
  std::array<int, bases> exponent{};

  bool operator==(const Dimension&) const = default;
  bool dimensionless() const { return *this == Dimension{}; }
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  Dimension power(int n) const;
  /// In base units, "kg*m^2/s^3"; "1" when dimensionless.
  std::string text() const;
};

/// A unit: value in SI = number · factor + offset (offset only for degC alone).
struct Unit {
  double factor = 1;
  Dimension dimension;
  double offset = 0;
};

/// A unit that cannot be read: what is wrong, where in the text, and the nearest unit if one is near.
struct UnitError : std::runtime_error {
  UnitError(const std::string& message, std::size_t position, std::string nearest = {})
      : std::runtime_error(message), position(position), nearest(std::move(nearest)) {}
  std::size_t position;
  std::string nearest;
};

/// Reads "N*s/m", "kg*m^2", "rev/min", "1/s", "mm", "l/min", "degC". A slash divides by the next factor only.
Unit parse_unit(std::string_view text);
/// Is this name a unit by itself (prefix allowed)?
bool is_unit_name(std::string_view name);

/// May a value of dimension `given` stand where `wanted` is asked for? Equal dimensions may. An angle is a ratio of
/// lengths, so N*m/rad may stand for N*m; but where nothing but angle and time is involved the angle decides: rad/s is
/// not Hz, and an angle is not a pure number.
bool compatible(const Dimension& given, const Dimension& wanted);

}  // namespace escapement
