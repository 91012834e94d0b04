#include "independence/contingency/contingency.hpp"

#include <algorithm>
#include <limits>

#include "independence/chi_square.hpp"

namespace deciban {
namespace {

constexpr double small_count = 5.0;   // Cochran (1954)
constexpr double rows_enough = 15.0;  // for each degree of freedom
constexpr double excess = 1.0 / 7;    // of G² over its df in strata with small counts, roughly
constexpr double least_inverted = std::numeric_limits<double>::min();  // smaller numbers have no finite inverse
constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

double inverse(double n) {
  return n >= least_inverted ? 1.0 / n : 0.0;
}

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

// Whether small counts, in strata with this many degrees of freedom in total, can be ignored: there are enough rows,
// and their expected contribution to G² is less than two standard deviations.
template <class N>
bool Contingency<N>::is_harmless(double small_df) const {
  if (small_df <= 0.0) return true;
  return sum_.rows >= rows_enough * sum_.df && excess * small_df <= 2.0 * std::sqrt(2.0 * sum_.df);
}

// A value below 0 by rounding becomes 0. Where the margins of every stratum allow only one value of χ², there is no
// test.
template <class N>
Outcome Contingency<N>::finished() const {
  Outcome out = sum_;
  out.statistic = std::max(out.statistic, 0.0);
  if (is_harmless(small_df_)) return out;
  if (variance_ <= 1e-9 * mean_) return {out.statistic, 0.0, out.rows, 1.0};
  const double scale = 2.0 * mean_ / variance_;
  out.p = chi_square_tail(scale * std::max(tested_, 0.0), scale * mean_);
  return out;
}

// The mean of the part is its df; its variance, and that it is independent of the rest, hold in large samples.
template <class N>
Outcome Contingency<N>::rest(const Trend& part) const {
  Outcome out{std::max(sum_.statistic - part.statistic, 0.0), sum_.df - part.df, sum_.rows, 1.0};
  const bool is_exact = !is_harmless(small_df_);
  const double mean = is_exact ? mean_ - part.df : out.df;
  const double variance = is_exact ? variance_ - 2.0 * part.df : 2.0 * out.df;
  if (out.df <= 0.0 || mean <= 0.0 || variance <= 1e-9 * mean) return {0.0, 0.0, sum_.rows, 1.0};
  const double scale = 2.0 * mean / variance;
  out.p = chi_square_tail(scale * out.statistic, scale * mean);
  return out;
}

template <class N>
void Contingency<N>::add(N total, Side& side) const {
  side.total += total;
  side.states += total > 0;
  side.entropy += entropy_(total);
}

template <class N>
auto Contingency<N>::side(Totals totals) const -> Side {
  Side out;
  for (const N total : totals) add(total, out);
  return out;
}

// The least total of a state that occurs.
template <class N>
double Contingency<N>::least(Totals totals) {
  N least = std::numeric_limits<N>::max();
  for (const N total : totals) least = total > 0 && total < least ? total : least;
  return static_cast<double>(least);
}

// Adds the mean and the variance of χ² given the margins. With weights the number of rows may be a fraction, for
// which the formulas do not hold: values that no table can have are clipped.
template <class N>
void Contingency<N>::expect(const Part& part, const Squares& squares) {
  const double whole = part.whole;
  const double most = whole * (std::min(part.x_states, part.y_states) - 1.0);
  if (whole <= 1.0) return;
  mean_ += std::min(part.df() * whole / (whole - 1.0), most);
  if (whole <= 2.0) return;
  const auto level = [whole](double states) { return (states - 1.0) * (whole - states) / (whole - 1.0); };
  const auto spread = [whole](double states, double inverse) {
    return std::max(whole * inverse - states * states, 0.0) / (whole - 2.0);
  };
  const double wx = spread(part.x_states, squares.x);
  const double wy = spread(part.y_states, squares.y);
  double variance = whole * whole / (whole - 1.0) * wx * wy;
  if (whole > 3.0) {
    variance += 2.0 * whole / (whole - 3.0) * std::max(level(part.x_states) - wx, 0.0) *
                std::max(level(part.y_states) - wy, 0.0);
  }
  variance_ += std::clamp(variance, 0.0, most * most / 4.0);
}

template <class N>
template <class F>
auto Contingency<N>::add_stratum(double inside, const Side& x, const Side& y, F&& squares) -> Part {
  if (!(x.total > 0)) return {};
  const auto whole = static_cast<double>(x.total);
  const double statistic = rules_.measure == Measure::chi_squared
                               ? whole * (squares().cells - 1.0)
                               : 2 * ((inside - x.entropy) - (y.entropy - entropy_(x.total)));
  const Part part{statistic, whole, static_cast<double>(x.states), static_cast<double>(y.states)};
  sum_.rows += whole;
  sum_.df += part.df();
  sum_.statistic += statistic;
  return part;
}

template <class N>
template <class F>
void Contingency<N>::correct_stratum(const Part& part, Totals by_row, Totals by_col, F&& squares) {
  const double df = part.df();
  if (df <= 0.0) return;
  if (least(by_row) * least(by_col) < small_count * part.whole) {
    const Squares found = squares();
    small_df_ += df;
    tested_ += part.whole * (found.cells - 1.0);
    expect(part, found);
  } else {
    tested_ += part.statistic;
    mean_ += df;
    variance_ += 2.0 * df;
  }
}

template <class N>
auto Contingency<N>::squares(const N* cells, const Shape& shape, Totals by_row, Totals by_col) -> Squares {
  Squares out;
  for (std::size_t j = 0; j < by_col.size(); ++j) {
    inverse_[j] = inverse(static_cast<double>(by_col[j]));
    out.y += inverse_[j];
  }
  for (std::size_t i = 0; i < by_row.size(); ++i, cells += shape.row_stride) {
    if (!(by_row[i] > 0)) continue;
    const double share = inverse(static_cast<double>(by_row[i]));
    double row = 0.0;
    for (std::size_t j = 0; j < by_col.size(); ++j) {
      const auto n = static_cast<double>(cells[j]);
      row += n * inverse_[j] * n;
    }
    out.x += share;
    out.cells += row * share;
  }
  return out;
}

template <class N>
auto Contingency<N>::squares(const std::vector<Cell>& cells) const -> Squares {
  Squares out;
  for (const N total : by_row_) out.x += inverse(static_cast<double>(total));
  for (const N total : by_col_) out.y += inverse(static_cast<double>(total));
  for (const Cell& cell : cells) {
    const auto n = static_cast<double>(cell.count);
    if (n > 0) out.cells += n / static_cast<double>(by_row_[cell.row]) * n / static_cast<double>(by_col_[cell.col]);
  }
  return out;
}

template <class N>
auto Contingency<N>::add_table(const N* cells, const Shape& shape, std::span<N> by_row, std::span<N> by_col) -> Part {
  double inside = 0.0;
  Side x;
  const N* row = cells;
  for (N& total : by_row) {
    N sum{0};
    double entropy = 0.0;  // a sum of its own for each row: the sums of rows need not wait for each other
    for (std::size_t j = 0; j < by_col.size(); ++j) {
      const N n = row[j];
      sum += n;
      by_col[j] += n;
      entropy += entropy_(n);
    }
    inside += entropy;
    total = sum;
    add(sum, x);
    row += shape.row_stride;
  }
  return add_stratum(inside, x, side(by_col), [&] { return squares(cells, shape, by_row, by_col); });
}

template <class N>
void Contingency<N>::add_cells(const std::vector<Cell>& cells) {
  double inside = 0.0;
  for (const Cell& cell : cells) {
    inside += entropy_(cell.count);
    by_row_[cell.row] += cell.count;
    by_col_[cell.col] += cell.count;
  }
  const Part part = add_stratum(inside, side(by_row_), side(by_col_), [&] { return squares(cells); });
  if (rules_.tail == Tail::corrected) correct_stratum(part, by_row_, by_col_, [&] { return squares(cells); });
}

// Most tables have so many rows that small counts can be ignored in any stratum: the moments of χ² are not needed.
template <class N>
Outcome Contingency<N>::of_table(const N* cells, const Shape& shape) {
  begin();
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto cols = static_cast<std::size_t>(shape.cols);
  const auto strata = static_cast<std::size_t>(shape.strata);
  const auto stride = static_cast<std::size_t>(shape.stratum_stride);
  margins_.assign(strata * (rows + cols), N{0});
  inverse_.resize(cols);
  parts_.resize(strata);
  const auto by_row = [&](std::size_t s) { return std::span(margins_).subspan(s * (rows + cols), rows); };
  const auto by_col = [&](std::size_t s) { return std::span(margins_).subspan(s * (rows + cols) + rows, cols); };
  for (std::size_t s = 0; s < strata; ++s) parts_[s] = add_table(cells + s * stride, shape, by_row(s), by_col(s));
  if (rules_.tail == Tail::asymptotic || is_harmless(sum_.df)) return finished();
  for (std::size_t s = 0; s < strata; ++s) {
    correct_stratum(parts_[s], by_row(s), by_col(s),
                    [&] { return squares(cells + s * stride, shape, by_row(s), by_col(s)); });
  }
  return finished();
}

// Rows and columns are numbered in the order of occurrence within a stratum: only those that occur take memory.
template <class N>
Outcome Contingency<N>::of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts,
                                 const Shape& shape) {
  begin();
  const auto stride = static_cast<std::uint64_t>(shape.stratum_stride);
  const auto width = static_cast<std::uint64_t>(shape.row_stride);
  std::vector<Cell> found;
  std::vector<std::uint32_t> index(static_cast<std::size_t>(shape.cols), unseen);
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < cells.size();) {
    const std::uint64_t stratum = cells[i] / stride;
    if (stratum >= static_cast<std::uint64_t>(shape.strata)) break;  // rows with a missing value come last
    found.clear();
    by_row_.clear();
    std::uint64_t last_row = stride;
    for (std::uint64_t last = 0; i < cells.size() && cells[i] / stride == stratum; last = cells[i++]) {
      const std::uint64_t row = cells[i] % stride / width;
      const auto col = static_cast<std::size_t>(cells[i] % width);
      if (row >= static_cast<std::uint64_t>(shape.rows) || col >= index.size()) continue;
      if (!found.empty() && cells[i] == last) {
        found.back().count += counts[i];
        continue;
      }
      if (row != last_row) by_row_.push_back(N{0});
      last_row = row;
      if (index[col] == unseen) {
        index[col] = static_cast<std::uint32_t>(seen.size());
        seen.push_back(col);
      }
      found.push_back({by_row_.size() - 1, index[col], counts[i]});
    }
    by_col_.assign(seen.size(), N{0});
    add_cells(found);
    for (const std::size_t col : seen) index[col] = unseen;
    seen.clear();
  }
  return finished();
}

template class Contingency<std::uint32_t>;
template class Contingency<double>;

}  // namespace deciban
