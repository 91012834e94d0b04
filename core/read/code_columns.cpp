#include "read/code_columns.hpp"

#include <algorithm>

namespace deciban {

std::uint32_t largest_code_of(const CodeColumns& codes, std::int32_t column) {
  return codes.with_column(column, [&](const auto* values) {
    auto largest = values[0];
    for (std::int64_t i = 1; i < codes.rows; ++i) largest = std::max(largest, values[i]);
    return static_cast<std::uint32_t>(largest);
  });
}

bool are_below_sizes(const CodeColumns& codes) {
  for (std::int32_t c = 0; c < codes.cols; ++c) {
    if (largest_code_of(codes, c) >= codes.sizes[static_cast<std::size_t>(c)]) return false;
  }
  return true;
}

}  // namespace deciban
