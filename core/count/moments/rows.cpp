#include "count/moments/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "count/moments/double_double.hpp"
#include "run/lanes.hpp"

namespace deciban {
namespace {

constexpr std::size_t joined_rows = 512;  // after which high and low parts are joined

// Columns at a time.
struct Eight {
  static constexpr int width = 8;
  using Doubles = Lanes;
};
struct Two {
  static constexpr int width = 2;
  using Doubles = TwoDoubles;
};
struct One {
  static constexpr int width = 1;
  using Doubles = double;
};

template <class V, class T>
DECIBAN_INLINE V values_at(const T* p) {
  V values;
  std::memcpy(&values, p, sizeof(V));
  return values;
}

template <class Some, class T>
DECIBAN_INLINE typename Some::Doubles doubles_at(const T* p) {
  if constexpr (std::is_same_v<T, double>) {
    return values_at<typename Some::Doubles>(p);
  } else if constexpr (Some::width == 1) {
    return static_cast<double>(*p);
  } else {
    typename Some::Doubles values{};
    for (int i = 0; i < Some::width; ++i) values[i] = static_cast<double>(p[i]);
    return values;
  }
}

// Rows of a class are read out of order, which the processor's prefetcher does not follow; so rows are prefetched in
// order, as many as are added.
template <class T>
struct Walk {
  const T* data;
  const T* ahead;  // the row to fetch next
  std::int64_t stride;

  Walk(const T* values, const Rows& rows, std::size_t classes) : data(values), stride(rows.stride) {
    constexpr auto most = static_cast<std::int64_t>((1 << 18) / sizeof(T));  // in elements
    const auto buffered = static_cast<std::int64_t>(most_buffered * classes);
    ahead = values + std::min(buffered + 8, most / std::max<std::int64_t>(rows.stride, 1)) * rows.stride;
  }
};

// By how much the rounded product of a and b misses it, exactly.
template <bool fused, class V>
DECIBAN_INLINE V error_of_product(V a, V b, V product) {
  if constexpr (!fused) {
    return error_of_split_product(a, b, product);
  } else if constexpr (std::is_same_v<V, double>) {
    return std::fma(a, b, -product);
  } else {
    V error{};
    for (std::size_t i = 0; i < sizeof(V) / sizeof(double); ++i) error[i] = std::fma(a[i], b[i], -product[i]);
    return error;
  }
}

// Adds the buffered rows to the sums of `width` columns from c on, row by row. The low parts gather every rounding
// error. The exact difference of two floats within a factor of 2 is a float, and its square is exact as a double.
template <bool fused, bool exact, bool weighted, class Some, class T>
DECIBAN_INLINE void add_columns(const Walk<T>& walk, std::int64_t c, const ClassSums& sums) {
  using V = typename Some::Doubles;
  constexpr bool is_square_exact = std::is_same_v<T, float> && !exact && !weighted;
  const V shift = doubles_at<Some>(sums.shift + c);
  V first = doubles_at<Some>(sums.first + c), first_low = doubles_at<Some>(sums.first_low + c);
  V second = doubles_at<Some>(sums.second + c), second_low = doubles_at<Some>(sums.second_low + c);
  for (std::size_t k = 0; k < sums.buffered; ++k) {
    prefetch_far(walk.ahead + static_cast<std::int64_t>(k) * walk.stride + c);
    const V x = doubles_at<Some>(walk.data + sums.starts[k] + c);
    const V d = x - shift;
    V rest{}, term = d, term_low{};
    if constexpr (exact) term_low = rest = error_of_sum(x, -shift, d);
    if constexpr (weighted) {
      const V weight = V{} + sums.weights[k];
      term = weight * d;
      term_low = error_of_product<fused>(weight, d, term) + weight * rest;
    }
    const V square = term * d;
    V square_low{};
    if constexpr (!is_square_exact) square_low = error_of_product<fused>(term, d, square);
    if constexpr (weighted) square_low += term_low * d;
    if constexpr (exact) square_low += weighted ? term * rest : (2.0 * d + rest) * rest;
    const V first_sum = first + term, second_sum = second + square;
    const V first_error = error_of_sum(first, term, first_sum);
    const V second_error = smaller(square, second) - (second_sum - larger(square, second));
    first = first_sum;
    first_low += exact || weighted ? first_error + term_low : first_error;
    second = second_sum;
    second_low += is_square_exact ? second_error : second_error + square_low;
  }
  std::memcpy(sums.first + c, &first, sizeof(V));
  std::memcpy(sums.first_low + c, &first_low, sizeof(V));
  std::memcpy(sums.second + c, &second, sizeof(V));
  std::memcpy(sums.second_low + c, &second_low, sizeof(V));
}

DECIBAN_INLINE void join_parts(double* high, double* low, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) {
    const Doubled sum = two_sum(high[c], low[c]);
    high[c] = sum.hi;
    low[c] = sum.lo;
  }
}

template <bool fused, bool exact, bool weighted, class T>
DECIBAN_INLINE void add_buffered(Walk<T>& walk, std::int64_t cols, ClassSums& sums) {
  std::int64_t c = 0;
  for (; c + 8 <= cols; c += 8) add_columns<fused, exact, weighted, Eight>(walk, c, sums);
  for (; c + 2 <= cols; c += 2) add_columns<fused, exact, weighted, Two>(walk, c, sums);
  if (c < cols) add_columns<fused, exact, weighted, One>(walk, c, sums);
  for (std::size_t k = 0; weighted && k < sums.buffered; ++k) {
    const Doubled sum = two_sum(sums.weight, sums.weights[k]);
    sums.weight = sum.hi;
    sums.weight_low += sum.lo;
  }
  if (!weighted) sums.weight += static_cast<double>(sums.buffered);
  walk.ahead += static_cast<std::int64_t>(sums.buffered) * walk.stride;
  sums.added += sums.buffered;
  sums.buffered = 0;
  if (sums.added < joined_rows) return;
  join_parts(sums.first, sums.first_low, cols);
  join_parts(sums.second, sums.second_low, cols);
  sums.added = 0;
}

// The shift of a column is the class's first value where the next ones are close to it. The difference of two
// numbers that are within a factor of 2 is exact (Sterbenz); far from 0 the sums would lose as many digits as the
// offset has.
template <class T>
DECIBAN_INLINE void choose_shift(const T* data, const Rows& rows, std::int64_t row, ClassSums& sums) {
  constexpr std::int64_t seen_rows = 8, most_ahead = 256;
  constexpr double close = 1.0 / 512;  // so that the sum of a block of squares still shows it
  double* __restrict shift = sums.shift;
  const T* own = data + row * rows.stride;
  for (std::int64_t c = 0; c < rows.cols; ++c) shift[c] = std::isfinite(own[c]) ? static_cast<double>(own[c]) : 0.0;
  const std::int64_t end = std::min(row + most_ahead, rows.count);
  for (std::int64_t r = row + 1, seen = 1; r < end && seen < seen_rows; ++r) {
    if (rows.y[r] != rows.y[row]) continue;
    ++seen;
    const T* other = data + r * rows.stride;
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      const double off = std::abs(static_cast<double>(other[c]) - shift[c]);
      shift[c] = off > close * std::abs(shift[c]) ? 0.0 : shift[c];
    }
  }
  sums.has_shift = true;
}

