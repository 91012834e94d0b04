// Tables of codes and sets of their columns, as numpy hands them over.
#pragma once

#include <vector>

#include "bind/arrays.hpp"
#include "read/code_columns.hpp"

namespace deciban::bind {

using CodeTable = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The columns, after a check that no code is above its column's size; `widths` are the sizes with one more each.
CodeColumns code_columns(const CodeTable& codes, const std::vector<std::int64_t>& sizes,
                         const std::vector<std::int64_t>& widths);

// The sizes of columns, and how wide each is with one state more.
std::vector<std::int64_t> known_sizes(const Sizes& sizes);
std::vector<std::int64_t> widths_of(const std::vector<std::int64_t>& known);

// Sets of columns that exist, with fewer than 2^31 cells each.
void check_sets(const RaggedList<std::int32_t>& sets, const std::vector<std::int64_t>& widths, std::int64_t classes);

// Each slot is that of a category, or −1 less that of a number; the numbers are numbers × rows.
void check_slots(const Sizes& slots, const CodeColumns& codes, const Table& values);

}  // namespace deciban::bind
