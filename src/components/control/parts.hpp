// What blocks that treat a wide signal part by part share.
#pragma once
#include <string>
#include <vector>

#include "model/component.hpp"

namespace escapement::control {

/// `path.suffix`, with the number of the part if there are several.
std::string part_name(const Build& b, const char* suffix, std::size_t part, std::size_t parts);

/// One number for all parts of a signal, or one per part; `otherwise` if the key is absent.
std::vector<double> per_part(const Build& b, const char* key, std::size_t parts, double otherwise = 0);

/// The group `initial` with the key `output`, one number or one per part.
Parameter initial_output(const std::string& otherwise = "zero");

}  // namespace escapement::control
