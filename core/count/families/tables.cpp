#include "count/families/tables.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 2048;
constexpr std::int64_t copies = 4;         // of a small table; rows go to each in turn, see count/cells.hpp
constexpr std::int64_t small_table = 512;  // cells up to which that pays

const std::int32_t* column_at(const CodesWithMissing& codes, std::int32_t column) {
  return codes.codes.data() + codes.rows * column;
}

// out += stride·code; a missing code makes the row's index −1, and it stays −1.
void add_column(const std::int32_t* codes, std::int64_t count, std::int64_t stride, std::int64_t* out) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t moved = out[i] + stride * codes[i];
      out[i] = (out[i] | codes[i]) < 0 ? -1 : moved;
    }
  });
}

// `amount(row)` is the weight of a row.
template <class T, class F>
void count_family(const CodesWithMissing& codes, std::span<const std::int32_t> family, std::span<T> table, F&& amount) {
  const auto cells = static_cast<std::int64_t>(table.size());
  const std::int64_t apart = cells <= small_table ? cells : 0;
  std::vector<T> copied(static_cast<std::size_t>(copies * apart), T{0});
  T* const sums = apart > 0 ? copied.data() : table.data();
  std::array<std::int64_t, block> at;
  for (std::int64_t begin = 0; begin < codes.rows; begin += block) {
    const std::int64_t count = std::min(block, codes.rows - begin);
    find_cells(codes, family, begin, count, at.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t cell = at[static_cast<std::size_t>(i)];
      if (cell >= 0) sums[apart * (i % copies) + cell] += amount(begin + i);
    }
  }
  for (std::size_t i = 0; i < copied.size(); ++i) table[i % table.size()] += copied[i];
}

template <class T, class F>
std::vector<T> count_all(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families, F&& amount) {
  const std::vector<std::int64_t> offsets = family_offsets(codes, families);
  std::vector<T> tables(static_cast<std::size_t>(offsets.back()), T{0});
  parallel_for(static_cast<std::int64_t>(offsets.size()) - 1, [&](std::int64_t family) {
    const auto i = static_cast<std::size_t>(family);
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const std::size_t cells = static_cast<std::size_t>(offsets[i + 1]) - begin;
    count_family<T>(codes, families[i], std::span(tables).subspan(begin, cells), amount);
  });
  return tables;
}

}  // namespace

void find_cells(const CodesWithMissing& codes, std::span<const std::int32_t> family, std::int64_t begin,
                std::int64_t count, std::int64_t* out) {
  std::fill_n(out, count, 0);
  std::int64_t stride = 1;
  for (std::size_t i = family.size(); i-- > 0;) {
    add_column(column_at(codes, family[i]) + begin, count, stride, out);
    stride *= codes.sizes[static_cast<std::size_t>(family[i])];
  }
}

bool are_states_or_missing(const CodesWithMissing& codes) {
  std::atomic<bool> is_right = true;
  parallel_for(static_cast<std::int64_t>(codes.sizes.size()), [&](std::int64_t column) {
    const std::int32_t* const values = column_at(codes, static_cast<std::int32_t>(column));
    const auto [least, most] = std::minmax_element(values, values + codes.rows);
    if (codes.rows > 0 && (*least < -1 || *most >= codes.sizes[static_cast<std::size_t>(column)])) is_right = false;
  });
  return is_right;
}

std::vector<std::int64_t> family_offsets(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < families.size(); ++i) {
    std::int64_t cells = 1;
    for (const std::int32_t column : families[i]) cells *= codes.sizes[static_cast<std::size_t>(column)];
    offsets.push_back(offsets.back() + cells);
  }
  return offsets;
}

std::vector<std::int64_t> count_families(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families) {
  return count_all<std::int64_t>(codes, families, [](std::int64_t) { return std::int64_t{1}; });
}

std::vector<double> count_families(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families,
                                   std::span<const double> weights) {
  return count_all<double>(codes, families, [&](std::int64_t row) { return weights[static_cast<std::size_t>(row)]; });
}

}  // namespace deciban
