#include "components/control/parts.hpp"

#include <fmt/format.h>

namespace escapement::control {

std::string part_name(const Build& b, const char* suffix, std::size_t part, std::size_t parts) {
  return parts == 1 ? b.name(suffix) : fmt::format("{}.{}", b.name(suffix), part + 1);
}

std::vector<double> per_part(const Build& b, const char* key, std::size_t parts, double otherwise) {
  if (!b.has(key)) return std::vector<double>(parts, otherwise);
  const std::vector<double>& given = b.vector(key);
  if (given.size() != 1 && given.size() != parts)
    b.refuse("E-WIDTH", key, fmt::format("has {} numbers, the input has {} parts", given.size(), parts));
  return given.size() == 1 ? std::vector<double>(parts, given[0]) : given;
}

Parameter initial_output(const std::string& otherwise) {
  const std::string summary = "output at the start, one number or one per part; " + otherwise + " if absent";
  return group("initial", {vector("output", "any", 0, summary).optional()}, "values at the start");
}

}  // namespace escapement::control
