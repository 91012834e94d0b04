// Documents × tokens as a CSR matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/read.hpp"

namespace deciban {

struct TextMatrix {
  std::vector<std::int64_t> starts;
  Pages<std::int32_t> indices;
  Pages<std::int64_t> counts;
};

// The columns ascend in each row. column: of each token's number; empty: as they are. With signs, a number is twice the
// column, plus one where it counts −1.
TextMatrix make_matrix(ReadText& text, std::span<const std::uint32_t> column, bool with_signs);

}  // namespace deciban
