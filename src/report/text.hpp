// Words in a figure: units as they are set in print, widths, and what XML needs.
#pragma once
#include <string>
#include <string_view>

namespace escapement {

/// For XML: markup escaped; control characters and broken UTF-8 replaced.
std::string escaped(std::string_view text);
/// A length in px: at most two decimals, no trailing zeros.
std::string px(double value);
/// A generous estimate in px, since the reader's font is not known.
double text_width(std::string_view text, double size);
/// With an ellipsis in the middle if it would be wider than `width`.
std::string shortened(const std::string& text, double width, double size);

/// `m/s²` for `m/s^2`; `N·m` for `N*m`; nothing for pure numbers.
std::string printed_unit(const std::string& unit);
/// Set `10⁻³` for -3.
std::string power_of_ten(int exponent);
/// `kPa` for Pa and 3; empty if this unit does not take this prefix in practice.
std::string prefixed_unit(const std::string& unit, int exponent);
/// What a unit measures, for an axis shared by curves of several names: `force` for N.
std::string quantity_of(const std::string& unit);

}  // namespace escapement
