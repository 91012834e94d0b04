// Sums of rows within classes, for `moments`: the rows of a class are buffered, and a few of them are added together,
// column by column, so that the sums of a column are read and written once for all of these rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace deciban {

inline constexpr std::size_t most_buffered = 8;

// Sums of one class within a block; high and low parts are added up separately and combined from time to time.
struct ClassSums {
  double weight = 0.0;
  double weight_low = 0.0;
  bool has_shift = false;  // chosen at the first row of the class in a stripe, and kept
  double* shift = nullptr;
  double* first = nullptr;
  double* first_low = nullptr;
  double* second = nullptr;
  double* second_low = nullptr;
  std::size_t buffered = 0;
  std::size_t added = 0;  // rows since high and low parts were joined
  std::array<std::int64_t, most_buffered> starts{};
  std::array<double, most_buffered> weights{};
};

struct Rows {
  const std::int32_t* y;
  const double* weights;  // null when all are 1
  std::int64_t count, cols, stride;
};

// Adds all of the rows; none is left in the buffer. Where `exact`, x − s is taken with its rounding error; without, it
// must have none.
void add_rows(const double* data, const Rows& rows, std::vector<ClassSums>& sums, bool exact);
void add_rows(const float* data, const Rows& rows, std::vector<ClassSums>& sums, bool exact);

}  // namespace deciban
