#include "count/moments/cross.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "count/moments/double_double.hpp"
#include "run/at.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 256;  // rows whose differences are laid out at a time: they stay in a near cache

// The differences of one block, a column after the other, and of the number 1 as the last column; padded by zeros.
class Block {
 public:
  Block(const ShiftedColumns& columns, std::span<const double> weights)
      : columns_(columns), weights_(weights), count_(static_cast<std::int64_t>(columns.shifts.size())) {
    const auto size = at((count_ + 1) * block);
    d_.resize(size);
    sizes_.resize(at(count_ + 1));
    if (is_weighted()) {
      high_.resize(size);
      low_.resize(size);
    }
  }

  bool is_weighted() const { return !weights_.empty(); }
  std::int64_t vectors() const { return vectors_; }
  const double* factor(std::int64_t c) const { return d_.data() + c * block; }
  // w·d = high + low
  const double* term(std::int64_t c) const { return (is_weighted() ? high_ : d_).data() + c * block; }
  const double* term_low(std::int64_t c) const { return low_.data() + c * block; }
  // At least √Σ w·d² in every lane, so that |Σ w·d_i·d_j| ≤ size_i·size_j (Cauchy and Schwarz).
  double size(std::int64_t c) const { return sizes_[at(c)]; }

  template <class Set>
  DECIBAN_INLINE void fill(std::int64_t begin, std::int64_t rows) {
    vectors_ = padded(rows) / lanes;
    for (std::int64_t c = 0; c <= count_; ++c) {
      double* d = d_.data() + c * block;
      if (c < count_) {
        const double* x = columns_.column(c) + begin;
        const double shift = columns_.shifts[at(c)];
        for (std::int64_t r = 0; r < rows; ++r) d[r] = x[r] - shift;
      } else {
        std::fill_n(d, rows, 1.0);
      }
      std::fill(d + rows, d + vectors_ * lanes, 0.0);
      if (is_weighted()) weigh<Set>(c, begin, rows);
      Lanes<Set> squares{};
      for (std::int64_t v = 0; v < vectors_; ++v)
        squares += lanes_at<Set>(term(c) + v * lanes) * lanes_at<Set>(d + v * lanes);
      constexpr double rounding = 1.0 + 1e-12;
      sizes_[at(c)] = std::sqrt(largest_lane(squares)) * rounding;
    }
  }

 private:
  template <class Set>
  DECIBAN_INLINE void weigh(std::int64_t c, std::int64_t begin, std::int64_t rows) {
    double *high = high_.data() + c * block, *low = low_.data() + c * block;
    std::fill_n(high, vectors_ * lanes, 0.0);
    std::fill_n(low, vectors_ * lanes, 0.0);
    for (std::int64_t r = 0; r < rows; ++r) {
      const Doubled term = two_product<Set::has_fma>(weights_[at(begin + r)], d_[at(c * block + r)]);
      high[r] = term.hi;
      low[r] = term.lo;
    }
  }

  const ShiftedColumns& columns_;
  std::span<const double> weights_;
  std::int64_t count_, vectors_ = 0;
  std::vector<double> d_, high_, low_, sizes_;
};

// A number whose last place stays the same when anything up to `bound` in size is added to it: 6·2^e, 2^(e+1) > bound.
DECIBAN_INLINE double anchor_of(double bound) {
  constexpr std::uint64_t exponent = 0x7FF0000000000000;
  return 6.0 * std::bit_cast<double>(std::bit_cast<std::uint64_t>(bound) & exponent);
}

// The products of column a with `many` others. Their sum starts at an anchor that is larger than all of it, so that the
// rounding error of each addition takes two operations and not five, and is exact.
template <class Set, bool weighted, int many>
DECIBAN_INLINE void add_products(const Block& rows, std::int64_t a, const std::int32_t* partners, double* totals) {
  using V = Lanes<Set>;
  const double *x = rows.term(a), *x_low = weighted ? rows.term_low(a) : nullptr;
  const double* y[many];
  V anchor[many], high[many], low[many];
  for (int k = 0; k < many; ++k) {
    y[k] = rows.factor(partners[k]);
    anchor[k] = high[k] = all_lanes<Set>(anchor_of(rows.size(a) * rows.size(partners[k])));
    low[k] = V{};
  }
  for (std::int64_t r = 0; r < rows.vectors() * lanes; r += lanes) {
    const V left = lanes_at<Set>(x + r);
    for (int k = 0; k < many; ++k) {
      const V right = lanes_at<Set>(y[k] + r), product = left * right;
      V error;
      if constexpr (Set::has_fma) {
        error = fused(left, right, -product);
      } else {
        error = error_of_split_product(left, right, product);
      }
      if constexpr (weighted) error += lanes_at<Set>(x_low + r) * right;
      const V sum = high[k] + product;
      low[k] += (product - (sum - high[k])) + error;
      high[k] = sum;
    }
  }
  for (int k = 0; k < many; ++k, totals += 2 * lanes) {
    const V part = high[k] - anchor[k], before = lanes_at<Set>(totals), sum = before + part;
    const V rest = lanes_at<Set>(totals + lanes) + (error_of_sum(before, part, sum) + low[k]), both = sum + rest;
    put_vector(totals, both);
    put_vector(totals + lanes, rest - (both - sum));
  }
}

