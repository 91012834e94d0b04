// The input as it is in memory: dense with any strides, a list of columns, or CSR; any number type; never copied as a
// whole.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace deciban {

enum class Kind : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

// Calls f with a null pointer of the kind's type.
template <class F>
auto with_type(Kind kind, F&& f) {
  switch (kind) {
    case Kind::i8: return f(static_cast<const std::int8_t*>(nullptr));
    case Kind::i16: return f(static_cast<const std::int16_t*>(nullptr));
    case Kind::i32: return f(static_cast<const std::int32_t*>(nullptr));
    case Kind::i64: return f(static_cast<const std::int64_t*>(nullptr));
    case Kind::u8: return f(static_cast<const std::uint8_t*>(nullptr));
    case Kind::u16: return f(static_cast<const std::uint16_t*>(nullptr));
    case Kind::u32: return f(static_cast<const std::uint32_t*>(nullptr));
    case Kind::u64: return f(static_cast<const std::uint64_t*>(nullptr));
    case Kind::f32: return f(static_cast<const float*>(nullptr));
    case Kind::f64: break;
  }
  return f(static_cast<const double*>(nullptr));
}

struct Dense {
  const void* data;
  Kind kind;
  std::int64_t rows, cols;
  std::int64_t row_stride, col_stride;  // in elements

  bool rows_contiguous() const { return col_stride == 1 || cols <= 1; }
};

struct Csr {
  const void* values;
  Kind kind;
  const void* indices;
  const void* starts;  // rows + 1 of them
  bool wide;           // indices and starts are 64 bits wide, not 32
  std::int64_t rows, cols, stored;
};

// Separate columns, each with its own type, as in a data frame: each is Dense with one column and all rows.
struct Columns {
  std::vector<Dense> columns;
  std::int64_t rows, cols;
};

// Calls f with typed pointers to the indices and starts.
template <class F>
auto with_index_type(const Csr& x, F&& f) {
  if (x.wide) {
    return f(static_cast<const std::int64_t*>(x.indices), static_cast<const std::int64_t*>(x.starts));
  }
  return f(static_cast<const std::int32_t*>(x.indices), static_cast<const std::int32_t*>(x.starts));
}

using Matrix = std::variant<Dense, Csr, Columns>;

inline std::int64_t rows_of(const Matrix& x) {
  return std::visit([](const auto& m) { return m.rows; }, x);
}
inline std::int64_t cols_of(const Matrix& x) {
  return std::visit([](const auto& m) { return m.cols; }, x);
}

// Rows [begin, end) as doubles, row after row, `width` apart; the padding after the last column is not written.
void load_rows(const Matrix& x, std::int64_t begin, std::int64_t end, double* out, std::int64_t width);

// The largest of the codes, each read as unsigned, so that a negative code is a very large one.
std::uint64_t largest_of(const std::int32_t* codes, std::int64_t count);
std::uint64_t largest_of(const std::int64_t* codes, std::int64_t count);

// True when every index lies in [0, cols) and the starts rise from 0 to the number of stored values.
bool is_well_formed(const Csr& x);

}  // namespace deciban
