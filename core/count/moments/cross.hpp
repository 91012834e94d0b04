// Sums of products of columns around given shifts, in double-double: Σ w·d_i·d_j with d = x − s.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/ragged_list.hpp"

namespace deciban {

// Columns of numbers, one after the other; NaN where a value is missing. Every x − shift must be exact in a double.
struct ShiftedColumns {
  std::span<const double> values;
  std::span<const double> shifts;
  std::int64_t rows;

  const double* column(std::int64_t c) const { return values.data() + c * rows; }
};

// For column i and each j of partners[i] the sum of w·d_i·d_j, where d_j is 1 if j is the number of columns. The result
// is the high parts in this order, then the low parts. No value may be missing.
std::vector<double> cross_sums(const ShiftedColumns& columns, const RaggedList<std::int32_t>& partners,
                               std::span<const double> weights);

// The least and the largest number of each column, both NaN where a value is missing or infinite: all least, then all
// largest.
std::vector<double> column_ranges(std::span<const double> values, std::int64_t columns);

}  // namespace deciban
