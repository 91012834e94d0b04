#include "count/column_sets.hpp"

#include <algorithm>

#include "count/cells.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::size_t small_table = 2048;

// T: the type of the counts while rows are read, u32 or double; Sum: the type of the result.
template <class T, class Sum>
class SetCounter {
 public:
  SetCounter(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
             std::span<const double> weights)
      : codes_(codes), y_(y), classes_(static_cast<std::size_t>(classes)), weights_(weights) {
    for (std::int32_t c = 0; c < codes.cols; ++c) states_.push_back(states(c));
  }

  std::size_t size(std::span<const std::int32_t> columns) const {
    std::size_t cells = classes_;
    for (const std::int32_t c : columns) cells *= known(c);
    return cells;
  }

  void count(std::span<const std::int32_t> columns, Sum* out, std::vector<T>& table) const {
    std::size_t cells = classes_;
    for (const std::int32_t c : columns) cells *= states_[static_cast<std::size_t>(c)];
    count_cells(
        codes_.rows, weights_, cells, small_table, table,
        [&](std::int64_t begin, std::int64_t rows, std::uint32_t* index) { find_index(columns, begin, rows, index); });
    copy_known(columns, table.data(), out);
  }

 private:
  std::size_t known(std::int32_t c) const {
    return static_cast<std::size_t>(codes_.sizes[static_cast<std::size_t>(c)]);
  }

  // The states of a column, and one more where a value is missing.
  std::size_t states(std::int32_t c) const {
    return std::max(known(c), static_cast<std::size_t>(largest_code_of(codes_, c)) + 1);
  }

  // The index of each row's cell: mixed radix, the class changes fastest.
  void find_index(std::span<const std::int32_t> columns, std::int64_t begin, std::int64_t rows,
                  std::uint32_t* index) const {
    std::transform(y_.data() + begin, y_.data() + begin + rows, index,
                   [](std::int32_t j) { return static_cast<std::uint32_t>(j); });
    std::size_t stride = classes_;
    for (std::size_t k = columns.size(); k-- > 0;) {
      add_to_index(codes_, columns[k], begin, rows, static_cast<std::uint32_t>(stride), index);
      stride *= states_[static_cast<std::size_t>(columns[k])];
    }
  }

  // Copies the cells without those of missing values.
  void copy_known(std::span<const std::int32_t> columns, const T* table, Sum* out) const {
    if (columns.empty()) {
      std::copy_n(table, classes_, out);
      return;
    }
    const std::size_t first = known(columns[0]);
    std::size_t from = classes_, to = classes_;
    for (const std::int32_t c : columns.subspan(1)) {
      from *= states_[static_cast<std::size_t>(c)];
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
  std::vector<std::size_t> states_;
};

template <class T, class Sum>
std::vector<Sum> count_all(const SetCounter<T, Sum>& counter, const RaggedList<std::int32_t>& sets) {
  const auto count = static_cast<std::int64_t>(sets.size());
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < sets.size(); ++i) starts.push_back(starts.back() + counter.size(sets[i]));
  std::vector<Sum> cells(starts.back());
  const std::int64_t chunks = std::min<std::int64_t>(count, 32L * thread_count());
  parallel_for(chunks, [&](std::int64_t chunk) {
    std::vector<T> table;
    for (std::int64_t i = count * chunk / chunks; i < count * (chunk + 1) / chunks; ++i) {
      const auto set = static_cast<std::size_t>(i);
      counter.count(sets[set], cells.data() + starts[set], table);
    }
  });
  return cells;
}

}  // namespace

std::vector<std::uint64_t> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                                      const RaggedList<std::int32_t>& sets) {
  return count_all(SetCounter<std::uint32_t, std::uint64_t>(codes, y, classes, {}), sets);
}

std::vector<double> count_sets(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes,
                               const RaggedList<std::int32_t>& sets, std::span<const double> weights) {
  return count_all(SetCounter<double, double>(codes, y, classes, weights), sets);
}

}  // namespace deciban
