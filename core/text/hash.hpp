// 64-bit hashes of tokens: two words multiplied to 128 bits and folded, as wyhash (Wang Yi) does.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "run/compiler.hpp"

namespace deciban {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return folded_product(a, b);
}

template <class Word>
Word load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// At most eight bytes as a number, without reading past them.
inline std::uint64_t load_some(const char* at, std::size_t size) {
  if (size >= 8) return load<std::uint64_t>(at);
  if (size >= 4) {
    const std::uint64_t low = load<std::uint32_t>(at);
    const std::uint64_t high = load<std::uint32_t>(at + size - 4);
    return low | high << (8 * (size - 4));
  }
  if (size >= 2) {
    const std::uint64_t low = load<std::uint16_t>(at);
    const std::uint64_t high = load<std::uint16_t>(at + size - 2);
    return low | high << (8 * (size - 2));
  }
  return size == 1 ? static_cast<std::uint8_t>(*at) : 0;
}

// A token as two words and its size: the whole token where it has up to 16 bytes, else its first 8 bytes and a hash
// of the rest.
struct TokenKey {
  std::uint64_t head;
  std::uint64_t tail;
  std::uint32_t size;

  bool operator==(const TokenKey&) const = default;
  bool is_whole() const { return size <= 16; }
  std::uint64_t hash() const {
    return mix(mix(head ^ 0x2d358dccaa6c78a5U, tail ^ 0x8bb84b93962eacc9U) ^ size, 0x4b33a62ed433d4a3U);
  }
};

inline TokenKey key_of(std::string_view token) {
  const char* at = token.data();
  const std::size_t size = token.size();
  const auto written = static_cast<std::uint32_t>(size);
  if (size <= 8) return {load_some(at, size), 0, written};
  if (size <= 16) return {load<std::uint64_t>(at), load<std::uint64_t>(at + size - 8) >> (8 * (16 - size)), written};
  std::uint64_t tail = load<std::uint64_t>(at + size - 8);
  for (std::size_t i = 8; i + 8 < size; i += 8) tail = mix(tail ^ load<std::uint64_t>(at + i), 0x9e3779b97f4a7c15U);
  return {load<std::uint64_t>(at), tail, written};
}

// The hash of a sequence of tokens, from that of all but its last and the last's.
inline std::uint64_t hash_sequence(std::uint64_t start, std::uint64_t last) {
  return mix(start ^ 0xa0761d6478bd642fU, last ^ 0xe7037ed1a0b428dbU);
}

}  // namespace deciban
