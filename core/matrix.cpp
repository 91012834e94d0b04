#include "matrix.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "pool.hpp"

namespace deciban {
namespace {

template <class T>
void load_dense(const Dense& x, const T* data, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  if (x.rows_contiguous()) {
    for (std::int64_t r = begin; r < end; ++r, out += width) {
      const T* row = data + r * x.row_stride;
      for (std::int64_t c = 0; c < x.cols; ++c) out[c] = static_cast<double>(row[c]);
    }
    return;
  }
  for (std::int64_t c = 0; c < x.cols; ++c) {  // column-major: read along the memory
    const T* column = data + c * x.col_stride;
    double* to = out + c;
    for (std::int64_t r = begin; r < end; ++r, to += width) *to = static_cast<double>(column[r * x.row_stride]);
  }
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

}  // namespace

void load_rows(const Matrix& x, std::int64_t begin, std::int64_t end, double* out, std::int64_t width) {
  if (const Dense* dense = std::get_if<Dense>(&x)) {
    with_type(dense->kind, [&](auto* type) {
      load_dense(*dense, static_cast<decltype(type)>(dense->data), begin, end, out, width);
    });
  } else {
    load_sparse(std::get<Csr>(x), begin, end, out, width);
  }
}

bool is_well_formed(const Csr& x) {
  return with_index_type(x, [&](const auto* indices, const auto* starts) {
    if (starts[0] != 0 || starts[x.rows] != x.stored) return false;
    for (std::int64_t r = 0; r < x.rows; ++r) {
      if (starts[r] > starts[r + 1]) return false;
    }
    using Index = std::remove_cvref_t<decltype(*indices)>;
    using Unsigned = std::make_unsigned_t<Index>;
    const Stripes cut = stripes(x.stored, 1, 0);
    std::atomic<bool> inside = true;
    parallel_for(cut.count, [&](std::int64_t s) {
      Unsigned highest = 0;  // a negative index becomes a very large one
      for (std::int64_t k = cut.begin(s); k < cut.end(s); ++k) {
        highest = std::max(highest, static_cast<Unsigned>(indices[k]));
      }
      if (cut.begin(s) < cut.end(s) && highest >= static_cast<std::uint64_t>(x.cols)) inside = false;
    });
    return inside.load();
  });
}

}  // namespace deciban
