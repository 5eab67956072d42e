// The viewer: an HTML page without data, made from web/; empty if it was not built.
#pragma once
#include <string_view>

namespace escapement {
std::string_view viewer_template();
}  // namespace escapement
