// The log-likelihood of sets of categories and numbers, where the numbers are normal in each cell of the categories:
//
//     ℓ(S) = Σ_c n_c·log(n_c / n) − n_c/2·(k·log 2π + k + log det Σ_c)
//
// over the cells c of the categories in S, with the covariance Σ_c of its k numbers. That of a family is a difference,
// ℓ(parents, v) − ℓ(parents): of a number a regression in each configuration of its categorical parents (Andrews,
// Ramsey and Cooper 2018).
//
// Of a category with parents that are numbers the difference is no log-likelihood: the probabilities of its states do
// not sum to 1, as the numbers are not normal both with and without it, and a number with several such children gains
// the difference for each. So P(v | parents) is a logistic regression in each configuration of the other parents.
#pragma once

#include <span>

#include "independence/mixed/cells.hpp"

namespace deciban {

struct SetLikelihood {
  double value;
  // Free parameters: those of a full table of the categories; in each cell with rows the means; and a covariance for
  // each cell, but cells with few rows share one.
  double parameters;
};

// Of a set of columns, of which no value may be missing; `counter` is that of the columns.
SetLikelihood set_likelihood(const MixedColumns& data, CellCounter& counter, std::span<const std::int64_t> set);

// The same of a category, given parents some of which are numbers.
SetLikelihood category_likelihood(const MixedColumns& data, CellCounter& counter, std::int64_t child,
                                  std::span<const std::int64_t> parents);

}  // namespace deciban
