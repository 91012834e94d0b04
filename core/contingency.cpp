#include "contingency.hpp"

#include <algorithm>
#include <limits>

#include "chisquare.hpp"

namespace deciban {
namespace {

constexpr double small_count = 5.0;   // Cochran (1954)
constexpr double rows_enough = 15.0;  // for each degree of freedom
constexpr double excess = 1.0 / 7;    // of G² over its df in strata with small counts, roughly
constexpr std::uint32_t unplaced = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Entropy::Entropy(std::int64_t rows) {
  constexpr std::int64_t most = 1 << 16;
  known_.resize(static_cast<std::size_t>(std::min(rows + 1, most)));
  for (std::size_t n = 1; n < known_.size(); ++n) known_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
}

template <class N>
void Contingency<N>::begin() {
  sum_ = {0.0, 0.0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  tested_ = mean_ = variance_ = 0.0;
  small_df_ = 0.0;
}

// Whether G² may be read as if no count were small: there are rows enough, and what small counts add to it is less than
// two standard deviations.
template <class N>
bool Contingency<N>::is_harmless() const {
  if (small_df_ <= 0.0) return true;
  return sum_.rows >= rows_enough * sum_.df && excess * small_df_ <= 2.0 * std::sqrt(2.0 * sum_.df);
}

// What rounding leaves below 0 is 0. Where the margins of every stratum allow one value of χ² only, nothing was tested.
template <class N>
Outcome Contingency<N>::finished() const {
  Outcome out = sum_;
  out.statistic = std::max(out.statistic, 0.0);
  if (is_harmless()) return out;
  if (variance_ <= 1e-9 * mean_) return {out.statistic, 0.0, out.rows, 1.0};
  const double scale = 2.0 * mean_ / variance_;
  out.p = chi_square_tail(scale * std::max(tested_, 0.0), scale * mean_);
  return out;
}

template <class N>
auto Contingency<N>::side(const std::vector<N>& totals) const -> Side {
  int states = 0;
  N least = std::numeric_limits<N>::max();
  double entropy = 0.0;
  for (const N total : totals) {
    if (!(total > 0)) continue;
    ++states;
    least = std::min(least, total);
    entropy += entropy_(total);
  }
  return {static_cast<double>(states), static_cast<double>(least), entropy};
}

// w of the variance: how unequal the totals are.
template <class N>
double Contingency<N>::spread(const std::vector<N>& totals, double states, double whole) const {
  double sum = 0.0;
  for (const N total : totals) {
    if (total > 0) sum += whole / static_cast<double>(total);
  }
  return std::max(sum - states * states, 0.0) / (whole - 2.0);
}

// Adds the mean and the variance of χ² given the margins. Weights may leave fractions of rows, for which the formula is
// not made: what no table can have is cut off.
template <class N>
void Contingency<N>::expect(const Side& x, const Side& y, double whole) {
  const double most = whole * (std::min(x.states, y.states) - 1.0);
  if (whole <= 1.0) return;
  const double mean = std::min((x.states - 1.0) * (y.states - 1.0) * whole / (whole - 1.0), most);
  mean_ += mean;
  if (whole <= 2.0) return;
  const auto level = [whole](const Side& s) { return (s.states - 1.0) * (whole - s.states) / (whole - 1.0); };
  const double wx = spread(by_row_, x.states, whole);
  const double wy = spread(by_col_, y.states, whole);
  double variance = whole * whole / (whole - 1.0) * wx * wy;
  if (whole > 3.0) {
    variance += 2.0 * whole / (whole - 3.0) * std::max(level(x) - wx, 0.0) * std::max(level(y) - wy, 0.0);
  }
  variance_ += std::clamp(variance, 0.0, most * most / 4.0);
}

template <class N>
template <class F>
void Contingency<N>::add_stratum(double inside, F&& squares) {
  N total{0};
  for (const N n : by_row_) total += n;
  if (!(total > 0)) return;
  const Side x = side(by_row_);
  const Side y = side(by_col_);
  const auto whole = static_cast<double>(total);
  const double df = (x.states - 1.0) * (y.states - 1.0);
  const bool is_chi = rules_.measure == Measure::chi_squared;
  const bool is_small = rules_.tail == Tail::corrected && df > 0.0 && x.least * y.least < small_count * whole;
  const double chi = is_chi || is_small ? whole * (squares() - 1.0) : 0.0;
  const double statistic = is_chi ? chi : 2 * ((inside - x.entropy) - (y.entropy - entropy_(total)));
  sum_.rows += whole;
  sum_.df += df;
  sum_.statistic += statistic;
  if (is_small) {
    small_df_ += df;
    tested_ += chi;
    expect(x, y, whole);
  } else {
    tested_ += statistic;
    mean_ += df;
    variance_ += 2.0 * df;
  }
}

template <class N>
void Contingency<N>::add_table(const N* cells, const Shape& shape) {
  std::ranges::fill(by_col_, N{0});
  double inside = 0.0;
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
  }
  add_stratum(inside, [&] {
    double sum = 0.0;
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      const auto total = static_cast<double>(by_row_[static_cast<std::size_t>(i)]);
      for (std::int64_t j = 0; total > 0 && j < shape.cols; ++j) {
        const auto n = static_cast<double>(cells[i * shape.row_stride + j]);
        if (n > 0) sum += n / total * n / static_cast<double>(by_col_[static_cast<std::size_t>(j)]);
      }
    }
    return sum;
  });
}

template <class N>
void Contingency<N>::add_cells(const std::vector<Cell>& cells) {
  double inside = 0.0;
  for (const Cell& cell : cells) {
    inside += entropy_(cell.count);
    by_row_[cell.row] += cell.count;
    by_col_[cell.col] += cell.count;
  }
  add_stratum(inside, [&] {
    double sum = 0.0;
    for (const Cell& cell : cells) {
      const auto n = static_cast<double>(cell.count);
      if (n > 0) sum += n / static_cast<double>(by_row_[cell.row]) * n / static_cast<double>(by_col_[cell.col]);
    }
    return sum;
  });
}

template <class N>
Outcome Contingency<N>::of_table(const N* cells, const Shape& shape) {
  begin();
  by_row_.assign(static_cast<std::size_t>(shape.rows), N{0});
  by_col_.assign(static_cast<std::size_t>(shape.cols), N{0});
  for (std::int64_t s = 0; s < shape.strata; ++s) add_table(cells + s * shape.stratum_stride, shape);
  return finished();
}

// Rows and columns are numbered as they come within a stratum: what does not occur takes no memory.
template <class N>
Outcome Contingency<N>::of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts,
                                 const Shape& shape) {
  begin();
  const auto stride = static_cast<std::uint64_t>(shape.stratum_stride);
  const auto width = static_cast<std::uint64_t>(shape.row_stride);
  std::vector<Cell> found;
  std::vector<std::uint32_t> place(static_cast<std::size_t>(shape.cols), unplaced);
  std::vector<std::size_t> placed;
  for (std::size_t i = 0; i < cells.size();) {
    const std::uint64_t stratum = cells[i] / stride;
    if (stratum >= static_cast<std::uint64_t>(shape.strata)) break;  // rows with a missing value come last
    found.clear();
    by_row_.clear();
    std::uint64_t last_row = stride;
    for (std::uint64_t last = 0; i < cells.size() && cells[i] / stride == stratum; last = cells[i++]) {
      const std::uint64_t row = cells[i] % stride / width;
      const auto col = static_cast<std::size_t>(cells[i] % width);
      if (row >= static_cast<std::uint64_t>(shape.rows) || col >= place.size()) continue;
      if (!found.empty() && cells[i] == last) {
        found.back().count += counts[i];
        continue;
      }
      if (row != last_row) by_row_.push_back(N{0});
      last_row = row;
      if (place[col] == unplaced) {
        place[col] = static_cast<std::uint32_t>(placed.size());
        placed.push_back(col);
      }
      found.push_back({by_row_.size() - 1, place[col], counts[i]});
    }
    by_col_.assign(placed.size(), N{0});
    add_cells(found);
    for (const std::size_t col : placed) place[col] = unplaced;
    placed.clear();
  }
  return finished();
}

template class Contingency<std::uint32_t>;
template class Contingency<double>;

}  // namespace deciban
