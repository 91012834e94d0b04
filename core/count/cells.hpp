// Counts the cells of a table over some columns: rows are read a block at a time, the index of each row's cell is
// computed column by column, and the cells are counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "read/code_columns.hpp"

namespace deciban {

// Small tables are kept several times and rows go to each copy in turn, so that equal rows next to each other do not
// wait for one another's addition.
inline constexpr std::size_t copies_of_small = 4;

// index[i] += stride · code of row begin + i, for `count` rows of a column.
void add_to_index(const CodeColumns& codes, std::int32_t column, std::int64_t begin, std::int64_t count,
                  std::uint32_t stride, std::uint32_t* index);

// ++table[index[i]]; row i goes to the copy i % copies_of_small, `apart` cells further on each (0: no copies).
inline void add_rows(std::span<const std::uint32_t> index, const double* /*weights*/, std::size_t apart,
                     std::uint32_t* table) {
  std::size_t i = 0;
  for (; i + copies_of_small <= index.size(); i += copies_of_small) {
    for (std::size_t copy = 0; copy < copies_of_small; ++copy) ++table[apart * copy + index[i + copy]];
  }
  for (; i < index.size(); ++i) ++table[index[i]];
}
// table[index[i]] += weights[i], in the order of the rows.
inline void add_rows(std::span<const std::uint32_t> index, const double* weights, std::size_t /*apart*/,
                     double* table) {
  for (std::size_t i = 0; i < index.size(); ++i) table[index[i]] += weights[i];
}

// Counts `rows` rows into a table of `cells` cells. find_index(begin, count, index) writes the cell of each row of a
// block. `small`: up to how many cells copies are kept. N: u32 where rows count 1, double where they have weights.
template <class N, class F>
void count_cells(std::int64_t rows, std::span<const double> weights, std::size_t cells, std::size_t small,
                 std::vector<N>& table, F&& find_index) {
  constexpr std::int64_t block = 2048;
  const std::size_t copies = weights.empty() && cells <= small ? copies_of_small : 1;
  table.assign(cells * copies, N{0});
  std::array<std::uint32_t, block> index;
  for (std::int64_t begin = 0; begin < rows; begin += block) {
    const std::int64_t count = std::min(block, rows - begin);
    find_index(begin, count, index.data());
    add_rows(std::span(index).first(static_cast<std::size_t>(count)),
             weights.empty() ? nullptr : &weights[static_cast<std::size_t>(begin)], copies > 1 ? cells : 0,
             table.data());
  }
  for (std::size_t copy = 1; copy < copies; ++copy) {
    for (std::size_t cell = 0; cell < cells; ++cell) table[cell] += table[copy * cells + cell];
  }
  table.resize(cells);
}

}  // namespace deciban
