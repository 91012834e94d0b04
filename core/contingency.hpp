// The statistic of a stratified table of counts:
//
//     G² = 2 Σ n log(n · n₊₊ / (n_x n_y))        χ² = Σ (n − e)² / e,  e = n_x n_y / n₊₊
//
// summed over the strata that have rows. Both follow from sums of n log n, or of n² / (n_x n_y), and margins.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "citest.hpp"

namespace deciban {

// n log n, from a table where n is a small whole number.
class Entropy {
 public:
  explicit Entropy(std::int64_t rows);

  double operator()(double n) const { return n > 0.0 ? n * std::log(n) : 0.0; }
  double operator()(std::uint32_t n) const {
    return n < known_.size() ? known_[n] : static_cast<double>(n) * std::log(static_cast<double>(n));
  }

 private:
  std::vector<double> known_;
};

// The shape of a table: strata × (rows + missing) × (columns + missing).
struct Shape {
  std::int64_t strata;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t row_stride;
  std::int64_t stratum_stride;
};

// Adds up strata one at a time.
template <class N>
class Contingency {
 public:
  Contingency(const Entropy& entropy, Measure measure) : entropy_(entropy), measure_(measure) {}

  // df comes out for active rows and columns.
  Outcome of_table(const N* cells, const Shape& shape);
  // The same from the sorted cell numbers of a table too large to hold, and the weight of each.
  Outcome of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts, const Shape& shape);

 private:
  void begin(const Shape& shape);
  void add_stratum(const N* cells, const Shape& shape, Outcome& sum);
  double chi(const N* cells, const Shape& shape, double whole) const;

  const Entropy& entropy_;
  Measure measure_;
  std::vector<N> by_row_;
  std::vector<N> by_col_;
};

}  // namespace deciban
