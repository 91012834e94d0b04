#include "search/mixed_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "independence/mixed/likelihood.hpp"
#include "run/at.hpp"
#include "run/workers.hpp"
#include "search/score_cache.hpp"

namespace deciban {
namespace {

// Local scores that are differences of scores of sets of variables, each of which is computed once: families of the
// same variables share it.
class SetScores : public LocalScores {
 public:
  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    std::vector<std::int64_t> family(parents.begin(), parents.end());
    family.insert(std::ranges::lower_bound(family, child), child);
    return score_once(family) - score_once(parents);
  }

 protected:
  // Of a set in rising order, which is not empty.
  virtual double score_of(std::span<const std::int64_t> set) const = 0;

 private:
  double score_once(std::span<const std::int64_t> set) const {
    if (set.empty()) return 0.0;
    ScoreCache::Key key;
    key.reserve(set.size());
    for (const std::int64_t member : set) key.push_back(static_cast<std::int32_t>(member));
    if (const auto known = cache_.find(key)) return *known;
    const double score = score_of(set);
    cache_.keep(std::move(key), score);
    return score;
  }

  mutable ScoreCache cache_;
};

class CellScores final : public SetScores {
 public:
  CellScores(MixedColumns&& data, double cost)
      : data_(std::move(data)), cost_(cost), counters_([this] { return std::make_unique<CellCounter>(data_); }) {}

  std::int64_t variables() const override { return static_cast<std::int64_t>(data_.slots.size()); }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    const auto is_number = [this](std::int64_t column) { return !data_.is_category(column); };
    if (is_number(child) || std::ranges::none_of(parents, is_number)) return SetScores::score(child, parents);
    return less_cost(category_likelihood(data_, *counters_.take(), child, parents));
  }

 private:
  double score_of(std::span<const std::int64_t> set) const override {
    return less_cost(set_likelihood(data_, *counters_.take(), set));
  }
  double less_cost(const SetLikelihood& found) const { return found.value - cost_ * found.parameters; }

  MixedColumns data_;
  double cost_;
  mutable Workers<CellCounter> counters_;
};

// The least eigenvalue of correlations that a rounding error could not have made; as in `gaussian_scores.cpp`.
constexpr double singular = 1e-11;

// Of the pivots of a symmetric matrix of correlations less `shift` on the diagonal, the sum of the logarithms; −∞ where
// it is not positive definite.
double log_pivots(std::vector<double> a, std::size_t n, double shift) {
  double sum = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double pivot = a[j * n + j] - shift;
    if (!(pivot > 0.0)) return -std::numeric_limits<double>::infinity();
    sum += std::log(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      const double share = a[i * n + j] / pivot;
      for (std::size_t k = j + 1; k <= i; ++k) a[i * n + k] -= share * a[k * n + j];
    }
  }
  return sum;
}

// The diagonal that Jacobi's rotations leave of a symmetric matrix.
std::vector<double> eigenvalues(std::vector<double> a, std::size_t n) {
  constexpr int most_sweeps = 30;
  constexpr double negligible = 1e-30;  // of the square of an element, where the diagonal is about 1
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double largest = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double off = a[p * n + q];
        largest = std::max(largest, off * off);
        if (off == 0.0) continue;
        const double half = (a[q * n + q] - a[p * n + p]) / (2 * off);
        const double tangent = std::copysign(1.0, half) / (std::abs(half) + std::hypot(half, 1.0));
        const double cosine = 1.0 / std::hypot(tangent, 1.0), sine = tangent * cosine;
        for (std::size_t k = 0; k < n; ++k) {
          const double left = a[k * n + p], right = a[k * n + q];
          a[k * n + p] = cosine * left - sine * right;
          a[k * n + q] = sine * left + cosine * right;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double above = a[p * n + k], below = a[q * n + k];
          a[p * n + k] = cosine * above - sine * below;
          a[q * n + k] = sine * above + cosine * below;
        }
      }
    }
    if (largest < negligible) break;
  }
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i * n + i];
  return out;
}

class BlockScores final : public SetScores {
 public:
  BlockScores(std::span<const double> correlation, std::span<const std::int64_t> starts,
              std::span<const double> log_spread, double rows, double cost)
      : correlation_(correlation.begin(), correlation.end()),
        log_spread_(log_spread.begin(), log_spread.end()),
        starts_(starts.begin(), starts.end()),
        rows_(rows),
        cost_(cost) {}

  std::int64_t variables() const override { return static_cast<std::int64_t>(starts_.size()) - 1; }

 private:
  double score_of(std::span<const std::int64_t> set) const override {
    std::vector<std::size_t> columns;
    for (const std::int64_t v : set) {
      for (std::int64_t c = starts_[at(v)]; c < starts_[at(v) + 1]; ++c) columns.push_back(at(c));
    }
    const std::size_t n = columns.size();
    std::vector<double> matrix(n * n);
    double log_det = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      log_det += 2 * log_spread_[columns[i]];
      for (std::size_t j = 0; j < n; ++j)
        matrix[i * n + j] = correlation_[columns[i] * log_spread_.size() + columns[j]];
    }
    if (std::isfinite(log_pivots(matrix, n, singular))) {
      log_det += log_pivots(std::move(matrix), n, 0.0);
    } else {
      // Bounded below: a copy of a column would gain without limit.
      for (const double value : eigenvalues(std::move(matrix), n)) log_det += std::log(std::max(value, singular));
    }
    const auto size = static_cast<double>(n);
    return -0.5 * rows_ * (size * (std::log(2 * std::numbers::pi) + 1.0) + log_det) - cost_ * size * (size + 3) / 2;
  }

  std::vector<double> correlation_, log_spread_;
  std::vector<std::int64_t> starts_;
  double rows_, cost_;
};

}  // namespace

std::unique_ptr<LocalScores> cell_scores(MixedColumns&& data, double cost) {
  return std::make_unique<CellScores>(std::move(data), cost);
}

std::unique_ptr<LocalScores> block_scores(std::span<const double> correlation, std::span<const std::int64_t> starts,
                                          std::span<const double> log_spread, double rows, double cost) {
  return std::make_unique<BlockScores>(correlation, starts, log_spread, rows, cost);
}

}  // namespace deciban
