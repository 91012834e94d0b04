// The distinct values of a numeric column, and the weight of each in each class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

template <class T>
struct ValueCounts {
  std::vector<double> values;  // ascending
  std::vector<T> table;        // classes × values
  bool is_whole = true;        // false: there are more than `most` values, and the result is empty
};

// Counts rows, or adds up their weights in row order. NaN, and rows of weight 0, are skipped.
ValueCounts<std::int64_t> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                       std::int64_t most);
ValueCounts<double> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                 std::span<const double> weights, std::int64_t most);

}  // namespace deciban
