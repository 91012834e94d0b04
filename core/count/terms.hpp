// Class × term sums: how often each term occurs in each class, or in how many rows it is present.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "read/matrix.hpp"
#include "run/fault.hpp"
#include "run/pages.hpp"

namespace deciban {

// Which values the matrix may hold, and what is summed: the value, or 1 where it is above a threshold.
struct TermRules {
  double lowest = 0.0;
  double highest = std::numeric_limits<double>::max();
  bool missing_allowed = false;  // NaN is skipped, and counted as missing
  bool presence = false;
  double threshold = 0.0;

  double amount(double value) const {
    if (!presence) return value;
    return value > threshold ? 1.0 : 0.0;
  }
  // False for NaN too.
  bool accepts(double value) const { return value >= lowest && value <= highest; }
  Trouble trouble(double value) const;
};

struct TermSums {
  Pages<double> sums;     // classes × cols
  Pages<double> missing;  // the weight of missing values, classes × cols; empty when there are none
  Fault fault;
};

TermSums sum_terms(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                   std::span<const double> weights, const TermRules& rules);

}  // namespace deciban