template <class Set, bool weighted>
DECIBAN_INLINE void add_block(const Block& rows, const RaggedList<std::int32_t>& partners, double* totals) {
  constexpr int many = Set::sums_in_registers / 2;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const std::span<const std::int32_t> others = partners[i];
    const auto a = static_cast<std::int64_t>(i);
    std::size_t k = 0;
    for (; k + many <= others.size(); k += many, totals += many * 2 * lanes) {
      add_products<Set, weighted, many>(rows, a, &others[k], totals);
    }
    for (; k < others.size(); ++k, totals += 2 * lanes) add_products<Set, weighted, 1>(rows, a, &others[k], totals);
  }
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

template <class Set>
DECIBAN_INLINE Range range_of(std::span<const double> x) {
  using V = Lanes<Set>;
  const auto count = static_cast<std::int64_t>(x.size());
  Range range;
  V low = all_lanes<Set>(range.low), high = all_lanes<Set>(range.high), zero{};  // `zero` becomes NaN beside a NaN
  std::int64_t r = 0;
  for (; r + lanes <= count; r += lanes) {
    const V values = lanes_at<Set>(x.data() + r);
    low = smaller(low, values);
    high = larger(high, values);
    zero += values - values;
  }
  range = {-largest_lane(-low), largest_lane(high)};
  double missing = sum_lanes(zero);
  for (; r < count; ++r) {
    range = {smaller(range.low, x[at(r)]), larger(range.high, x[at(r)])};
    missing += x[at(r)] - x[at(r)];
  }
  return {range.low + missing, range.high + missing};
}

Doubled sum_of_lanes(const double* totals) {
  Doubled sum;
  for (std::int64_t lane = 0; lane < lanes; ++lane) sum = sum + Doubled{totals[lane], totals[lanes + lane]};
  return sum;
}

}  // namespace

std::vector<double> cross_sums(const ShiftedColumns& columns, const RaggedList<std::int32_t>& partners,
                               std::span<const double> weights) {
  const std::size_t pairs = partners.values.size();
  const auto width = static_cast<std::int64_t>(pairs * 2 * lanes);
  const Stripes cut =
      stripes(columns.rows, static_cast<std::int64_t>(pairs), width * static_cast<std::int64_t>(sizeof(double)));
  std::vector<std::vector<Doubled>> parts(at(cut.count), std::vector<Doubled>(pairs));
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<double> totals(at(width));
    Block rows(columns, weights);
    for (std::int64_t r = cut.begin(s); r < cut.end(s); r += block) {
      const std::int64_t count = std::min(block, cut.end(s) - r);
      on_instruction_set([&, totals = totals.data()](auto set) DECIBAN_INLINE_LAMBDA {
        using Set = decltype(set);
        rows.fill<Set>(r, count);
        if (rows.is_weighted()) {
          add_block<Set, true>(rows, partners, totals);
        } else {
          add_block<Set, false>(rows, partners, totals);
        }
      });
    }
    for (std::size_t k = 0; k < pairs; ++k) parts[at(s)][k] = sum_of_lanes(totals.data() + k * 2 * lanes);
  });
  std::vector<double> out(2 * pairs);
  for (std::size_t k = 0; k < pairs; ++k) {
    Doubled sum;
    for (const std::vector<Doubled>& part : parts) sum = sum + part[k];  // in stripe order
    out[k] = sum.hi;
    out[pairs + k] = sum.lo;
  }
  return out;
}

std::vector<double> column_ranges(std::span<const double> values, std::int64_t columns) {
  const std::int64_t rows = static_cast<std::int64_t>(values.size()) / columns;
  const Stripes cut = stripes(rows, columns, columns * static_cast<std::int64_t>(sizeof(Range)));
  std::vector<Range> parts(at(cut.count * columns));
  parallel_for(cut.count, [&](std::int64_t s) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto part = values.subspan(at(c * rows + cut.begin(s)), at(cut.end(s) - cut.begin(s)));
      parts[at(s * columns + c)] =
          on_instruction_set([part](auto set) DECIBAN_INLINE_LAMBDA { return range_of<decltype(set)>(part); });
    }
  });
  std::vector<double> out(at(2 * columns));
  for (std::int64_t c = 0; c < columns; ++c) {
    Range range;
    double missing = 0.0;
    for (std::int64_t s = 0; s < cut.count; ++s) {
      const Range& part = parts[at(s * columns + c)];
      range = {smaller(range.low, part.low), larger(range.high, part.high)};
      if (std::isnan(part.low)) missing = part.low;
    }
    out[at(c)] = range.low + missing;
    out[at(columns + c)] = range.high + missing;
  }
  return out;
}

}  // namespace deciban
