#include "read/matrix.hpp"

#include <algorithm>
#include <atomic>

#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

template <class T>
void load_dense(const Dense& x, const T* data, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  if (x.rows_contiguous() && x.cols > 1) {
    for (std::int64_t r = begin; r < end; ++r, out += width) {
      const T* row = data + r * x.row_stride;
      for (std::int64_t c = 0; c < x.cols; ++c) out[c] = static_cast<double>(row[c]);
    }
    return;
  }
  for (std::int64_t c = 0; c < x.cols; ++c) {  // one column, or column-major: read along the memory
    const T* column = data + c * x.col_stride;
    double* to = out + c;
    for (std::int64_t r = begin; r < end; ++r, to += width) *to = static_cast<double>(column[r * x.row_stride]);
  }
}

void load_any_dense(const Dense& x, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  with_type(x.kind, [&](auto* type) { load_dense(x, static_cast<decltype(type)>(x.data), begin, end, out, width); });
}

void load_sparse(const Csr& x, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  with_type(x.kind, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(x.values);
    with_index_type(x, [&](const auto* indices, const auto* starts) {
      for (std::int64_t r = begin; r < end; ++r, out += width) {
        std::fill_n(out, x.cols, 0.0);
        for (auto k = starts[r]; k < starts[r + 1]; ++k) out[indices[k]] += static_cast<double>(values[k]);
      }
    });
  });
}

// A negative code becomes a very large one.
template <class U, class T>
std::uint64_t largest_unsigned(const T* codes, std::int64_t count) {
  return on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    U largest = 0;
    for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, static_cast<U>(codes[k]));
    return largest;
  });
}

}  // namespace

void load_rows(const Matrix& x, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  if (const Dense* dense = std::get_if<Dense>(&x)) {
    load_any_dense(*dense, begin, end, out, width);
  } else if (const Columns* separate = std::get_if<Columns>(&x)) {
    for (const Dense& column : separate->columns) load_any_dense(column, begin, end, out++, width);
  } else {
    load_sparse(std::get<Csr>(x), begin, end, out, width);
  }
}

std::uint64_t largest_of(const std::int32_t* codes, std::int64_t count) {
  return largest_unsigned<std::uint32_t>(codes, count);
}

std::uint64_t largest_of(const std::int64_t* codes, std::int64_t count) {
  return largest_unsigned<std::uint64_t>(codes, count);
}

bool is_well_formed(const Csr& x) {
  return with_index_type(x, [&](const auto* indices, const auto* starts) {
    if (starts[0] != 0 || starts[x.rows] != x.stored) return false;
    for (std::int64_t r = 0; r < x.rows; ++r) {
      if (starts[r] > starts[r + 1]) return false;
    }
    const Stripes cut = stripes(x.stored, 1, 0);
    std::atomic<bool> inside = true;
    parallel_for(cut.count, [&](std::int64_t s) {
      const std::int64_t count = cut.end(s) - cut.begin(s);
      const auto end = static_cast<std::uint64_t>(x.cols);
      if (count > 0 && largest_of(indices + cut.begin(s), count) >= end) inside = false;
    });
    return inside.load();
  });
}

}  // namespace deciban
