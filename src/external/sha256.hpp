// SHA-256 (FIPS 180-4): code that a user trusts is known by the hash of its content.
#pragma once
#include <string>
#include <string_view>

namespace escapement::external {

/// 64 hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace escapement::external
