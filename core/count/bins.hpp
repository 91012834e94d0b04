// Numeric columns in bins: sums of a table's rows by bin.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

// out[r] += table[bin of x[r]], rows × classes; bin b holds the values above cuts[b − 1] and up to cuts[b]. NaN adds
// nothing.
void add_bins(std::span<const double> x, std::span<const double> cuts, std::span<const double> table,
              std::span<double> out, std::int64_t classes);

}  // namespace deciban
