// Up to 64 bytes at a time: lower-cased, and with a bit for each that says its class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/compiler.hpp"
#if DECIBAN_X86
#include <emmintrin.h>
#endif

namespace deciban {

inline constexpr std::size_t block_size = 64;

struct Block {
  std::uint64_t word = 0;   // ASCII letters, digits, underscore
  std::uint64_t space = 0;  // ASCII of which str.isspace() holds
  std::uint64_t high = 0;   // not ASCII
  // Lower-cased; longer than a block, so that 16 bytes can be copied from anywhere in it.
  alignas(64) char bytes[2 * block_size];
};

#if DECIBAN_X86
DECIBAN_INLINE __m128i between(__m128i x, char first, char last) {
  return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(static_cast<char>(first - 1))),
                       _mm_cmplt_epi8(x, _mm_set1_epi8(static_cast<char>(last + 1))));
}

DECIBAN_INLINE std::uint64_t bits_of(__m128i x, int shift) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(x))) << shift;
}

// Reads 16 bytes into the block at offset `at`. Bytes that are not ASCII are negative, so between() is false for them.
template <bool lower>
DECIBAN_INLINE void read_lane(const char* in, int at, Block& block) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  const __m128i capital = between(x, 'A', 'Z');
  const __m128i small = _mm_or_si128(x, _mm_and_si128(capital, _mm_set1_epi8(0x20)));
  const __m128i letter = between(small, 'a', 'z');
  const __m128i other = _mm_or_si128(between(x, '0', '9'), _mm_cmpeq_epi8(x, _mm_set1_epi8('_')));
  const __m128i space = _mm_or_si128(between(x, '\t', '\r'), between(x, 0x1C, ' '));
  _mm_store_si128(reinterpret_cast<__m128i*>(block.bytes + at), lower ? small : x);
  block.word |= bits_of(_mm_or_si128(letter, other), at);
  block.space |= bits_of(space, at);
  block.high |= bits_of(x, at);
}
#else
template <bool lower>
DECIBAN_INLINE void read_lane(const char* in, int at, Block& block) {
  for (int i = 0; i < 16; ++i) {
    const auto x = static_cast<unsigned char>(in[i]);
    const bool capital = x - unsigned{'A'} < 26;
    const unsigned small = capital ? x | 0x20U : x;
    const bool letter = small - 'a' < 26;
    const bool other = x - unsigned{'0'} < 10 || x == '_';
    const bool space = x - unsigned{'\t'} < 5 || x - 0x1CU < 5;
    block.bytes[at + i] = static_cast<char>(lower ? small : x);
    block.word |= std::uint64_t{letter || other} << (at + i);
    block.space |= std::uint64_t{space} << (at + i);
    block.high |= std::uint64_t{x >= 0x80} << (at + i);
  }
}
#endif

// Reads the n <= 64 bytes at `in`; bits beyond them are 0.
template <bool lower>
DECIBAN_INLINE void read_block(const char* in, std::size_t n, Block& block) {
  block.word = block.space = block.high = 0;
  alignas(16) char padded[block_size];
  if (n < block_size) {
    std::memset(padded, 0, block_size);
    std::memcpy(padded, in, n);
    in = padded;
  }
  for (int at = 0; at < static_cast<int>(block_size); at += 16) read_lane<lower>(in + at, at, block);
}

}  // namespace deciban
