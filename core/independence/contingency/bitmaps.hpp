// Rows as bits: a column of few states is one bitmap a state, and a cell of a table is the number of rows that some
// bitmaps share. For small tables that is much cheaper than visiting the rows (Moore and Lee 1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "read/code_columns.hpp"
#include "run/pages.hpp"

namespace deciban {

// The bitmaps of every column with few states; a missing value is in none of them.
class Bitmaps {
 public:
  Bitmaps() = default;
  // A code that is not below its column's size is a missing value. Where the bitmaps would take more than `most` bytes,
  // no column has any.
  Bitmaps(const CodeColumns& codes, std::size_t most);

  std::int64_t words() const { return words_; }
  std::int64_t rows() const { return rows_; }
  bool has(std::int64_t column) const { return !starts_.empty() && starts_[static_cast<std::size_t>(column)] >= 0; }
  const std::uint64_t* of(std::int64_t column) const {
    return bits_.data() + starts_[static_cast<std::size_t>(column)];
  }

 private:
  std::int64_t rows_ = 0;
  std::int64_t words_ = 0;
  std::vector<std::int64_t> starts_;  // −1: too many states
  Pages<std::uint64_t> bits_;
};

// Disjoint bitmaps, empty ones left out, and how many rows each has.
struct Parts {
  Pages<std::uint64_t> bits;
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> owner;  // which bitmap of the whole each is a part of
  std::vector<std::int32_t> state;

  std::int64_t count() const { return static_cast<std::int64_t>(rows.size()); }
};

// All rows, as one part.
void whole(const Bitmaps& data, Parts& out);
// Each part split by the states of a column.
void split(const Bitmaps& data, const Parts& from, std::int64_t column, std::int64_t states, Parts& out);
// Adds to a table of owners × width × states how many rows of each part have each state of a column. The parts were
// split by `width` states. `is_known`: no value of the column is missing.
void count(const Bitmaps& data, const Parts& parts, std::int64_t width, std::int64_t column, std::int64_t states,
           bool is_known, std::uint32_t* table);

// The number of cells up to which bitmaps are faster on this processor.
std::int64_t cells_worth_bitmaps();

}  // namespace deciban
