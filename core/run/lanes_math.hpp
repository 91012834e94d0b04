// exp and log of eight doubles at a time, to a few units in the last place.
#pragma once

#include <cstdint>

#include "run/lanes.hpp"

namespace deciban {

// e^x for x ≤ 0: 2^n·e^r with x = n·log 2 + r, |r| ≤ ½·log 2, and e^r by Taylor's series. The power is taken in two
// steps, as 2^n may be too small for a number that is not denormal; below −746, also at −∞, e^x is 0.
template <class Set>
DECIBAN_INLINE Lanes<Set> exp_lanes(const Lanes<Set>& x) {
  using V = Lanes<Set>;
  using Longs = Numbers<Set, std::int64_t, 8>;
  constexpr double rounds = 6755399441055744.0;  // 1.5·2^52: adding it rounds to a whole number, in the lowest bits
  constexpr double log2_e = 1.4426950408889634, log_2_high = 0.693147180369123816490,
                   log_2_low = 1.90821492927058770e-10;
  const V y = larger(x, all_lanes<Set>(-746.0));
  const V n = (y * log2_e + rounds) - rounds;
  const V r = (y - n * log_2_high) - n * log_2_low;
  const V r2 = r * r, r4 = r2 * r2;  // pairs of terms, so that they do not wait for one another
  const V first = (r + 1.0) + (r * (1.0 / 6) + 0.5) * r2;
  const V second = (r * (1.0 / 120) + 1.0 / 24) + (r * (1.0 / 5040) + 1.0 / 720) * r2;
  const V third = (r * (1.0 / 362880) + 1.0 / 40320) + (r * (1.0 / 39916800) + 1.0 / 3628800) * r2;
  const V sum = (first + second * r4) + (third + r4 * (1.0 / 479001600)) * (r4 * r4);
  const V half = n * 0.5 + rounds, other = (n - (half - rounds)) + rounds;
  const auto power = [](const V& shifted) DECIBAN_INLINE_LAMBDA {
    return bits_as<V>((bits_as<Longs>(shifted) + std::int64_t{1023}) << std::int64_t{52});
  };
  return sum * power(half) * power(other);
}

// log x for x > 0 that is not denormal: n·log 2 + 2·artanh((m − 1) / (m + 1)) with x = 2^n·m and m from √½ to √2.
template <class Set>
DECIBAN_INLINE Lanes<Set> log_lanes(const Lanes<Set>& x) {
  using V = Lanes<Set>;
  using Longs = Numbers<Set, std::int64_t, 8>;
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;  // the bits of √½
  constexpr double log_2 = 0.6931471805599453;
  const Longs bits = bits_as<Longs>(x);
  const Longs n = (bits - root_half) >> std::int64_t{52};
  const Longs scaled = bits - (n << std::int64_t{52});
  const V m = bits_as<V>(scaled);
  const V z = (m - 1.0) / (m + 1.0), z2 = z * z;
  V sum = all_lanes<Set>(1.0 / 19);
  for (int odd = 17; odd >= 1; odd -= 2) sum = sum * z2 + 1.0 / odd;
  return converted<V>(n) * log_2 + 2.0 * z * sum;
}

}  // namespace deciban
