// Bytes as text.
#pragma once
#include <algorithm>
#include <string>

namespace escapement {

inline void append_base64(std::string& out, const void* data, std::size_t bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* p = static_cast<const unsigned char*>(data);
  out.reserve(out.size() + bytes / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes; i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes - i);
    unsigned word = p[i] << 16;
    if (n > 1) word |= p[i + 1] << 8;
    if (n > 2) word |= p[i + 2];
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
}

}  // namespace escapement
