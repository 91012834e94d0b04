// Residuals of categories, given numbers: the indicator of each state less its probability by a logistic regression,
//
//     r = 1[x = a] − P(a | z),    P(a | z) = 1 / (1 + e^−(β·φ(z))),    φ(z) = (1, z_i, z_i z_j),
//
// in each stratum by itself. If the numbers are normal given the categories, P(a | z) is of this form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "independence/mixed/cells.hpp"

namespace deciban {

// The rows of the strata, one after the other, and the terms φ of each; strata with too few rows are left out.
struct Design {
  struct Stratum {
    std::size_t begin;  // of its rows, in `rows`; they are padded to whole vectors, with rows of no weight
    std::size_t count;
    double weight;
    std::size_t terms;    // 1 + numbers, and their products where there are rows enough
    std::size_t columns;  // where its terms begin, in `terms`: a padded column for each
  };
  std::vector<Stratum> strata;
  std::vector<std::uint32_t> rows;  // of the table
  std::vector<double> weights;      // 0 of padding
  std::vector<double> terms;
};

Design design_of(const MixedColumns& data, const CellRows& strata, std::span<const std::int64_t> numbers,
                 bool has_products = true);

// The residuals of one category at each row of a design: a column for each state but the most frequent. They are 0 of
// states that a stratum has in too few rows. No value of the category may be missing.
struct Residuals {
  std::size_t states = 0;
  std::vector<double> values;  // states × rows of the design
};

Residuals residuals_of(const MixedColumns& data, const Design& design, std::int64_t category);

// The log-likelihood of a category given numbers, by logistic regressions without products in each stratum: of each
// state against those that come after it, the most frequent first. `slopes` counts the coefficients of numbers. In
// strata with few rows the states are only counted. No value of the category may be missing.
struct LogisticLikelihood {
  double value = 0.0;
  double slopes = 0.0;
};

LogisticLikelihood logistic_likelihood(const MixedColumns& data, const CellRows& strata,
                                       std::span<const std::int64_t> numbers, std::int64_t category);

}  // namespace deciban
