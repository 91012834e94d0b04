// Sums of products of columns in each group of rows, around given shifts, in double-double. A group is a combination of
// the states of some columns of codes: in a net of categories and numbers, a configuration of the categorical parents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/families/tables.hpp"
#include "count/moments/cross.hpp"
#include "read/ragged_list.hpp"

namespace deciban {

// Family f: the columns numbers[f], in the groups of rows that the columns of codes groups[f] make, the last one's
// states fastest.
struct GroupedFamilies {
  RaggedList<std::int32_t> numbers;
  RaggedList<std::int32_t> groups;
};

// How many sums a group of n columns has: Σw, each Σ w·d_i, each Σ w·d_i·d_j with j ≤ i; padded to whole vectors.
std::int64_t sums_of_group(std::int64_t columns);

// For each family and group the high parts of these sums, then the low parts. A row counts where all of its numbers and
// codes are known.
std::vector<double> grouped_cross_sums(const ShiftedColumns& numbers, const CodesWithMissing& codes,
                                       const GroupedFamilies& families, std::span<const double> weights);

}  // namespace deciban
