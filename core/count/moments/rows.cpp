#include "count/moments/rows.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "count/moments/double_double.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"

namespace deciban {
namespace {

constexpr std::size_t joined_rows = 512;  // after which high and low parts are joined

// N columns at a time.
template <class Set, int N>
struct DoublesOf {
  using Type = Numbers<Set, double, N>;
};
template <class Set>
struct DoublesOf<Set, 1> {
  using Type = double;
};
template <class Set, int N>
using Doubles = typename DoublesOf<Set, N>::Type;

template <class Set, int N, class T>
DECIBAN_INLINE Doubles<Set, N> doubles_at(const T* p) {
  if constexpr (N == 1) {
    return static_cast<double>(*p);
  } else if constexpr (std::is_same_v<T, double>) {
    return vector_at<Doubles<Set, N>>(p);
  } else {
    return converted<Doubles<Set, N>>(vector_at<Numbers<Set, T, N>>(p));
  }
}
DECIBAN_INLINE void put_doubles(double* p, double x) {
  *p = x;
}
template <class V>
DECIBAN_INLINE void put_doubles(double* p, const V& v) {
  put_vector(p, v);
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
template <bool has_fma, class V>
DECIBAN_INLINE V error_of_product(const V& a, const V& b, const V& product) {
  if constexpr (has_fma) {
    return fused(a, b, -product);
  } else {
    return error_of_split_product(a, b, product);
  }
}

// a + b, by the units that multiply: half of the additions go there, as the others have no room for all of them.
template <class Set, class V>
DECIBAN_INLINE V add_fused(const V& a, const V& b) {
  if constexpr (Set::has_fma) {
    return fused(a, V{} + 1.0, b);
  } else {
    return a + b;
  }
}

// Adds the buffered rows to the sums of N columns from c on, row by row. The low parts gather every rounding
// error. The exact difference of two floats within a factor of 2 is a float, and its square is exact as a double.
template <class Set, int N, bool exact, bool weighted, bool prefetched, class T>
DECIBAN_INLINE void add_columns(const Walk<T>& walk, std::int64_t c, const ClassSums& sums) {
  using V = Doubles<Set, N>;
  constexpr bool is_square_exact = std::is_same_v<T, float> && !exact && !weighted;
  const V shift = doubles_at<Set, N>(sums.shift + c);
  V first = doubles_at<Set, N>(sums.first + c), first_low = doubles_at<Set, N>(sums.first_low + c);
  V second = doubles_at<Set, N>(sums.second + c), second_low = doubles_at<Set, N>(sums.second_low + c);
  for (std::size_t k = 0; k < sums.buffered; ++k) {
    if constexpr (!prefetched) prefetch_far(walk.ahead + static_cast<std::int64_t>(k) * walk.stride + c);
    const V x = doubles_at<Set, N>(walk.data + sums.starts[k] + c);
    const V d = add_fused<Set>(x, -shift);
    V rest{}, term = d, term_low{};
    if constexpr (exact) term_low = rest = error_of_sum(x, -shift, d);
    if constexpr (weighted) {
      const V weight = V{} + sums.weights[k];
      term = weight * d;
      term_low = error_of_product<Set::has_fma>(weight, d, term) + weight * rest;
    }
    const V square = term * d;
    V square_low{};
    if constexpr (!is_square_exact) square_low = error_of_product<Set::has_fma>(term, d, square);
    if constexpr (weighted) square_low += term_low * d;
    if constexpr (exact) square_low += weighted ? term * rest : (2.0 * d + rest) * rest;
    const V first_sum = first + term, second_sum = add_fused<Set>(square, second);
    const V part = add_fused<Set>(first_sum, -first);  // error_of_sum(first, term, first_sum)
    const V first_error = (first - (first_sum - part)) + add_fused<Set>(term, -part);
    const V second_error = add_fused<Set>(smaller(square, second), larger(square, second) - second_sum);
    first = first_sum;
    first_low = add_fused<Set>(first_low, exact || weighted ? first_error + term_low : first_error);
    second = second_sum;
    second_low += is_square_exact ? second_error : add_fused<Set>(second_error, square_low);
  }
  put_doubles(sums.first + c, first);
  put_doubles(sums.first_low + c, first_low);
  put_doubles(sums.second + c, second);
  put_doubles(sums.second_low + c, second_low);
}

DECIBAN_INLINE void join_parts(double* high, double* low, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) {
    const Doubled sum = two_sum(high[c], low[c]);
    high[c] = sum.hi;
    low[c] = sum.lo;
  }
}

template <class Set, bool exact, bool weighted, class T>
DECIBAN_INLINE void add_buffered(Walk<T>& walk, std::int64_t cols, ClassSums& sums) {
  constexpr int most = Set::moments_at_a_time;
  std::int64_t c = 0;
  for (; c + 8 <= cols; c += 8) {  // one prefetch for eight columns
    add_columns<Set, most, exact, weighted, false>(walk, c, sums);
    for (std::int64_t part = most; part < 8; part += most) {
      add_columns<Set, most, exact, weighted, true>(walk, c + part, sums);
    }
  }
  for (; c + 2 <= cols; c += 2) add_columns<Set, 2, exact, weighted, false>(walk, c, sums);
  if (c < cols) add_columns<Set, 1, exact, weighted, false>(walk, c, sums);
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

template <class Set, bool exact, bool weighted, class T>
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
    if (mine.buffered == most_buffered) add_buffered<Set, exact, weighted>(walk, rows.cols, mine);
  }
  for (ClassSums& mine : sums) {
    if (mine.buffered > 0) add_buffered<Set, exact, weighted>(walk, rows.cols, mine);
  }
}

using Sums = std::vector<ClassSums>;

template <class T>
void add_any(const T* data, const Rows& rows, Sums& sums, bool exact) {
  const bool weighted = rows.weights != nullptr;
  on_instruction_set([=, &rows, &sums](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    if (weighted) {
      exact ? add_all<Set, true, true>(data, rows, sums) : add_all<Set, false, true>(data, rows, sums);
    } else {
      exact ? add_all<Set, true, false>(data, rows, sums) : add_all<Set, false, false>(data, rows, sums);
    }
  });
}

}  // namespace

void add_rows(const double* data, const Rows& rows, Sums& sums, bool exact) {
  add_any(data, rows, sums, exact);
}

void add_rows(const float* data, const Rows& rows, Sums& sums, bool exact) {
  add_any(data, rows, sums, exact);
}

}  // namespace deciban
