// Log-probabilities from counts, laid out for scoring.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

// out[k·width + j] = log(counts[j·cols + k] + pseudo[k]) − log_whole[j], for classes × cols counts; the padding is not
// written. `pseudo` has one entry for all columns, or one a column. Counts are mostly small whole numbers, so with one
// pseudo-count their logarithms come from a table.
void pack_logs(std::span<const double> counts, std::span<const double> pseudo, std::span<const double> log_whole,
               std::int64_t cols, double* out, std::int64_t width);

}  // namespace deciban
