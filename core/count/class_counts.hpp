// Class × value counts of coded columns: the counts behind every discrete estimate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/codes.hpp"
#include "read/matrix.hpp"
#include "run/fault.hpp"

namespace deciban {

// counts[offsets[c] + j·sizes[c] + v] of value v of column c in class j; T: u64 unweighted, else double.
template <class T>
struct CodeCounts {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> offsets;
  std::vector<T> counts;
  Fault fault;
};

CodeCounts<std::uint64_t> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                                      const CodeRules& rules);
CodeCounts<double> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                               std::span<const double> weights, const CodeRules& rules);

}  // namespace deciban
