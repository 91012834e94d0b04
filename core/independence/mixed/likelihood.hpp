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

#include <memory>
#include <span>
#include <vector>

#include "independence/mixed/cells.hpp"
#include "read/ragged_list.hpp"
#include "run/interrupt.hpp"
#include "run/workers.hpp"

namespace deciban {

struct SetLikelihood {
  double value;
  // Free parameters: those of a full table of the categories; in each cell with rows the means; and a covariance for
  // each cell, but cells with few rows share one.
  double parameters;
};

// The sets of a table; the cells that were counted are kept for the next call.
class MixedSets {
 public:
  explicit MixedSets(MixedColumns&& data);

  const MixedColumns& columns() const { return data_; }
  // sets[i]: indices of columns, in rising order. No value of theirs may be missing.
  std::vector<SetLikelihood> likelihoods(const RaggedList<std::int64_t>& sets, Interrupt& interrupt);
  // The same of categories, given parents some of which are numbers.
  std::vector<SetLikelihood> categories(std::span<const std::int64_t> children, const RaggedList<std::int64_t>& parents,
                                        Interrupt& interrupt);

 private:
  MixedColumns data_;
  Workers<CellCounter> counters_;
};

}  // namespace deciban
