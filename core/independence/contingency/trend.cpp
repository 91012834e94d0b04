#include "independence/contingency/trend.hpp"

#include <algorithm>
#include <cmath>

namespace deciban {
namespace {

// Beside its own variance, what of a state's is left by rounding when others determine it; and of scores, beside their
// squares, when they are all equal.
constexpr double singular = 1e-9;
constexpr double constant = 1e-12;

}  // namespace

template <class N>
void TrendSums<N>::begin(const Shape& shape, bool is_x_ordered, bool is_y_ordered) {
  are_both_ = is_x_ordered && is_y_ordered;
  is_x_scored_ = is_x_ordered;
  states_ = static_cast<std::size_t>(is_x_ordered ? shape.cols : shape.rows);
  rows_ = u_ = uu_ = v_ = vv_ = uv_ = shift_ = variance_ = 0.0;
  if (are_both_) return;
  rows_of_.assign(states_, 0.0);
  score_of_.assign(states_, 0.0);
  shifts_.assign(states_, 0.0);
  covariance_.assign(states_ * states_, 0.0);
}

template <class N>
void TrendSums<N>::add(std::int64_t x, std::int64_t y, N count) {
  const auto n = static_cast<double>(count);
  const auto u = static_cast<double>(is_x_scored_ ? x : y);
  const std::int64_t other = is_x_scored_ ? y : x;
  rows_ += n;
  u_ += n * u;
  uu_ += n * u * u;
  if (are_both_) {
    const auto v = static_cast<double>(other);
    v_ += n * v;
    vv_ += n * v * v;
    uv_ += n * u * v;
  } else {
    rows_of_[static_cast<std::size_t>(other)] += n;
    score_of_[static_cast<std::size_t>(other)] += n * u;
  }
}

// Of one row, or of weights that make up less, nothing can be compared.
template <class N>
void TrendSums<N>::end_stratum() {
  if (rows_ > 1.0) {
    if (are_both_) {
      end_pair();
    } else {
      end_states();
    }
  }
  if (!are_both_) {
    std::ranges::fill(rows_of_, 0.0);
    std::ranges::fill(score_of_, 0.0);
  }
  rows_ = u_ = uu_ = v_ = vv_ = uv_ = 0.0;
}

template <class N>
void TrendSums<N>::end_pair() {
  const double of_u = uu_ - u_ / rows_ * u_;
  const double of_v = vv_ - v_ / rows_ * v_;
  if (of_u <= constant * uu_ || of_v <= constant * vv_) return;
  shift_ += uv_ - u_ / rows_ * v_;
  variance_ += of_u * (of_v / (rows_ - 1.0));
}

template <class N>
void TrendSums<N>::end_states() {
  const double mean = u_ / rows_;
  const double spread = (uu_ - mean * u_) / (rows_ - 1.0);
  if (spread * (rows_ - 1.0) <= constant * uu_) return;
  occurring_.clear();
  for (std::size_t j = 0; j < states_; ++j) {
    if (rows_of_[j] > 0.0) occurring_.push_back(j);
  }
  for (const std::size_t j : occurring_) {
    const double n = rows_of_[j];
    shifts_[j] += score_of_[j] - n * mean;
    for (const std::size_t k : occurring_) covariance_[j * states_ + k] -= spread * n * (rows_of_[k] / rows_);
    covariance_[j * states_ + j] += spread * n;
  }
}

// V is singular, as the indicators of a stratum add up to 1: elimination leaves out what others determine.
template <class N>
Trend TrendSums<N>::finished() {
  if (are_both_) return variance_ > 0.0 ? Trend{shift_ / variance_ * shift_, 1.0} : Trend{};
  Trend out;
  std::vector<double> own(states_);
  for (std::size_t j = 0; j < states_; ++j) own[j] = covariance_[j * states_ + j];
  for (std::size_t j = 0; j < states_; ++j) {
    const double pivot = covariance_[j * states_ + j];
    if (!(pivot > singular * own[j])) continue;
    out.statistic += shifts_[j] / pivot * shifts_[j];
    out.df += 1.0;
    for (std::size_t i = j + 1; i < states_; ++i) {
      const double factor = covariance_[i * states_ + j] / pivot;
      shifts_[i] -= factor * shifts_[j];
      for (std::size_t k = j + 1; k < states_; ++k) {
        covariance_[i * states_ + k] -= factor * covariance_[j * states_ + k];
      }
    }
  }
  return out;
}

template <class N>
Trend TrendSums<N>::of_table(const N* cells, const Shape& shape, bool is_x_ordered, bool is_y_ordered) {
  begin(shape, is_x_ordered, is_y_ordered);
  for (std::int64_t s = 0; s < shape.strata; ++s, cells += shape.stratum_stride) {
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      for (std::int64_t j = 0; j < shape.cols; ++j) {
        if (const N n = cells[i * shape.row_stride + j]; n > 0) add(i, j, n);
      }
    }
    end_stratum();
  }
  return finished();
}

template <class N>
Trend TrendSums<N>::of_cells(const std::vector<std::uint64_t>& cells, const std::vector<N>& counts, const Shape& shape,
                             bool is_x_ordered, bool is_y_ordered) {
  begin(shape, is_x_ordered, is_y_ordered);
  const auto stride = static_cast<std::uint64_t>(shape.stratum_stride);
  const auto width = static_cast<std::uint64_t>(shape.row_stride);
  for (std::size_t i = 0; i < cells.size();) {
    const std::uint64_t stratum = cells[i] / stride;
    if (stratum >= static_cast<std::uint64_t>(shape.strata)) break;  // rows with a missing value come last
    for (; i < cells.size() && cells[i] / stride == stratum; ++i) {
      const auto x = static_cast<std::int64_t>(cells[i] % stride / width);
      const auto y = static_cast<std::int64_t>(cells[i] % width);
      if (x < shape.rows && y < shape.cols) add(x, y, counts[i]);
    }
    end_stratum();
  }
  return finished();
}

template class TrendSums<std::uint32_t>;
template class TrendSums<double>;

}  // namespace deciban
