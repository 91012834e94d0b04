// Log-probabilities from counts, laid out for scoring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// Counts, classes × cols, and their pseudo-counts: one for all columns, or one a column.
struct SmoothedCounts {
  std::span<const double> counts, pseudo;
  std::int64_t classes, cols;
};

// Each writes rows of `width` doubles to `out`, one for each column k, with an entry for each class j; the padding is
// not written. Counts are mostly small whole numbers, so with one pseudo-count their logarithms come from a table.

// log(n_jk + a_k) − log_whole[j].
void pack_logs(const SmoothedCounts& of, std::span<const double> log_whole, double* out, std::int64_t width);

// log_whole[j] − log(n_k − n_jk + a_k), where n_k is the sum of all classes.
void pack_complement(const SmoothedCounts& of, std::span<const double> log_whole, double* out, std::int64_t width);

// log(n_jk + a_k) − log(n_j − n_jk + a_k), where n_j are the rows of the class. Returns, for each class, the sum over
// the columns of log(n_j − n_jk + a_k) − log(n_j + 2·a_k): the log-probability of a row in which no term is present.
std::vector<double> pack_presence(const SmoothedCounts& of, std::span<const double> rows, double* out,
                                  std::int64_t width);

}  // namespace deciban
