// Fisher's z from a matrix of correlations.
#pragma once

#include <cstdint>
#include <span>

#include "independence/skeleton.hpp"
#include "independence/test.hpp"
#include "run/interrupt.hpp"

namespace deciban {

// A column of which less variance is left is a linear function of the columns swept out; all had the variance 1.
inline constexpr double least_variance = 1e-10;

// 0 everywhere in the row of a constant column.
struct Correlations {
  std::span<const double> values;
  std::int64_t columns;
  double rows;

  const double* row(std::int64_t i) const { return values.data() + i * columns; }
  double at(std::int64_t i, std::int64_t j) const { return row(i)[j]; }
  bool varies(std::int64_t i) const { return at(i, i) > 0.0; }
};

// What a set of `given` columns leaves of the covariance of x and y, and of their variances.
struct Residuals {
  double xy, xx, yy;
  bool x_varies, y_varies;  // without the set
};
Outcome fisher_z(const Residuals& left, double rows, std::int64_t given);

// test_level (skeleton.hpp) by formulas for many pairs at a time; the results are those of one test after the other.
LevelResult gaussian_level(const Correlations& data, const TestRules& rules, const Marks& open, const Marks& pool,
                           std::int64_t size, bool all, Interrupt& interrupt);

}  // namespace deciban
