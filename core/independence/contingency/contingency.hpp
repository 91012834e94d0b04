// The statistic of a stratified table of counts:
//
//     G² = 2 Σ n log(n · n₊₊ / (n_x n_y))        χ² = Σ (n − e)² / e,  e = n_x n_y / n₊₊
//
// summed over the strata that have rows. Both follow from sums of n log n, or of n² / (n_x n_y), and margins.
//
// Both follow the χ² distribution only where no expected count is small (Cochran 1954: 5). In other strata G² has
// another mean, and where there are many of them its p-value is wrong. There Pearson's χ² is used instead, whose mean
// and variance given the margins are known exactly (Haldane 1940; Dawson 1954): with N rows, r and c states that occur,
//
//     mean = (r − 1)(c − 1) N / (N − 1)
//     variance = 2N/(N − 3) · (v_x − w_x)(v_y − w_y) + N²/(N − 1) · w_x w_y
//     v_x = (r − 1)(N − r)/(N − 1),  w_x = (Σ N/n_x − r²)/(N − 2),  and so for y.
//
// Means and variances of strata add up, and p is the tail of the scaled χ² distribution that has both.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "independence/test.hpp"

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

// A part of χ² with degrees of freedom of its own: see trend.hpp.
struct Trend {
  double statistic = 0.0;
  double df = 0.0;
};

// Adds up strata one at a time.
template <class N>
class Contingency {
 public:
  Contingency(const Entropy& entropy, const CountRules& rules) : entropy_(entropy), rules_(rules) {}

  // df is that of the rows and columns that occur.
  Outcome of_table(const N* cells, const Shape& shape);
  // The same from the sorted cell numbers of a table too large to hold, and the weight of each.
  Outcome of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts, const Shape& shape);
  // What is left of the last χ² without a part of it, and its p. Where x and y are independent, the two are, too.
  Outcome rest(const Trend& part) const;

 private:
  // One cell of a stratum, and the indices of its row and column among the totals.
  struct Cell {
    std::size_t row;
    std::size_t col;
    N count;
  };
  // The totals of one side: their sum, how many states occur, and Σ n log n.
  struct Side {
    N total{0};
    int states = 0;
    double entropy = 0.0;
  };
  // A stratum's part of the statistic, its rows, and the numbers of states that occur in it.
  struct Part {
    double statistic = 0.0;
    double whole = 0.0;
    double x_states = 1.0;
    double y_states = 1.0;
    double df() const { return (x_states - 1.0) * (y_states - 1.0); }
  };
  struct Squares {
    double cells = 0.0;  // Σ n² / (n_x n_y)
    double x = 0.0;      // Σ 1 / n_x
    double y = 0.0;
  };
  using Totals = std::span<const N>;

  void begin();
  Part add_table(const N* cells, const Shape& shape, std::span<N> by_row, std::span<N> by_col);
  void add_cells(const std::vector<Cell>& cells);
  Squares squares(const N* cells, const Shape& shape, Totals by_row, Totals by_col);
  Squares squares(const std::vector<Cell>& cells) const;
  // Adds a stratum. `inside` is Σ n log n of the cells.
  template <class F>
  Part add_stratum(double inside, const Side& x, const Side& y, F&& squares);
  // Adds the same stratum to the statistic that is corrected for small counts.
  template <class F>
  void correct_stratum(const Part& part, Totals by_row, Totals by_col, F&& squares);
  void add(N total, Side& side) const;
  Side side(Totals totals) const;
  static double least(Totals totals);
  void expect(const Part& part, const Squares& squares);
  bool is_harmless(double small_df) const;
  Outcome finished() const;

  const Entropy& entropy_;
  CountRules rules_;
  std::vector<N> margins_;       // of each stratum of a table: totals of rows, then of columns
  std::vector<Part> parts_;      // of each stratum of a table
  std::vector<double> inverse_;  // scratch for the totals of columns
  std::vector<N> by_row_;        // of a stratum of single cells
  std::vector<N> by_col_;
  Outcome sum_{};
  // With χ² in strata with small expected counts: the statistic, its mean and its variance.
  double tested_ = 0.0;
  double mean_ = 0.0;
  double variance_ = 0.0;
  double small_df_ = 0.0;  // the degrees of freedom of these strata
};

}  // namespace deciban
