// Quantities on the command line: `2.5 s`, `500 Hz`.
#pragma once
#include <string>

namespace escapement::app {

/// The number and the unit of a quantity; a bare number has no unit. Throws ModelError E-USAGE naming the option.
struct Quantity {
  double value = 0;
  std::string unit;
};
Quantity parse_quantity(const std::string& option, const std::string& text, const std::string& example);

/// In SI, not negative; a bare 0 will do for any unit.
double quantity(const std::string& option, const std::string& text, const std::string& unit,
                const std::string& example);

}  // namespace escapement::app