template <bool fused, bool exact, bool weighted, class T>
DECIBAN_INLINE void add_all(const T* data, const Rows& rows, std::vector<ClassSums>& sums) {
  Walk<T> walk(data, rows, sums.size());
  for (std::int64_t r = 0; r < rows.count; ++r) {
    ClassSums& mine = sums[static_cast<std::size_t>(rows.y[r])];
    if constexpr (weighted) {
      if (rows.weights[r] == 0.0) continue;
      mine.weights[mine.buffered] = rows.weights[r];
    }
    if (!mine.has_shift) choose_shift(data, rows, r, mine);
    mine.starts[mine.buffered++] = r * rows.stride;
    if (mine.buffered == most_buffered) add_buffered<fused, exact, weighted>(walk, rows.cols, mine);
  }
  for (ClassSums& mine : sums) {
    if (mine.buffered > 0) add_buffered<fused, exact, weighted>(walk, rows.cols, mine);
  }
}

template <bool fused, bool exact, class T>
DECIBAN_INLINE void add_any(const T* data, const Rows& rows, std::vector<ClassSums>& sums) {
  rows.weights == nullptr ? add_all<fused, exact, false>(data, rows, sums)
                          : add_all<fused, exact, true>(data, rows, sums);
}

// Clones for newer processors multiply and add in one step; the baseline splits numbers instead.
using Sums = std::vector<ClassSums>;
DECIBAN_CLONES void add_fused(const double* data, const Rows& rows, Sums& sums) {
  add_any<true, false>(data, rows, sums);
}
DECIBAN_CLONES void add_fused(const float* data, const Rows& rows, Sums& sums) {
  add_any<true, false>(data, rows, sums);
}
DECIBAN_CLONES void add_fused_exact(const double* data, const Rows& rows, Sums& sums) {
  add_any<true, true>(data, rows, sums);
}
DECIBAN_CLONES void add_fused_exact(const float* data, const Rows& rows, Sums& sums) {
  add_any<true, true>(data, rows, sums);
}

template <class T>
void choose_and_add(const T* data, const Rows& rows, Sums& sums, bool exact) {
  static const bool fused = has_fused();
  if (fused) {
    exact ? add_fused_exact(data, rows, sums) : add_fused(data, rows, sums);
  } else {
    exact ? add_any<false, true>(data, rows, sums) : add_any<false, false>(data, rows, sums);
  }
}

}  // namespace

void add_rows(const double* data, const Rows& rows, Sums& sums, bool exact) {
  choose_and_add(data, rows, sums, exact);
}

void add_rows(const float* data, const Rows& rows, Sums& sums, bool exact) {
  choose_and_add(data, rows, sums, exact);
}

}  // namespace deciban
