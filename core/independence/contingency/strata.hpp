// The strata of a set of conditioning columns: one code a row, in the order of codes; where there are many, only strata
// with rows are numbered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

struct Strata {
  std::vector<std::uint32_t> codes;  // below count, or count itself: a row with a missing value
  std::int64_t count = 1;
  bool has_dropped = false;  // some row has a missing value
};

// Splits each stratum of `from` by one more column, whose code `size` is a missing value.
// Empty strata are left out where there may be too many for a table.
void split(const Strata& from, std::span<const std::uint16_t> column, std::int64_t size, bool has_missing, Strata& to,
           std::vector<std::uint32_t>& scratch);

}  // namespace deciban
