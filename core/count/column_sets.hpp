// Class × cell counts of sets of coded columns, such as all pairs: the tables of models with wider parts than one
// column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/families/scores.hpp"

namespace deciban {

// Set i: columns[starts[i]] … columns[starts[i + 1] − 1].
struct ColumnSets {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> columns;
};

// The cells of each set, one set after the other: the last column of a set changes fastest, and a cell's classes lie
// side by side. A code that equals its column's size is a missing value, and its row is left out of the set. Each sum
// is made in the order of the rows, on one thread. T: u64 where rows count 1, else double.
std::vector<std::uint64_t> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                                      const ColumnSets& sets);
std::vector<double> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                               const ColumnSets& sets, std::span<const double> weights);

}  // namespace deciban
