#include "count/moments/grouped.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "count/moments/double_double.hpp"
#include "run/at.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 64;         // rows whose factors are laid out at a time: they stay in the nearest cache
constexpr std::int64_t long_block = 4096;  // rows that all families read before the next ones

// Sum k of a group is of the products w·a_k·b_k, where a and b are 1 or a column.
struct Terms {
  std::int64_t columns, count, width;
  std::vector<std::int64_t> a, b;  // 0: the number 1; i: column i − 1

  explicit Terms(std::int64_t n) : columns(n), count(1 + n + n * (n + 1) / 2), width(padded(count)), a(1, 0), b(1, 0) {
    for (std::int64_t i = 1; i <= n; ++i) {
      a.push_back(0);
      b.push_back(i);
    }
    for (std::int64_t i = 1; i <= n; ++i) {
      for (std::int64_t j = 1; j <= i; ++j) {
        a.push_back(i);
        b.push_back(j);
      }
    }
  }
};

// Rows of one family: the group of each, −1 where it does not count, and its factors, rows × width.
struct Block {
  const std::int64_t* group;
  const double* a;
  const double* b;
  const double* weights;  // null when all are 1
  std::int64_t count, width;
};

template <bool fused>
DECIBAN_INLINE void add_rows(const Block& rows, double* sums) {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    if (rows.group[r] < 0) continue;
    const double weight = rows.weights == nullptr ? 1.0 : rows.weights[r];
    const double *a = rows.a + r * rows.width, *b = rows.b + r * rows.width;
    double *high = sums + rows.group[r] * 2 * rows.width, *low = high + rows.width;
    for (std::int64_t first = 0; first < rows.width; first += lanes) {  // whole vectors: rows are padded
      DECIBAN_INDEPENDENT                                               // the tables lie apart
      for (std::int64_t k = first; k < first + lanes; ++k) {
        const Doubled term = two_product<fused>(weight, a[k]);
        const Doubled product = two_product<fused>(term.hi, b[k]);
        const Doubled sum = two_sum(high[k], product.hi);
        const Doubled both = quick_sum(sum.hi, low[k] + (sum.lo + (product.lo + term.lo * b[k])));
        high[k] = both.hi;
        low[k] = both.lo;
      }
    }
  }
}

// The same where all weights are 1, in fewer steps.
template <bool fused>
DECIBAN_INLINE void add_whole_rows(const Block& rows, double* sums) {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    if (rows.group[r] < 0) continue;
    const double *a = rows.a + r * rows.width, *b = rows.b + r * rows.width;
    double *high = sums + rows.group[r] * 2 * rows.width, *low = high + rows.width;
    for (std::int64_t first = 0; first < rows.width; first += lanes) {
      DECIBAN_INDEPENDENT
      for (std::int64_t k = first; k < first + lanes; ++k) {
        const Doubled product = two_product<fused>(a[k], b[k]);
        const Doubled sum = two_sum(high[k], product.hi);
        const Doubled both = quick_sum(sum.hi, low[k] + (sum.lo + product.lo));
        high[k] = both.hi;
        low[k] = both.lo;
      }
    }
  }
}

void join(double* high, double* low, const double* other_high, const double* other_low, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const Doubled sum = Doubled{high[k], low[k]} + Doubled{other_high[k], other_low[k]};
    high[k] = sum.hi;
    low[k] = sum.lo;
  }
}

// One family's rows, laid out and added up block by block.
class Family {
 public:
  Family(const ShiftedColumns& numbers, const CodesWithMissing& codes, std::span<const std::int32_t> members,
         std::span<const std::int32_t> groups, std::span<const double> weights)
      : numbers_(numbers),
        codes_(codes),
        members_(members),
        groups_(groups),
        weights_(weights),
        terms_(static_cast<std::int64_t>(members.size())) {
    for (const std::int32_t column : groups) group_count_ *= codes.sizes[at(column)];
  }

