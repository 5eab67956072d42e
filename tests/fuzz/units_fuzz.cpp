// Any text: parse_unit gives a usable unit or a UnitError within the text; the dimension's text reads back as itself.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "model/units.hpp"

using namespace escapement;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Unit unit;
  try {
    unit = parse_unit(text);
  } catch (const UnitError& e) {
    if (e.position > size) std::abort();
    return 0;
  }
  if (!std::isfinite(unit.factor) || !(unit.factor > 0)) std::abort();
  if (parse_unit(unit.dimension.text()).dimension != unit.dimension) std::abort();
  if (!compatible(unit.dimension, unit.dimension)) std::abort();
  return 0;
}
