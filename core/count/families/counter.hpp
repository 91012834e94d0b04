// Counts the cells of a set of code columns: in a dense table where it has few cells for the number of rows,
// else only the cells that occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/code_columns.hpp"

namespace deciban {

// N: u32 for rows that count once, double for rows with weights.
template <class N>
class FamilyCounter {
 public:
  explicit FamilyCounter(const CodeColumns& codes) : codes_(codes) {}

  // Counts the cells of the columns, the first of which changes fastest. True when the table is dense.
  bool count(std::span<const std::int32_t> columns);

  // Dense: a count for each cell in order. Sparse: the positive counts, smallest first.
  std::span<const N> cells() const { return cells_; }

  // Sparse only: the positive counts of the cells of all columns but the first, smallest first.
  std::span<const N> strata() const { return strata_; }

 private:
  void count_dense(std::span<const std::int32_t> columns, std::size_t cells);
  void count_sparse(std::span<const std::int32_t> columns);

  CodeColumns codes_;
  std::vector<N> cells_, strata_;
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint64_t> keys_, slots_;
  std::vector<std::uint32_t> slot_ranks_;

  void add_column(std::int32_t column);
  std::uint32_t rank_keys();
  void count_ranks(std::uint32_t distinct, std::vector<N>& out) const;
};

}  // namespace deciban
