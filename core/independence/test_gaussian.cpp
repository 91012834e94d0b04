// Independence of normal variables, from their correlations: Fisher's z.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "independence/gaussian.hpp"

namespace deciban {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Sweeping the columns z1, z2, … out of the correlations R, one after the other, leaves the covariances of residuals:
//
//     own_i[c] = R[z_i, c] − Σ_(l<i) share_l[z_i]·own_l[c],    share_i[c] = own_i[c] / own_i[z_i]
//     left[x, y] = R[x, y] − Σ_i share_i[x]·own_i[y]
//
// Only the entries of the set and of the two columns in play are computed, in the order of the set.
class GaussianTester final : public Tester {
 public:
  explicit GaussianTester(const Correlations& data) : data_(data) {}

  void push(std::int64_t column) override {
    own(column, x_);
    double left = data_.at(column, column);
    for (std::size_t i = 0; i < set_.size(); ++i) {
      shares_.push_back(x_[i] / variances_[i]);
      left -= shares_.back() * x_[i];
    }
    set_.push_back(column);
    // A column that the others determine adds nothing: with an infinite variance its shares are 0.
    variances_.push_back(left < least_variance ? std::numeric_limits<double>::infinity() : left);
  }

  void pop() override {
    set_.pop_back();
    variances_.pop_back();
    shares_.resize(shares_.size() - set_.size());
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    Residuals left{data_.at(x, y), data_.at(x, x), data_.at(y, y), data_.varies(x), data_.varies(y)};
    own(x, x_);
    own(y, y_);
    for (std::size_t i = 0; i < set_.size(); ++i) {
      const double of_x = x_[i] / variances_[i];
      left.xy -= of_x * y_[i];
      left.xx -= of_x * x_[i];
      left.yy -= y_[i] / variances_[i] * y_[i];
    }
    return fisher_z(left, data_.rows, static_cast<std::int64_t>(set_.size()));
  }

  bool determines(std::int64_t column) override {
    own(column, x_);
    double left = data_.at(column, column);
    for (std::size_t i = 0; i < set_.size(); ++i) left -= x_[i] / variances_[i] * x_[i];
    return left < least_variance && data_.varies(column);
  }

 private:
  // The covariances of a column with each column of the set, those before it swept out.
  void own(std::int64_t column, std::vector<double>& out) const {
    out.resize(set_.size());
    const double* share = shares_.data();
    for (std::size_t i = 0; i < set_.size(); ++i) {
      double left = data_.at(set_[i], column);
      for (std::size_t l = 0; l < i; ++l) left -= *share++ * out[l];
      out[i] = left;
    }
  }

  const Correlations& data_;
  std::vector<std::int64_t> set_;
  std::vector<double> variances_;  // of each column of the set, given those before it
  std::vector<double> shares_;     // of each column of the set in those before it, one row of a triangle a column
  std::vector<double> x_, y_;
};

class GaussianSource final : public Source {
 public:
  explicit GaussianSource(const Correlations& data) : data_(data) {}
  std::int64_t columns() const override { return data_.columns; }
  std::unique_ptr<Tester> tester() const override { return std::make_unique<GaussianTester>(data_); }
  const Correlations* correlations() const override { return &data_; }

 private:
  Correlations data_;
};

}  // namespace

Outcome fisher_z(const Residuals& left, double rows, std::int64_t given) {
  const double freedom = rows - static_cast<double>(given) - 3.0;
  if (freedom <= 0.0) return {0.0, 0.0, rows, unknown};
  const bool is_x_left = left.xx >= least_variance, is_y_left = left.yy >= least_variance;
  if ((!is_x_left && left.x_varies) || (!is_y_left && left.y_varies)) return {0.0, 0.0, rows, unknown, true};
  // Each variance by itself: the product of two small ones is no smaller than that of 1 and a rounding error.
  if (!is_x_left || !is_y_left) return {0.0, 1.0, rows, unknown};  // constant
  const double r = std::clamp(left.xy / std::sqrt(left.xx * left.yy), -1.0, 1.0);
  const double z = std::atanh(r) * std::sqrt(freedom);
  return {z * z, 1.0, rows, std::erfc(std::abs(z) / std::numbers::sqrt2)};
}

std::unique_ptr<Source> gaussian_source(std::span<const double> correlation, std::int64_t columns, double rows) {
  return std::make_unique<GaussianSource>(Correlations{correlation, columns, rows});
}

}  // namespace deciban
