#include "count/moments/cross.hpp"

#include <algorithm>

#include "count/moments/double_double.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

struct Rows {
  const double* values;
  const double* weights;  // null when all are 1
  const double* shifts;
  std::int64_t count, cols;
};

// One row of a table: sums[j] += term·d[j].
template <bool fused>
DECIBAN_INLINE void add_products(Doubled term, const double* d, std::int64_t count, double* high, double* low) {
  for (std::int64_t first = 0; first < count; first += lanes) {  // whole vectors: rows are padded
    DECIBAN_INDEPENDENT                                          // the tables lie apart
    for (std::int64_t j = first; j < first + lanes; ++j) {
      const Doubled product = two_product<fused>(term.hi, d[j]);
      const double sum = high[j] + product.hi;
      low[j] += error_of_sum(high[j], product.hi, sum) + (product.lo + term.lo * d[j]);
      high[j] = sum;
    }
  }
}

template <bool fused>
DECIBAN_INLINE void add_rows(const Rows& rows, double* d, double* sums) {
  const std::int64_t n = rows.cols, width = padded(n);
  double* high = sums + 2 * width;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const double weight = rows.weights == nullptr ? 1.0 : rows.weights[r];
    for (std::int64_t j = 0; j < n; ++j) d[j] = rows.values[r * n + j] - rows.shifts[j];
    add_products<fused>({weight, 0.0}, d, n, sums, sums + width);
    for (std::int64_t i = 0; i < n; ++i) {
      add_products<fused>(two_product<fused>(weight, d[i]), d, i + 1, high + i * width, high + (n + i) * width);
    }
  }
}

// High and low parts of one table and of another, added up.
void join(double* high, double* low, const double* other_high, const double* other_low, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const Doubled sum = two_sum(high[k], low[k]) + two_sum(other_high[k], other_low[k]);
    high[k] = sum.hi;
    low[k] = sum.lo;
  }
}

}  // namespace

std::vector<double> cross_sums(std::span<const double> values, std::int64_t cols, std::span<const double> weights,
                               std::span<const double> shifts) {
  constexpr std::int64_t chunk_rows = 512;  // after which high and low parts are joined
  const std::int64_t rows = static_cast<std::int64_t>(values.size()) / cols;
  const std::int64_t width = padded(cols), cells = cols * width;
  const auto size = static_cast<std::size_t>(2 * (width + cells));
  const Stripes cut = stripes(rows, cols * (cols + 1) / 2, static_cast<std::int64_t>(size) * 16);
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(cut.count), std::vector<double>(size));
  const auto join_all = [&](std::vector<double>& to, const std::vector<double>& from) {
    join(to.data(), to.data() + width, from.data(), from.data() + width, width);
    const double* other = from.data() + 2 * width;
    join(to.data() + 2 * width, to.data() + 2 * width + cells, other, other + cells, cells);
  };
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<double> d(static_cast<std::size_t>(width)), chunk(size);
    for (std::int64_t r = cut.begin(s); r < cut.end(s); r += chunk_rows) {
      const Rows some{values.data() + r * cols, weights.empty() ? nullptr : weights.data() + r, shifts.data(),
                      std::min(chunk_rows, cut.end(s) - r), cols};
      std::fill(chunk.begin(), chunk.end(), 0.0);
      on_instruction_set([&some, d = d.data(), sums = chunk.data()](auto set)
                             DECIBAN_INLINE_LAMBDA { add_rows<decltype(set)::has_fma>(some, d, sums); });
      join_all(parts[static_cast<std::size_t>(s)], chunk);
    }
  });
  for (std::size_t s = 1; s < parts.size(); ++s) join_all(parts[0], parts[s]);  // in stripe order
  return std::move(parts[0]);
}

}  // namespace deciban
