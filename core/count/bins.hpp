// Numeric columns in bins: cut points, and sums of a table's rows by bin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// Cuts by minimum description length (Fayyad and Irani, 1993): the last value of each bin but the last, ascending.
// counts: values × classes, the values ascending. Of splits whose costs differ by less than `tie` the first is best.
std::vector<std::int64_t> description_cuts(std::span<const double> counts, std::int64_t classes, double tie);

// out[r] += table[bin of x[r]], rows × classes; bin b holds the values above cuts[b − 1] and up to cuts[b]. NaN adds
// nothing.
void add_bins(std::span<const double> x, std::span<const double> cuts, std::span<const double> table,
              std::span<double> out, std::int64_t classes);

}  // namespace deciban
