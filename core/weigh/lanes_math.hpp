// exp and log of eight doubles at a time, to about 1e-13: far below what a sum over rows needs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "run/lanes.hpp"

namespace deciban {

// e^x for x from −700 to 0: 2^n·e^r with x = n·log 2 + r, |r| ≤ ½·log 2, and e^r by Taylor's series.
DECIBAN_INLINE Lanes exp_lanes(Lanes x) {
  constexpr double rounds = 6755399441055744.0;  // 1.5·2^52: adding it rounds to a whole number, in the lowest bits
  constexpr double log2_e = 1.4426950408889634, log_2_high = 0.693147180369123816490,
                   log_2_low = 1.90821492927058770e-10;
  constexpr double series[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                               1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0};
  const Lanes shifted = x * log2_e + rounds;
  const Lanes n = shifted - rounds;
  const Lanes r = (x - n * log_2_high) - n * log_2_low;
  Lanes sum = all_lanes(series[0]);
  for (std::size_t i = 1; i < std::size(series); ++i) sum = sum * r + series[i];
  sum = sum * r + 1.0;
  const LongLanes power = (std::bit_cast<LongLanes>(shifted) + 1023) << 52;
  return sum * std::bit_cast<Lanes>(power);
}

// log x for x ≥ 1: n·log 2 + 2·artanh((m − 1) / (m + 1)) with x = 2^n·m and m from √½ to √2.
DECIBAN_INLINE Lanes log_lanes(Lanes x) {
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;  // the bits of √½
  constexpr double log_2 = 0.6931471805599453;
  const LongLanes bits = std::bit_cast<LongLanes>(x);
  const LongLanes n = (bits - root_half) >> 52;
  const LongLanes scaled = bits - (n << 52);
  const Lanes m = std::bit_cast<Lanes>(scaled);
  const Lanes z = (m - 1.0) / (m + 1.0), z2 = z * z;
  Lanes sum = all_lanes(1.0 / 19);
  for (int odd = 17; odd >= 1; odd -= 2) sum = sum * z2 + 1.0 / odd;
  return to_doubles(n) * log_2 + 2.0 * z * sum;
}

}  // namespace deciban