  std::int64_t cells() const { return group_count_ * 2 * terms_.width; }
  std::int64_t groups() const { return group_count_; }
  std::int64_t width() const { return terms_.width; }
  std::int64_t work() const { return 2 * terms_.width; }

  void add(std::int64_t begin, std::int64_t end, std::vector<double>& factors, double* sums) const {
    for (std::int64_t r = begin; r < end; r += block) add_block(r, std::min(block, end - r), factors, sums);
  }

  // How many numbers `factors` must have room for.
  std::int64_t room() const { return block * (2 * terms_.width + terms_.columns + 1); }

 private:
  void add_block(std::int64_t begin, std::int64_t count, std::vector<double>& factors, double* sums) const {
    const std::int64_t width = terms_.width;
    double *a = factors.data(), *b = a + block * width, *d = b + block * width;
    std::array<std::int64_t, block> group;
    find_cells(codes_, groups_, begin, count, group.data());
    std::fill_n(d, block, 1.0);
    for (std::int64_t i = 0; i < terms_.columns; ++i) {
      const std::int32_t column = members_[at(i)];
      const double* x = numbers_.column(column) + begin;
      const double shift = numbers_.shifts[at(column)];
      double* out = d + (i + 1) * block;
      for (std::int64_t r = 0; r < count; ++r) {
        out[r] = x[r] - shift;
        if (std::isnan(x[r])) group[at(r)] = -1;
      }
    }
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t k = 0; k < terms_.count; ++k) {
        a[r * width + k] = d[terms_.a[at(k)] * block + r];
        b[r * width + k] = d[terms_.b[at(k)] * block + r];
      }
    }
    const Block rows{group.data(), a, b, weights_.empty() ? nullptr : weights_.data() + begin, count, width};
    on_instruction_set([&rows, sums](auto set) DECIBAN_INLINE_LAMBDA {
      if (rows.weights == nullptr) {
        add_whole_rows<decltype(set)::has_fma>(rows, sums);
      } else {
        add_rows<decltype(set)::has_fma>(rows, sums);
      }
    });
  }

  const ShiftedColumns& numbers_;
  const CodesWithMissing& codes_;
  std::span<const std::int32_t> members_, groups_;
  std::span<const double> weights_;
  Terms terms_;
  std::int64_t group_count_ = 1;
};

}  // namespace

std::int64_t sums_of_group(std::int64_t columns) {
  return padded(1 + columns + columns * (columns + 1) / 2);
}

std::vector<double> grouped_cross_sums(const ShiftedColumns& numbers, const CodesWithMissing& codes,
                                       const GroupedFamilies& families, std::span<const double> weights) {
  std::vector<Family> all;
  std::int64_t size = 0, work = 0, room = 0;
  for (std::size_t f = 0; f < families.numbers.size(); ++f) {
    all.emplace_back(numbers, codes, families.numbers[f], families.groups[f], weights);
    size += all.back().cells();
    work += all.back().work();
    room = std::max(room, all.back().room());
  }
  const Stripes cut = stripes(numbers.rows, work, size * static_cast<std::int64_t>(sizeof(double)));
  std::vector<std::vector<double>> parts(at(cut.count), std::vector<double>(at(size)));
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<double> factors(at(room));
    for (std::int64_t r = cut.begin(s); r < cut.end(s); r += long_block) {
      double* sums = parts[at(s)].data();
      for (const Family& family : all) {
        std::fill(factors.begin(), factors.end(), 0.0);  // what pads the rows of this family is 0
        family.add(r, std::min(r + long_block, cut.end(s)), factors, sums);
        sums += family.cells();
      }
    }
  });
  for (std::size_t s = 1; s < parts.size(); ++s) {  // in stripe order
    double *to = parts[0].data(), *from = parts[s].data();
    for (const Family& family : all) {
      for (std::int64_t g = 0; g < family.groups(); ++g, to += 2 * family.width(), from += 2 * family.width()) {
        join(to, to + family.width(), from, from + family.width(), family.width());
      }
    }
  }
  return std::move(parts[0]);
}

}  // namespace deciban
