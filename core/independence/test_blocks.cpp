// Independence of blocks of normal variables, from their correlations: a category as the indicators of its states, a
// number by itself (the degenerate Gaussian; Andrews, Ramsey and Cooper 2019). With the residuals of regressions on the
// set, Wilks's ratio
//
//     Λ = det R_xy / (det R_x · det R_y),    −(n − 1 − k − (p + q + 1)/2)·log Λ ~ χ² with p·q degrees of freedom
//
// for blocks of p and q columns and a set of k (Bartlett 1938).
#include <algorithm>
#include <cmath>
#include <limits>

#include "independence/test.hpp"

namespace deciban {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
// With less variance left, a column is a linear function of the columns swept out; as in test_gaussian.cpp.
constexpr double least_variance = 1e-10;

struct Blocks {
  std::vector<double> values;  // correlations
  std::int64_t width;
  std::vector<std::int64_t> starts;  // one more than there are blocks
  double rows;

  std::int64_t begin(std::int64_t block) const { return starts[static_cast<std::size_t>(block)]; }
  std::int64_t end(std::int64_t block) const { return starts[static_cast<std::size_t>(block) + 1]; }
};

class BlockTester final : public Tester {
 public:
  explicit BlockTester(const Blocks& data) : data_(data), stack_{data.values}, ranks_{0.0} {}

  void push(std::int64_t block) override {
    ++depth_;
    if (stack_.size() <= depth_) stack_.emplace_back();
    stack_[depth_] = stack_[depth_ - 1];
    ranks_.push_back(ranks_.back());
    std::vector<double>& a = stack_[depth_];
    const auto n = static_cast<std::size_t>(data_.width);
    for (auto c = static_cast<std::size_t>(data_.begin(block)); c < static_cast<std::size_t>(data_.end(block)); ++c) {
      if (a[c * n + c] < least_variance) continue;
      ranks_.back() += 1.0;
      own_.assign(a.begin() + static_cast<std::ptrdiff_t>(c * n), a.begin() + static_cast<std::ptrdiff_t>((c + 1) * n));
      for (std::size_t i = 0; i < n; ++i) {
        const double share = own_[i] / own_[c];
        for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= share * own_[j];
      }
    }
  }

  void pop() override {
    --depth_;
    ranks_.pop_back();
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    if (determines(x) || determines(y)) return {0.0, 0.0, data_.rows, unknown, true};
    const auto [p, of_x] = log_det(x, -1);
    const auto [q, of_y] = log_det(y, -1);
    const double factor = data_.rows - 1.0 - ranks_.back() - (p + q + 1.0) / 2;
    if (p <= 0.0 || q <= 0.0 || factor <= 0.0) return {0.0, 0.0, data_.rows, unknown};
    const auto [rank, of_both] = log_det(x, y);
    return {factor * std::max(of_x + of_y - of_both, 0.0), p * q, data_.rows, unknown};
  }

  bool determines(std::int64_t block) override {
    if (depth_ == 0) return false;
    bool varies = false;
    for (std::int64_t c = data_.begin(block); c < data_.end(block); ++c) {
      const auto at = static_cast<std::size_t>(c * data_.width + c);
      if (stack_[depth_][at] >= least_variance) return false;
      varies = varies || data_.values[at] > 0.0;
    }
    return varies;
  }

 private:
  struct LogDet {
    double rank = 0.0, value = 0.0;
  };

  // The log-determinant of the residuals of one or two blocks, without columns that are functions of others.
  LogDet log_det(std::int64_t x, std::int64_t y) {
    columns_.clear();
    for (std::int64_t c = data_.begin(x); c < data_.end(x); ++c) columns_.push_back(c);
    const std::size_t of_x = columns_.size();
    for (std::int64_t c = y < 0 ? 0 : data_.begin(y); y >= 0 && c < data_.end(y); ++c) columns_.push_back(c);
    const std::size_t n = columns_.size();
    part_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        part_[i * n + j] = stack_[depth_][static_cast<std::size_t>(columns_[i] * data_.width + columns_[j])];
      }
    }
    LogDet out;
    for (std::size_t j = 0; j < n; ++j) {
      // A column of y that is a function of x has a ratio of 0; the bound keeps its logarithm finite.
      double pivot = part_[j * n + j];
      const double own = stack_[depth_][static_cast<std::size_t>(columns_[j] * data_.width + columns_[j])];
      if (own < least_variance) continue;
      if (pivot < least_variance * own) {
        if (j < of_x) continue;
        pivot = least_variance * own;
      }
      out.rank += 1.0;
      out.value += std::log(pivot);
      for (std::size_t i = j + 1; i < n; ++i) {
        const double share = part_[i * n + j] / pivot;
        for (std::size_t k = j + 1; k < n; ++k) part_[i * n + k] -= share * part_[j * n + k];
      }
    }
    return out;
  }

  const Blocks& data_;
  std::vector<std::vector<double>> stack_;
  std::vector<double> ranks_;  // of the set, at each depth
  std::size_t depth_ = 0;
  std::vector<double> own_;
  std::vector<std::int64_t> columns_;
  std::vector<double> part_;
};

class BlockSource final : public Source {
 public:
  explicit BlockSource(Blocks&& data) : data_(std::move(data)) {}
  std::int64_t columns() const override { return static_cast<std::int64_t>(data_.starts.size()) - 1; }
  std::unique_ptr<Tester> tester() const override { return std::make_unique<BlockTester>(data_); }

 private:
  Blocks data_;
};

}  // namespace

std::unique_ptr<Source> block_source(std::span<const double> correlation, std::span<const std::int64_t> starts,
                                     double rows) {
  return std::make_unique<BlockSource>(
      Blocks{{correlation.begin(), correlation.end()}, starts.back(), {starts.begin(), starts.end()}, rows});
}

}  // namespace deciban
