// Tables of families: how often, or with what weight, each combination of states of a set of columns occurs. A row that
// has no value in one of a family's columns is not counted in its table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// Columns of codes one after the other, −1 where a value is missing, and how many states each has.
struct GappedCodes {
  std::span<const std::int32_t> codes;
  std::int64_t rows;
  std::span<const std::int64_t> sizes;
};

// Family i: the columns members[starts[i]] … members[starts[i + 1] − 1]; the last of them changes fastest.
struct Members {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> members;
};

// Whether each code is −1 or below its column's size. The functions below trust that.
bool are_gapped_codes(const GappedCodes& codes);

// Where each family's table begins in what `count_families` gives, and where the last one ends.
std::vector<std::int64_t> family_offsets(const GappedCodes& codes, const Members& families);

// The tables of all families, one after the other. A family is counted by one thread, so its sums have one order.
std::vector<std::int64_t> count_families(const GappedCodes& codes, const Members& families);
std::vector<double> count_families(const GappedCodes& codes, const Members& families, std::span<const double> weights);

}  // namespace deciban
