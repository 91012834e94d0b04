// Class × cell counts of sets of coded columns, such as all pairs, for models whose tables are over more than one
// column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/code_columns.hpp"
#include "read/ragged_list.hpp"

namespace deciban {

// The cells of each set, one set after the other: the last column of a set changes fastest, and the classes of a
// cell are contiguous. A code that equals its column's size is a missing value, and its row is not counted in the set.
// Each sum is made in the order of the rows, on one thread. T: u64 where rows count 1, else double.
std::vector<std::uint64_t> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                                      const RaggedList<std::int32_t>& sets);
std::vector<double> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                               const RaggedList<std::int32_t>& sets, std::span<const double> weights);

}  // namespace deciban
