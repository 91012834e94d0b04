// Independence of normal variables, from their correlations: Fisher's z.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "independence/test.hpp"

namespace deciban {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
// A column of which less variance is left is a linear function of the columns swept out; all had the variance 1.
constexpr double least_variance = 1e-10;

struct Correlations {
  std::vector<double> values;
  std::int64_t columns;
  double rows;
};

// The correlation matrix with each conditioning column swept out: the covariances of the residuals, so that a partial
// correlation is one division.
class GaussianTester final : public Tester {
 public:
  explicit GaussianTester(const Correlations& data) : data_(data), stack_{data.values} {}

  void push(std::int64_t column) override {
    ++depth_;
    if (stack_.size() <= depth_) stack_.emplace_back();
    const std::vector<double>& from = stack_[depth_ - 1];
    std::vector<double>& to = stack_[depth_];
    to.resize(from.size());
    const auto n = static_cast<std::size_t>(data_.columns);
    const double* own = from.data() + static_cast<std::size_t>(column) * n;
    const double variance = own[column];
    const bool is_known = variance < least_variance;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = is_known ? 0.0 : own[i] / variance;
      for (std::size_t j = 0; j < n; ++j) to[i * n + j] = from[i * n + j] - share * own[j];
    }
  }

  void pop() override { --depth_; }

  Outcome test(std::int64_t x, std::int64_t y) override {
    const std::vector<double>& left = stack_[depth_];
    const auto at = [&](std::int64_t i, std::int64_t j) {
      return left[static_cast<std::size_t>(i * data_.columns + j)];
    };
    const double freedom = data_.rows - static_cast<double>(depth_) - 3.0;
    if (freedom <= 0.0) return {0.0, 0.0, data_.rows, unknown};
    if (determines(x) || determines(y)) return {0.0, 0.0, data_.rows, unknown, true};
    // Each variance by itself: the product of two small ones is no smaller than that of 1 and a rounding error.
    if (at(x, x) < least_variance || at(y, y) < least_variance) return {0.0, 1.0, data_.rows, unknown};  // constant
    const double r = std::clamp(at(x, y) / std::sqrt(at(x, x) * at(y, y)), -1.0, 1.0);
    const double z = std::atanh(r) * std::sqrt(freedom);
    return {z * z, 1.0, data_.rows, std::erfc(std::abs(z) / std::numbers::sqrt2)};
  }

  bool determines(std::int64_t column) override {
    const auto own = static_cast<std::size_t>(column * data_.columns + column);
    return stack_[depth_][own] < least_variance && data_.values[own] > 0.0;
  }

 private:
  const Correlations& data_;
  std::vector<std::vector<double>> stack_;
  std::size_t depth_ = 0;
};

class GaussianSource final : public Source {
 public:
  explicit GaussianSource(Correlations&& data) : data_(std::move(data)) {}
  std::int64_t columns() const override { return data_.columns; }
  std::unique_ptr<Tester> tester() const override { return std::make_unique<GaussianTester>(data_); }

 private:
  Correlations data_;
};

}  // namespace

std::unique_ptr<Source> gaussian_source(std::span<const double> correlation, std::int64_t columns, double rows) {
  return std::make_unique<GaussianSource>(Correlations{{correlation.begin(), correlation.end()}, columns, rows});
}

}  // namespace deciban
