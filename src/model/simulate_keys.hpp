// Keys of `simulate:` that give way to --set: those of another scheme, and those that say the same thing in another way.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.hpp"

namespace escapement {

/// --set goes before the file: keys of the file that belong to another scheme, or say in another way what --set says, are
/// removed from it. `set`: values by key. The notes tell what was left aside.
std::vector<std::string> give_way(Node& file, const std::map<std::string, std::string>& set);

}  // namespace escapement
