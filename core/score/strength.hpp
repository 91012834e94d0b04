// How strongly conditional probabilities are shrunk, chosen by their leave-one-out likelihood.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

// Counts n, contexts × states × classes, whose probabilities are shrunk to others by s virtual rows:
// P(v | u, j) = (n_uvj + s·q_vj) / (n_uj + s). `prior` holds q without the row itself, one table of states × classes
// for each group of contexts, and `groups` the group of each context.
struct ShrunkCounts {
  std::span<const double> counts, prior;
  std::span<const std::int64_t> groups;
  std::int64_t states, classes;
};

struct Strength {
  double value, likelihood;
};

// The s between 1/16 and 1024 that maximizes Σ n·(log(n − 1 + s·q) − log(N − 1 + s)), the leave-one-out likelihood of
// the counted rows, and that likelihood. A count below 1 is that of one row.
Strength best_strength(const ShrunkCounts& shrunk);

}  // namespace deciban
