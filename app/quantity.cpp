#include "quantity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "core/error.hpp"
#include "model/units.hpp"

namespace escapement::app {

Quantity parse_quantity(const std::string& option, const std::string& text, const std::string& example) {
  char* end = nullptr;
  Quantity q{std::strtod(text.c_str(), &end), end};
  q.unit.erase(0, std::min(q.unit.size(), q.unit.find_first_not_of(' ')));
  if (end == text.c_str() || !std::isfinite(q.value))
    throw ModelError("E-USAGE", option + " " + text, "it is no quantity", option + " " + example);
  return q;
}

double quantity(const std::string& option, const std::string& text, const std::string& unit,
                const std::string& example) {
  const Quantity q = parse_quantity(option, text, example);
  if (q.value == 0 && q.unit.empty()) return 0;
  try {
    const Unit parsed = parse_unit(q.unit);
    if (q.value >= 0 && compatible(parsed.dimension, parse_unit(unit).dimension))
      return q.value * parsed.factor / parse_unit(unit).factor;
  } catch (const std::exception&) {
  }
  throw ModelError("E-USAGE", option + " " + text, fmt::format("needs a quantity in {}", unit),
                   option + " " + example);
}

}  // namespace escapement::app
