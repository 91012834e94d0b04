// The strata of a set of conditioning columns: one code a row, in the order of codes; where there are many, only strata
// with rows are numbered.
#pragma once

#include <cstdint>
#include <vector>

#include "read/code_columns.hpp"

namespace deciban {

struct Strata {
  std::vector<std::uint32_t> codes;  // below count, or count itself: a row with a missing value
  std::int64_t count = 1;
  bool has_dropped = false;  // some row has a missing value
};

// Splits each stratum of `from` by one more column; a code that is not below its size is a missing value.
// Empty strata are left out where there may be too many for a table.
void split(const Strata& from, const CodeColumns& codes, std::int32_t column, bool has_missing, Strata& to,
           std::vector<std::uint32_t>& scratch);

}  // namespace deciban
