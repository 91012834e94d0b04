#include "search/gaussian_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace deciban {
namespace {

constexpr double least_variance = 1e-12;
// Correlations are singular where an eigenvalue is below this, as in Python: where the matrix less it is not positive.
constexpr double singular = 1e-11;

// The Cholesky factor L of the correlations of some variables, less `shift` on the diagonal; `is_positive` is false
// where there is none.
class Factor {
 public:
  Factor(const GaussianScores& scores, std::span<const std::int64_t> members, double shift)
      : size_(members.size()), one_(1.0 - shift), lower_(size_ * size_) {
    for (std::size_t i = 0; i < size_ && is_positive; ++i) {
      double* const row = lower_.data() + i * size_;
      double left = one_;
      for (std::size_t j = 0; j < i; ++j) {
        const double* const above = lower_.data() + j * size_;
        double sum = scores.correlation(members[i], members[j]);
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * above[k];
        row[j] = sum / above[j];
        left -= row[j] * row[j];
      }
      is_positive = left > 0;
      row[i] = std::sqrt(std::max(left, 0.0));
    }
  }

  // L⁻¹·columns in place, size × width, and what of the diagonal each leaves.
  std::vector<double> solve(std::vector<double>& columns, std::size_t width) const {
    std::vector<double> left(width, one_);
    for (std::size_t i = 0; i < size_; ++i) {
      double* const row = columns.data() + i * width;
      for (std::size_t j = 0; j < i; ++j) {
        const double share = lower_[i * size_ + j];
        const double* const above = columns.data() + j * width;
        for (std::size_t c = 0; c < width; ++c) row[c] -= share * above[c];
      }
      const double pivot = lower_[i * size_ + i];
      for (std::size_t c = 0; c < width; ++c) {
        row[c] /= pivot;
        left[c] -= row[c] * row[c];
      }
    }
    return left;
  }

  bool is_positive = true;

 private:
  std::size_t size_;
  double one_;
  std::vector<double> lower_;
};

}  // namespace

GaussianScores::GaussianScores(std::span<const double> correlation, std::span<const double> log_spread, double rows,
                               double cost)
    : correlation_(correlation.begin(), correlation.end()),
      log_spread_(log_spread.begin(), log_spread.end()),
      rows_(rows),
      cost_(cost) {}

double GaussianScores::score(std::int64_t child, std::span<const std::int64_t> parents) const {
  double out = 0;
  score_growth({child, parents, {}}, {&out, 1});
  return out;
}

// The correlations with one parent more have one row more in their factor.
void GaussianScores::score_growth(const Growth& growth, std::span<double> out) const {
  const auto& [child, parents, added] = growth;
  const std::size_t width = added.size() + 1;  // the first column is the child's
  const auto variable = [&, child = child, added = added](std::size_t c) { return c == 0 ? child : added[c - 1]; };
  std::vector<bool> is_determined(width);
  for (const double shift : {singular, 0.0}) {
    const Factor factor(*this, parents, shift);
    if (!factor.is_positive) {
      std::ranges::fill(out, -std::numeric_limits<double>::infinity());
      return;
    }
    std::vector<double> columns(parents.size() * width), common(width);
    for (std::size_t i = 0; i < parents.size(); ++i) {
      for (std::size_t c = 0; c < width; ++c) columns[i * width + c] = correlation(parents[i], variable(c));
    }
    const std::vector<double> variance = factor.solve(columns, width);
    for (std::size_t c = 1; c < width; ++c) common[c] = correlation(child, variable(c));
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const double* const row = columns.data() + i * width;
      for (std::size_t c = 1; c < width; ++c) common[c] -= row[c] * row[0];
    }
    for (std::size_t c = 0; c < width; ++c) {
      const double left = c == 0 ? variance[0] : variance[0] - common[c] * common[c] / variance[c];
      if (shift > 0) {
        out[c] = c == 0 || variance[c] > 0 ? 0 : -std::numeric_limits<double>::infinity();
        is_determined[c] = left <= 0;
      } else if (out[c] == 0) {
        out[c] = score_of(child, is_determined[c] ? 0.0 : left, parents.size() + (c == 0 ? 0 : 1));
      }
    }
  }
}

double GaussianScores::score_of(std::int64_t child, double left, std::size_t parents) const {
  const double log_variance =
      std::log(std::clamp(left, least_variance, 1.0)) + 2 * log_spread_[static_cast<std::size_t>(child)];
  return -0.5 * rows_ * (std::log(2 * std::numbers::pi) + log_variance + 1) -
         cost_ * (static_cast<double>(parents) + 2);
}

}  // namespace deciban
