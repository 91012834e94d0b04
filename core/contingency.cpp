#include "contingency.hpp"

#include <algorithm>
#include <limits>

namespace deciban {
namespace {

constexpr Outcome none{0.0, 0.0, 0.0, std::numeric_limits<double>::quiet_NaN()};

// What rounding leaves below 0 is 0.
Outcome finished(Outcome sum) {
  sum.statistic = std::max(sum.statistic, 0.0);
  return sum;
}

}  // namespace

Entropy::Entropy(std::int64_t rows) {
  constexpr std::int64_t most = 1 << 16;
  known_.resize(static_cast<std::size_t>(std::min(rows + 1, most)));
  for (std::size_t n = 1; n < known_.size(); ++n) known_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
}

template <class N>
void Contingency<N>::begin(const Shape& shape) {
  by_row_.assign(static_cast<std::size_t>(shape.rows), N{0});
  by_col_.assign(static_cast<std::size_t>(shape.cols), N{0});
}

template <class N>
double Contingency<N>::chi(const N* cells, const Shape& shape, double whole) const {
  double sum = 0.0;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const auto row = static_cast<double>(by_row_[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; row > 0 && j < shape.cols; ++j) {
      const auto n = static_cast<double>(cells[i * shape.row_stride + j]);
      if (n > 0) sum += n / row * n / static_cast<double>(by_col_[static_cast<std::size_t>(j)]);
    }
  }
  return whole * (sum - 1.0);
}

template <class N>
void Contingency<N>::add_stratum(const N* cells, const Shape& shape, Outcome& sum) {
  std::ranges::fill(by_col_, N{0});
  double inside = 0.0;
  double rows = 0.0;
  int active_rows = 0;
  N whole{0};
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const N* row = cells + i * shape.row_stride;
    N total{0};
    for (std::int64_t j = 0; j < shape.cols; ++j) {
      const N n = row[j];
      total += n;
      by_col_[static_cast<std::size_t>(j)] += n;
      inside += entropy_(n);
    }
    by_row_[static_cast<std::size_t>(i)] = total;
    active_rows += total > 0;
    rows += entropy_(total);
    whole += total;
  }
  if (!(whole > 0)) return;
  double cols = 0.0;
  int active_cols = 0;
  for (const N total : by_col_) {
    active_cols += total > 0;
    cols += entropy_(total);
  }
  sum.rows += static_cast<double>(whole);
  sum.df += static_cast<double>(active_rows - 1) * static_cast<double>(active_cols - 1);
  sum.statistic += measure_ == Measure::g_squared ? 2 * ((inside - rows) - (cols - entropy_(whole)))
                                                  : chi(cells, shape, static_cast<double>(whole));
}

template <class N>
Outcome Contingency<N>::of_table(const N* cells, const Shape& shape) {
  begin(shape);
  Outcome sum = none;
  for (std::int64_t s = 0; s < shape.strata; ++s) add_stratum(cells + s * shape.stratum_stride, shape, sum);
  return finished(sum);
}

template <class N>
Outcome Contingency<N>::of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts,
                                 const Shape& shape) {
  Outcome sum = none;
  std::vector<N> table(static_cast<std::size_t>(shape.stratum_stride), N{0});
  begin(shape);
  const auto stride = static_cast<std::uint64_t>(shape.stratum_stride);
  for (std::size_t i = 0; i < cells.size();) {
    const std::uint64_t stratum = cells[i] / stride;
    const std::size_t first = i;
    for (; i < cells.size() && cells[i] / stride == stratum; ++i) table[cells[i] % stride] += counts[i];
    if (stratum < static_cast<std::uint64_t>(shape.strata)) add_stratum(table.data(), shape, sum);
    for (std::size_t k = first; k < i; ++k) table[cells[k] % stride] = N{0};
  }
  return finished(sum);
}

template class Contingency<std::uint32_t>;
template class Contingency<double>;

}  // namespace deciban
