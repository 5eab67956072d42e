// UTF-8: the characters of a text.
#pragma once
#include <cstddef>
#include <string_view>

namespace escapement {

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: no character begins here
};

/// The character whose first byte stands at `at`, which is within the text. Overlong forms, surrogates and what lies beyond U+10FFFF are
/// none.
inline Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  char32_t code = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

/// A byte within a character: neither its first nor a character of its own.
inline bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

/// The last place up to `end` where a text can be cut without cutting a character.
inline std::size_t cut_before(std::string_view text, std::size_t end) {
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return end;
}

}  // namespace escapement
