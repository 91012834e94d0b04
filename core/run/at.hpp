// Indices of vectors are unsigned; codes, nodes and rows are signed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deciban {

// A number from 0 on as an index.
constexpr std::size_t at(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

}  // namespace deciban
