// A table of codes, column after column, as unsigned integers of 8 to 32 bits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "read/matrix.hpp"

namespace deciban {

// Each code of column c is below sizes[c]; `kind` is u8, u16 or u32. Weights may be empty: then each row counts once.
struct CodeColumns {
  const void* data;
  Kind kind;
  std::int64_t rows, cols;
  std::span<const std::int64_t> sizes;
  std::span<const double> weights;

  template <class T>
  const T* column(std::int32_t c) const {
    return static_cast<const T*>(data) + static_cast<std::int64_t>(c) * rows;
  }

  // Calls f with a typed pointer to a column.
  template <class F>
  auto with_column(std::int32_t c, F&& f) const {
    if (kind == Kind::u8) return f(column<std::uint8_t>(c));
    if (kind == Kind::u16) return f(column<std::uint16_t>(c));
    return f(column<std::uint32_t>(c));
  }
};

// The largest code of a column; there must be a row.
std::uint32_t largest_code_of(const CodeColumns& codes, std::int32_t column);

// Whether each code is below its column's size. Kernels that take CodeColumns do not check this again.
bool are_below_sizes(const CodeColumns& codes);

}  // namespace deciban
