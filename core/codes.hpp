// A block of rows as 32-bit category codes, checked while it is read.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "clones.hpp"
#include "fault.hpp"
#include "matrix.hpp"
#include "tally.hpp"

namespace deciban {

inline constexpr std::uint32_t missing_code = 0xFFFFFFFF;
inline constexpr std::uint32_t largest_code = 0xFFFFFFFD;

// Rows [begin, end) of x as codes, `cols` apart. False when a value needs a look: then the codes are
// not to be used, and `load_codes_with_care` tells why or reads them right.
template <class T>
DECIBAN_INLINE bool load_codes_fast(const Dense& x, std::int64_t begin, std::int64_t end, std::uint32_t* out,
                                    std::uint32_t* largest) {
  using Wide = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
  const T* data = static_cast<const T*>(x.data);
  Wide highest = 0;
  if (x.rows_contiguous()) {
    for (std::int64_t r = begin; r < end; ++r, out += x.cols) {
      const T* row = data + r * x.row_stride;
      for (std::int64_t c = 0; c < x.cols; ++c) {
        const Wide code = static_cast<Wide>(row[c]);  // a negative value becomes a very large one
        highest = highest > code ? highest : code;
        out[c] = static_cast<std::uint32_t>(code);
      }
    }
  } else {
    for (std::int64_t c = 0; c < x.cols; ++c) {
      const T* column = data + c * x.col_stride;
      std::uint32_t* to = out + c;
      for (std::int64_t r = begin; r < end; ++r, to += x.cols) {
        const Wide code = static_cast<Wide>(column[r * x.row_stride]);
        highest = highest > code ? highest : code;
        *to = static_cast<std::uint32_t>(code);
      }
    }
  }
  if (highest > largest_code) return false;
  *largest = static_cast<std::uint32_t>(highest);
  return true;
}

// The same for any input, value by value: missing values become missing_code, what is no code a fault.
void load_codes_with_care(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                          std::vector<double>& scratch, std::uint32_t* out, Fault& fault);

// Codes of rows [begin, end): fast where the input allows it. `largest` is not below any code but the
// missing one.
void load_codes(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                std::vector<double>& scratch, std::uint32_t* out, std::uint32_t* largest, Fault& fault);

}  // namespace deciban
