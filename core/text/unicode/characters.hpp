// Properties of a code point, from the Unicode tables of the Python that built the core; UTF-8 decoding and encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "run/compiler.hpp"
#include "unicode_tables.hpp"

namespace deciban {

inline constexpr std::uint8_t is_word = 1;       // str.isalnum(), or the underscore
inline constexpr std::uint8_t is_space = 2;      // str.isspace()
inline constexpr std::uint8_t is_cased = 4;      // and not ignorable, which is tested first
inline constexpr std::uint8_t is_ignorable = 8;  // for the rule of the final sigma
inline constexpr std::uint8_t lowers_to_two = 16;
inline constexpr std::uint8_t is_emoji = 32;       // and no letter
inline constexpr std::uint8_t is_emoji_part = 64;  // emoji presentation, skin tones, tags

inline constexpr char32_t replacement = 0xFFFD;
inline constexpr char32_t joiner = 0x200D;
inline constexpr char32_t capital_sigma = 0x3A3;
inline constexpr char32_t final_sigma = 0x3C2;

DECIBAN_INLINE const tables::Kind& kind_of(char32_t code) {
  return tables::kinds[tables::kind_cells[static_cast<std::size_t>(tables::kind_blocks[code >> 7]) << 7 |
                                          (code & 127)]];
}

// A code point decomposed (NFKD), without its combining marks. `own` holds the result where it is not in the tables.
inline std::span<const char32_t> parts_of(char32_t code, char32_t (&own)[3]) {
  constexpr char32_t hangul = 0xAC00;
  if (code - hangul < 11172) {  // The Unicode Standard, 3.12: syllables are computed.
    const char32_t at = code - hangul;
    own[0] = 0x1100 + at / 588;
    own[1] = 0x1161 + at % 588 / 28;
    own[2] = 0x11A7 + at % 28;
    return {own, at % 28 == 0 ? std::size_t{2} : std::size_t{3}};
  }
  const std::size_t row =
      tables::part_cells[static_cast<std::size_t>(tables::part_blocks[code >> 7]) << 7 | (code & 127)];
  own[0] = code;
  if (row == 0) return {own, 1};
  const std::size_t start = tables::part_starts[row];
  return {&tables::parts[start], tables::part_starts[row + 1] - start};
}

struct Decoded {
  char32_t code;
  std::size_t bytes;
};

// The code point at p < end. Malformed bytes give U+FFFD, one for each maximal subpart of a sequence, as in Python and
// the Unicode Standard (3.9); surrogates are malformed unless they are allowed.
inline Decoded decode(const char* p, const char* end, bool with_surrogates) {
  const auto at = [p](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  const unsigned lead = at(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {replacement, 1};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED && !with_surrogates ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const auto left = static_cast<std::size_t>(end - p);
  if (left < 2 || at(1) < least || at(1) > most) return {replacement, 1};
  char32_t code = (lead & (0x7FU >> bytes)) << 6 | (at(1) & 0x3FU);
  for (std::size_t i = 2; i < bytes; ++i) {
    if (i >= left || (at(i) & 0xC0U) != 0x80) return {replacement, i};
    code = code << 6 | (at(i) & 0x3FU);
  }
  return {code, bytes};
}

// The code point that ends at p > begin; U+FFFD where the bytes that end there are malformed.
inline Decoded decode_before(const char* begin, const char* p) {
  const char* start = p - 1;
  while (start > begin && p - start < 4 && (static_cast<unsigned char>(*start) & 0xC0U) == 0x80) --start;
  const Decoded found = decode(start, p, true);
  return start + found.bytes == p ? found : Decoded{replacement, 1};
}

// Writes a code point and returns where the next one goes; there must be room for four bytes.
DECIBAN_INLINE char* encode(char32_t code, char* out) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return out;
}

}  // namespace deciban
