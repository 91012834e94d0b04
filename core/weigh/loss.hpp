// The loss of weighted columns, and its gradient: what the weights of naive Bayes's columns are learned by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weigh/margins.hpp"

namespace deciban {

// The margins of the columns and of the priors, as `Margins` has them, and the weight of each row.
struct WeighedRows {
  std::int64_t others;
  std::span<const float> margins, prior;
  std::span<const double> importance;
};

struct WeighedLoss {
  double loss;
  std::vector<double> gradient;   // of each column's weight
  std::vector<double> curvature;  // the diagonal of the Hessian; empty unless wanted
};

// Σ_r importance_r·log(1 + Σ_o exp m_ro),  m_ro = prior_ro + Σ_i weight_i·margin_roi: −Σ_r log P(own class of r).
WeighedLoss weighed_loss(std::span<const double> weights, const WeighedRows& rows, bool with_curvature);

}  // namespace deciban
