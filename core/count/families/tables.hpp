// Tables of families: how often, or with what weight, each combination of states of a set of columns occurs. Rows with
// a missing value in one of a family's columns are not counted in its table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/ragged_list.hpp"

namespace deciban {

// Columns of codes one after the other, −1 where a value is missing, and how many states each has.
struct CodesWithMissing {
  std::span<const std::int32_t> codes;
  std::int64_t rows;
  std::span<const std::int64_t> sizes;
};

// Whether each code is −1 or below its column's size. The functions below do not check this again.
bool are_states_or_missing(const CodesWithMissing& codes);

// A family is a list of columns; the last of them changes fastest.

// The cell of each of some rows in the table of a family; −1 where a code is missing.
void find_cells(const CodesWithMissing& codes, std::span<const std::int32_t> family, std::int64_t begin,
                std::int64_t count, std::int64_t* out);

// Where each family's table begins in the result of `count_families`, and where the last one ends.
std::vector<std::int64_t> family_offsets(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families);

// The tables of all families, one after the other. A family is counted by one thread, so its sums have one order.
std::vector<std::int64_t> count_families(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families);
std::vector<double> count_families(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families,
                                   std::span<const double> weights);

}  // namespace deciban
