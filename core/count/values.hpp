// The distinct values of a numeric column, and how much each weighs in each class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

template <class T>
struct ValueCounts {
  std::vector<double> values;  // ascending
  std::vector<T> table;        // classes × values
  bool is_whole = true;        // false: there are more than `most` values, and nothing was kept
};

// Counts rows, or adds up their weights in the order of the rows. NaN, and rows that weigh nothing, are left out.
ValueCounts<std::int64_t> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                       std::int64_t most);
ValueCounts<double> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                 std::span<const double> weights, std::int64_t most);

}  // namespace deciban
