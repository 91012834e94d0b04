// What two columns, one of them ordered, have in common in all strata: the generalized Cochran–Mantel–Haenszel test
// (Landis, Heyman and Koch 1978).
//
//     M² = tᵀ V⁻¹ t,    t = Σ (f − its mean),  V = Σ its covariance, given the margins of each stratum
//
// where f = Σ n·u·v sums a score u of x and v of y over the N rows of a stratum: of an ordered column the index of the
// state, of another one the indicators of its states. Of two ordered columns it has one degree of freedom,
//
//     t = Σ n (u − ū)(v − v̄),    V = Σ n (u − ū)² · Σ n (v − v̄)² / (N − 1)
//
// and is (N − 1)·r² in one stratum; of an ordered column and c states it has c − 1, and compares the mean scores of the
// states. Mean and variance are exact, so it needs no large strata, only many rows in all of them together.
#pragma once

#include <cstdint>
#include <vector>

#include "independence/contingency/contingency.hpp"

namespace deciban {

// Adds up strata one at a time.
template <class N>
class TrendSums {
 public:
  // At least one of x and y is ordered.
  void begin(const Shape& shape, bool is_x_ordered, bool is_y_ordered);
  void add(std::int64_t x, std::int64_t y, N count);
  void end_stratum();
  Trend finished();

  Trend of_table(const N* cells, const Shape& shape, bool is_x_ordered, bool is_y_ordered);
  // The same from the sorted cell numbers of a table too large to hold, and the weight of each.
  Trend of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts, const Shape& shape,
                 bool is_x_ordered, bool is_y_ordered);

  // Columns that are not ordered may have so many states: V has a row and a column for each.
  static constexpr std::int64_t most_states = 512;

 private:
  void end_pair();
  void end_states();

  bool are_both_ = false;
  bool is_x_scored_ = false;  // whether x has the score, and y is ordered, too, or has the indicators
  std::size_t states_ = 0;
  // Of the stratum: rows, Σ n u, Σ n u², and so of v.
  double rows_ = 0.0;
  double u_ = 0.0;
  double uu_ = 0.0;
  double v_ = 0.0;
  double vv_ = 0.0;
  double uv_ = 0.0;
  std::vector<double> rows_of_;   // of each state without an order
  std::vector<double> score_of_;  // Σ n u of its rows
  std::vector<std::size_t> occurring_;
  // Of all strata.
  double shift_ = 0.0;
  double variance_ = 0.0;
  std::vector<double> shifts_;
  std::vector<double> covariance_;  // states × states
};

}  // namespace deciban
