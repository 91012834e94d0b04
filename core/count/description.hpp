// Cuts of a numeric column by minimum description length (Fayyad and Irani, 1993).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// x·log₂ x; from a table where all numbers are whole and not too large.
class XLog2 {
 public:
  // Fills the table up to `largest`.
  void reserve(double largest);

  double operator()(double x) const {
    if (x < end_) return table_[static_cast<std::size_t>(x)];
    return x > 0.0 ? x * std::log2(x) : 0.0;
  }
  // The table of the whole numbers below `end`.
  const double* table() const { return table_.data(); }
  double end() const { return end_; }

 private:
  std::vector<double> table_;
  double end_ = 0.0;
};

// Splits ranges of values in two. `below` are the sums of the counts below each value and of all: (values + 1) ×
// classes. Of splits whose costs differ by less than `tie` the first is best.
class DescriptionSplitter {
 public:
  DescriptionSplitter(std::size_t classes, double tie) : classes_(classes), tie_(tie) {}

  // The last value of the left half of [first, last); `last` where no split is worth its cost.
  std::size_t split(std::span<const double> below, std::size_t first, std::size_t last);
  // The same, where the best of all splits is known to be among some of them, ascending.
  std::size_t split_among(std::span<const double> below, std::size_t first, std::size_t last,
                          std::span<const std::size_t> splits);
  // Right after `split` gave `best`: the splits among which that of the range remains while `rows` rows are added.
  std::vector<std::size_t> watch(std::span<const double> below, std::size_t first, std::size_t last, std::size_t best,
                                 std::size_t rows) const;

  // Keeps a table of logarithms for whole counts up to `largest`.
  void expect_whole(double largest) { x_log2_.reserve(largest); }

 private:
  std::size_t cheapest(std::span<const double> below, std::size_t first, std::size_t last, const std::size_t* splits,
                       std::size_t count);
  bool pays(std::span<const double> below, std::size_t first, std::size_t end, std::size_t last) const;

  std::size_t classes_;
  double tie_;
  XLog2 x_log2_;
  std::vector<double> costs_;  // of the splits that were compared last
};

// The last value of each bin but the last, ascending. counts: values × classes, the values ascending.
std::vector<std::int64_t> description_cuts(std::span<const double> counts, std::int64_t classes, double tie);

}  // namespace deciban
