// Which keys of `simulate:` belong to which schemes, which of them say the same thing in two ways, and what gives way to --set.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.hpp"

namespace escapement {

inline constexpr std::string_view default_scheme = "generalized-alpha";

/// Does this scheme have such a key? A group goes by its own name: `relaxation`.
bool scheme_has(std::string_view scheme, std::string_view key);
/// Does it choose its steps, if asked to?
bool scheme_adapts(std::string_view scheme);
/// Parameters that are given together, instead of spectral radii (T-alpha-10).
const std::vector<std::string_view>& mechanics_keys();  // alpha_m, alpha_f, beta, gamma
const std::vector<std::string_view>& state_keys();      // delta_m, delta_f, theta

/// --set goes before the file: keys of the file that belong to another scheme, or say in another way what --set says, are
/// removed from it. `set`: values by key. The notes tell what was left aside.
std::vector<std::string> give_way(Node& file, const std::map<std::string, std::string>& set);

}  // namespace escapement
