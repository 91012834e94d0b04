// Sums of products of columns, several at a time.
#pragma once

#include <cstdint>

#include "run/lanes.hpp"

namespace deciban {

// out[i] += a · (columns + i·stride) for each of `width` columns. Each sum is made in one order, whatever the width.
template <class Set>
DECIBAN_INLINE void add_products(const double* a, const double* columns, std::int64_t stride, std::int64_t width,
                                 std::int64_t count, double* out) {
  using V = Lanes<Set>;
  std::int64_t i = 0;
  // Four sums at a time: one alone waits for each of its additions.
  for (; i + 4 <= width; i += 4) {
    const double* const b = columns + i * stride;
    V first{}, second{}, third{}, fourth{};
    for (std::int64_t r = 0; r < count; r += lanes) {
      const V own = lanes_at<Set>(a + r);
      first += own * lanes_at<Set>(b + r);
      second += own * lanes_at<Set>(b + stride + r);
      third += own * lanes_at<Set>(b + 2 * stride + r);
      fourth += own * lanes_at<Set>(b + 3 * stride + r);
    }
    out[i] += sum_lanes(first);
    out[i + 1] += sum_lanes(second);
    out[i + 2] += sum_lanes(third);
    out[i + 3] += sum_lanes(fourth);
  }
  for (; i < width; ++i) {
    V sum{};
    for (std::int64_t r = 0; r < count; r += lanes) {
      sum += lanes_at<Set>(a + r) * lanes_at<Set>(columns + i * stride + r);
    }
    out[i] += sum_lanes(sum);
  }
}

}  // namespace deciban
