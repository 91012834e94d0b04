// A block of rows as 32-bit category codes, checked while it is read.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "read/matrix.hpp"
#include "run/compiler.hpp"
#include "run/fault.hpp"

namespace deciban {

struct CodeRules {
  bool missing_allowed;      // NaN, and −1 where `minus_is_missing`, are skipped; otherwise they are faults
  bool minus_is_missing;     // −1 stands for a missing value, as in encoded columns
  std::int64_t most_states;  // a larger code is a fault: its column is too wide for a dense table
};

inline constexpr std::uint32_t missing_code = 0xFFFFFFFF;
// Whether each of the codes lies in [0, size).
bool are_codes(std::span<const std::int32_t> codes, std::int64_t size);

// How often each code of [0, size) occurs.
std::vector<std::int64_t> count_occurrences(std::span<const std::int32_t> codes, std::int64_t size);

inline constexpr std::uint32_t largest_code = 0xFFFFFFFD;

// Converts values to codes and records whether all of them were valid codes, without a branch.
template <class T>
class CodeReader {
 public:
  DECIBAN_INLINE std::uint32_t read(T value) {
    const Wide code = static_cast<Wide>(value);  // a negative value becomes a very large one
    highest_ = highest_ > code ? highest_ : code;
    return static_cast<std::uint32_t>(code);
  }
  bool is_plain() const { return highest_ <= largest_code; }
  std::uint32_t largest() const { return static_cast<std::uint32_t>(highest_); }

 private:
  using Wide = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
  Wide highest_ = 0;
};

template <std::floating_point T>
class CodeReader<T> {
 public:
  DECIBAN_INLINE std::uint32_t read(T value) {
    const bool inside = value >= T{0} && value < T{1 << 30};  // false for NaN
    const auto code = static_cast<std::int32_t>(inside ? value : T{0});
    is_plain_ &= inside & (static_cast<T>(code) == value);
    highest_ = highest_ > code ? highest_ : code;
    return static_cast<std::uint32_t>(code);
  }
  bool is_plain() const { return is_plain_; }
  std::uint32_t largest() const { return static_cast<std::uint32_t>(highest_); }

 private:
  std::int32_t highest_ = 0;
  bool is_plain_ = true;
};

// Rows [begin, end) of x as codes, `width` apart. False where some value may not be a code: then the output must not be
// used, and `load_codes_checked` reads the values one by one.
template <class T>
DECIBAN_INLINE bool load_codes_fast(const Dense& x, std::int64_t begin, std::int64_t end, std::uint32_t* out,
                                    std::int64_t width, std::uint32_t* largest) {
  const T* data = static_cast<const T*>(x.data);
  CodeReader<T> reader;
  const auto read = [&](T value) DECIBAN_INLINE_LAMBDA { return reader.read(value); };
  const bool flat = x.rows_contiguous() && x.row_stride == x.cols && width == x.cols;
  if (flat) {  // the block is one long row
    const T* block = data + begin * x.row_stride;
    for (std::int64_t k = 0; k < (end - begin) * x.cols; ++k) out[k] = read(block[k]);
  } else if (x.rows_contiguous() && x.cols > 1) {
    for (std::int64_t r = begin; r < end; ++r, out += width) {
      const T* row = data + r * x.row_stride;
      for (std::int64_t c = 0; c < x.cols; ++c) out[c] = read(row[c]);
    }
  } else {
    for (std::int64_t c = 0; c < x.cols; ++c) {
      const T* column = data + c * x.col_stride;
      for (std::int64_t r = begin; r < end; ++r) out[(r - begin) * width + c] = read(column[r * x.row_stride]);
    }
  }
  *largest = reader.largest();
  return reader.is_plain();
}

// The same for any input, value by value: missing values become missing_code, invalid values are faults.
void load_codes_checked(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                        std::vector<double>& scratch, std::uint32_t* out, Fault& fault);

// Codes of rows [begin, end), by the fast function where possible. No code but missing_code is above `largest`.
// True where some code may be missing_code.
bool load_codes(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                std::vector<double>& scratch, std::uint32_t* out, std::uint32_t* largest, Fault& fault);

}  // namespace deciban
