#include "count/column_sets.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "run/clones.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 2048;
constexpr std::size_t ways = 4;            // tables that take turns, so that equal rows do not wait for one another
constexpr std::size_t small_table = 2048;  // cells up to which that pays

template <class T>
DECIBAN_INLINE void add_scaled(const T* values, std::int64_t count, std::uint32_t stride, std::uint32_t* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] += stride * static_cast<std::uint32_t>(values[i]);
}

DECIBAN_CLONES void add_codes(const std::uint8_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}
DECIBAN_CLONES void add_codes(const std::uint16_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}
DECIBAN_CLONES void add_codes(const std::uint32_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}

template <class T>
const T* column_at(const CodeColumns& codes, std::int32_t column) {
  return static_cast<const T*>(codes.data) + static_cast<std::int64_t>(column) * codes.rows;
}

// T: the type that counts while rows are read, u32 or double; Sum: what it ends up in.
template <class T, class Sum>
class SetCounter {
 public:
  SetCounter(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
             std::span<const double> weights)
      : codes_(codes), y_(y), classes_(static_cast<std::size_t>(classes)), weights_(weights) {
    for (std::int32_t c = 0; c < codes.cols; ++c) rooms_.push_back(room(c));
  }

  std::size_t size(std::span<const std::int32_t> columns) const {
    std::size_t cells = classes_;
    for (const std::int32_t c : columns) cells *= known(c);
    return cells;
  }

  void count(std::span<const std::int32_t> columns, Sum* out, std::vector<T>& table) const {
    std::size_t cells = classes_;
    for (const std::int32_t c : columns) cells *= rooms_[static_cast<std::size_t>(c)];
    const std::size_t tables = weights_.empty() && cells <= small_table ? ways : 1;
    table.assign(cells * tables, T{});
    std::array<std::uint32_t, block> at;
    for (std::int64_t begin = 0; begin < codes_.rows; begin += block) {
      const std::int64_t n = std::min(block, codes_.rows - begin);
      place(columns, begin, n, at.data());
      add(at.data(), begin, n, tables == ways ? cells : 0, table.data());
    }
    for (std::size_t way = 1; way < tables; ++way) {
      for (std::size_t cell = 0; cell < cells; ++cell) table[cell] += table[way * cells + cell];
    }
    copy_known(columns, table.data(), out);
  }

 private:
  std::size_t known(std::int32_t c) const {
    return static_cast<std::size_t>(codes_.sizes[static_cast<std::size_t>(c)]);
  }

  // The states of a column, and one more where a value is missing.
  std::size_t room(std::int32_t c) const {
    std::size_t largest = 0;
    const auto look = [&](const auto* values) {
      largest = static_cast<std::size_t>(*std::max_element(values, values + codes_.rows));
    };
    with_columns(c, look);
    return std::max(known(c), largest + 1);
  }

  template <class F>
  void with_columns(std::int32_t c, F&& f) const {
    if (codes_.kind == Kind::u8) {
      f(column_at<std::uint8_t>(codes_, c));
    } else if (codes_.kind == Kind::u16) {
      f(column_at<std::uint16_t>(codes_, c));
    } else {
      f(column_at<std::uint32_t>(codes_, c));
    }
  }

  // The place of each row's cell: mixed radix, the class innermost.
  void place(std::span<const std::int32_t> columns, std::int64_t begin, std::int64_t n, std::uint32_t* at) const {
    std::transform(y_.data() + begin, y_.data() + begin + n, at,
                   [](std::int32_t j) { return static_cast<std::uint32_t>(j); });
    std::size_t stride = classes_;
    for (std::size_t k = columns.size(); k-- > 0;) {
      with_columns(columns[k],
                   [&](const auto* values) { add_codes(values + begin, n, static_cast<std::uint32_t>(stride), at); });
      stride *= rooms_[static_cast<std::size_t>(columns[k])];
    }
  }

  void add(const std::uint32_t* at, std::int64_t begin, std::int64_t n, std::size_t apart, T* table) const {
    const auto whole = static_cast<std::size_t>(n);
    if constexpr (std::is_floating_point_v<T>) {
      const double* weight = weights_.data() + begin;
      for (std::size_t i = 0; i < whole; ++i) table[at[i]] += weight[i];
    } else {
      std::size_t i = 0;
      for (; i + ways <= whole; i += ways) {
        for (std::size_t way = 0; way < ways; ++way) ++table[apart * way + at[i + way]];
      }
      for (; i < whole; ++i) ++table[at[i]];
    }
  }

  // The cells without those of missing values; `inner` of them lie side by side in both tables.
  void copy_known(std::span<const std::int32_t> columns, const T* table, Sum* out) const {
    if (columns.empty()) {
      std::copy_n(table, classes_, out);
      return;
    }
    const std::size_t first = known(columns[0]);
    std::size_t from = classes_, to = classes_;
    for (const std::int32_t c : columns.subspan(1)) {
      from *= rooms_[static_cast<std::size_t>(c)];
      to *= known(c);
    }
    if (from == to) {
      std::copy_n(table, first * to, out);
      return;
    }
    for (std::size_t v = 0; v < first; ++v) copy_known(columns.subspan(1), table + v * from, out + v * to);
  }

  const CodeColumns& codes_;
  std::span<const std::int32_t> y_;
  std::size_t classes_;
  std::span<const double> weights_;
  std::vector<std::size_t> rooms_;
};

template <class T, class Sum>
std::vector<Sum> count_all(const SetCounter<T, Sum>& counter, const ColumnSets& sets) {
  const auto count = static_cast<std::int64_t>(sets.starts.size()) - 1;
  const auto columns = [&](std::int64_t i) {
    const auto first = static_cast<std::size_t>(sets.starts[static_cast<std::size_t>(i)]);
    return sets.columns.subspan(first, static_cast<std::size_t>(sets.starts[static_cast<std::size_t>(i) + 1]) - first);
  };
  std::vector<std::size_t> starts{0};
  for (std::int64_t i = 0; i < count; ++i) starts.push_back(starts.back() + counter.size(columns(i)));
  std::vector<Sum> cells(starts.back());
  const std::int64_t chunks = std::min<std::int64_t>(count, 32L * thread_count());
  parallel_for(chunks, [&](std::int64_t chunk) {
    std::vector<T> table;
    for (std::int64_t i = count * chunk / chunks; i < count * (chunk + 1) / chunks; ++i) {
      counter.count(columns(i), cells.data() + starts[static_cast<std::size_t>(i)], table);
    }
  });
  return cells;
}

}  // namespace

std::vector<std::uint64_t> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                                      const ColumnSets& sets) {
  return count_all(SetCounter<std::uint32_t, std::uint64_t>(codes, y, classes, {}), sets);
}

std::vector<double> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                               const ColumnSets& sets, std::span<const double> weights) {
  return count_all(SetCounter<double, double>(codes, y, classes, weights), sets);
}

}  // namespace deciban
