// Weight, mean and sum of squared deviations of each column within each class, in one pass.
//
// Within a block of rows the sums run over x − s, with s the class's first value in the block. As s is one
// of the values, Σ(x − s)² ≤ n·Σ(x − mean)²: the subtraction at the block's end loses at most a factor n, the
// rows of a block, of the precision. Blocks are joined by the formula of Chan, Golub and LeVeque (1979).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fault.hpp"
#include "matrix.hpp"

namespace deciban {

// Class by class, column by column; `weight` has one entry a class, or one a cell when values are missing.
struct Moments {
  std::vector<double> weight, mean, deviation;
  Fault fault;
};

Moments class_moments(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                      std::span<const double> weights, bool missing_allowed);

}  // namespace deciban
