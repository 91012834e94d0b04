// Sums of products of columns around given shifts, in double-double: Σ w·d and Σ w·d·dᵀ with d = x − s.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// `values` are rows × cols; every x − s must be exact in a double. The result is Σ w·d (high, then low parts), and
// tables of Σ w·d_i·d_j (high, then low), of which only j ≤ i counts; rows are padded to a multiple of `lanes`.
std::vector<double> cross_sums(std::span<const double> values, std::int64_t cols, std::span<const double> weights,
                               std::span<const double> shifts);

}  // namespace deciban
