// Margins of counted rows, each as if it had not been counted: log P(value | other class) − log P(value | own class).
//
// A row's own counts are in its own class alone, so all other classes keep their estimates: a row costs one logarithm,
// and one look-up for each other class. Infinite margins are cut off at `furthest`, and equal infinities have the
// margin 0.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

inline constexpr double furthest = 700.0;  // e^700 is close to the largest double

inline constexpr std::int64_t margin_rows = 32;

constexpr std::int64_t margin_blocks(std::int64_t rows) {
  return (rows + margin_rows - 1) / margin_rows;
}

// Blocks of `margin_rows` rows, each others × columns × rows, so that the loss reads them in order. Entry o is the o-th
// of the classes without a row's own. Beyond the last row there are zeros.
struct Margins {
  float* data;
  std::int64_t classes, columns;

  // The first row of a block.
  float* at(std::int64_t block, std::int64_t other, std::int64_t column) const {
    return data + ((block * (classes - 1) + other) * columns + column) * margin_rows;
  }
};

// The class of each row, and the weight that it has in its counts.
struct LeftOut {
  std::span<const std::int32_t> y;
  std::span<const double> own;
};

// Rows × classes log-probabilities that are already without each row's own counts.
void add_log_margins(std::span<const double> logs, const LeftOut& rows, std::int64_t column, const Margins& out);

// A column of states: P(v | j) = (n_jv + a_v) / (n_j + A). `counts` are classes × states; a code of −1 is missing.
struct CountedColumn {
  std::span<const std::int32_t> codes;
  std::span<const double> counts, pseudo;
  double added;  // A, the sum of the pseudo-counts of all states
  // A for a state that no other row has, and which is unknown without the row: it is then a state that was counted 0
  // times. Negative where such a state is no evidence; not a number where the states are given, as bins are.
  double added_alone;
};
void add_count_margins(const CountedColumn& x, const LeftOut& rows, std::int64_t column, const Margins& out);

// A normal column, with variances (M_j + k·W) / (n_j + k): M are sums of squared deviations, W = Σ M / Σ n. An infinite
// strength k ties the variances of the classes. `mean` and `variance` are the estimates from all rows, and `middle` the
// mean of the column.
struct NormalColumn {
  std::span<const double> x, weight, deviation, mean, variance;
  double strength, middle, least_variance;
};
void add_normal_margins(const NormalColumn& x, const LeftOut& rows, std::int64_t column, const Margins& out);

}  // namespace deciban
