// What differs between compilers, in one place. gcc and clang have vector types (run/lanes.hpp) and
// compile hot loops for several instruction sets (run/instruction_set.hpp). All else is plain C++, the only path that
// MSVC has; DECIBAN_PLAIN_LOOPS takes it with any compiler, so that it can be tested everywhere.
#pragma once

#include <cstdint>

#if defined(__GNUC__) && !defined(DECIBAN_PLAIN_LOOPS)
#define DECIBAN_VECTORS 1
#else
#define DECIBAN_VECTORS 0
#endif

#if DECIBAN_VECTORS && defined(__x86_64__)
#define DECIBAN_X86 1
#else
#define DECIBAN_X86 0
#endif

#if defined(_MSC_VER)
#define DECIBAN_INLINE __forceinline
#define DECIBAN_INLINE_LAMBDA
#else
#define DECIBAN_INLINE __attribute__((always_inline)) inline
#define DECIBAN_INLINE_LAMBDA __attribute__((always_inline))
#endif

// Before a loop whose iterations write to memory that no other iteration reads.
#if defined(__clang__)
#define DECIBAN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DECIBAN_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define DECIBAN_INDEPENDENT __pragma(loop(ivdep))
#else
#define DECIBAN_INDEPENDENT
#endif

namespace deciban {

// Loads the cache line of an address ahead of its use.
DECIBAN_INLINE void prefetch([[maybe_unused]] const void* address) {
#if DECIBAN_VECTORS
  __builtin_prefetch(address);
#endif
}

DECIBAN_INLINE void prefetch_to_write([[maybe_unused]] const void* address) {
#if DECIBAN_VECTORS
  __builtin_prefetch(address, 1);
#endif
}

// Into the second level of the cache, not the first.
DECIBAN_INLINE void prefetch_far([[maybe_unused]] const void* address) {
#if DECIBAN_VECTORS
  __builtin_prefetch(address, 0, 2);
#endif
}

// The 128 bits of a·b, folded: the high 64 XOR the low 64.
DECIBAN_INLINE std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(DECIBAN_PLAIN_LOOPS)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  constexpr std::uint64_t half = 0xFFFFFFFF;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (cross & half);
  return ((a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32)) ^ (a * b);
#endif
}

DECIBAN_INLINE std::uint64_t reversed_bytes(std::uint64_t x) {
#if DECIBAN_VECTORS
  return __builtin_bswap64(x);
#else
  constexpr std::uint64_t bytes = 0x00FF00FF00FF00FF, pairs = 0x0000FFFF0000FFFF;
  x = (x & bytes) << 8 | (x >> 8 & bytes);
  x = (x & pairs) << 16 | (x >> 16 & pairs);
  return x << 32 | x >> 32;
#endif
}

}  // namespace deciban
