// BIC of linear Gaussian families, from correlations: `deciban.nets.scores.gaussian` has the formula.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/local_scores.hpp"

namespace deciban {

class GaussianScores final : public LocalScores {
 public:
  // The correlations are variables × variables; `log_spread` are the logarithms of the standard deviations; `cost` is
  // what a parameter costs, in nats.
  GaussianScores(std::span<const double> correlation, std::span<const double> log_spread, double rows, double cost);

  std::int64_t variables() const override { return static_cast<std::int64_t>(log_spread_.size()); }
  double score(std::int64_t child, std::span<const std::int64_t> parents) const override;
  void score_growth(const Growth& growth, std::span<double> out) const override;

  double correlation(std::int64_t a, std::int64_t b) const {
    return correlation_[static_cast<std::size_t>(a) * log_spread_.size() + static_cast<std::size_t>(b)];
  }

 private:
  // From the variance that is left, of 1.
  double score_of(std::int64_t child, double left, std::size_t parents) const;

  std::vector<double> correlation_, log_spread_;
  double rows_, cost_;
};

}  // namespace deciban
