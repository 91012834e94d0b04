#include "count/families/counter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "count/cells.hpp"

namespace deciban {
namespace {

constexpr std::size_t small_table = 512;

std::uint64_t mixed(std::uint64_t key) {  // the finalizer of splitmix64
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ULL;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBULL;
  return key ^ (key >> 31);
}

}  // namespace

template <class N>
bool FamilyCounter<N>::count(std::span<const std::int32_t> columns) {
  const auto limit = static_cast<double>(std::min<std::int64_t>(4 * codes_.rows + 1024, std::int64_t{1} << 28));
  double cells = 1;
  for (const std::int32_t c : columns) cells *= static_cast<double>(codes_.sizes[static_cast<std::size_t>(c)]);
  const bool is_dense = cells <= limit;
  if (is_dense) {
    count_dense(columns, static_cast<std::size_t>(cells));
  } else {
    count_sparse(columns);
  }
  return is_dense;
}

template <class N>
void FamilyCounter<N>::count_dense(std::span<const std::int32_t> columns, std::size_t cells) {
  count_cells(codes_.rows, codes_.weights, cells, small_table, cells_,
              [&](std::int64_t begin, std::int64_t count, std::uint32_t* index) {
                std::fill_n(index, count, 0U);
                std::uint32_t stride = 1;
                for (const std::int32_t c : columns) {
                  add_to_index(codes_, c, begin, count, stride, index);
                  stride *= static_cast<std::uint32_t>(codes_.sizes[static_cast<std::size_t>(c)]);
                }
              });
}

// Keys grow column by column; before they could overflow they are replaced by their ranks, of which there are no more
// than rows.
template <class N>
void FamilyCounter<N>::count_sparse(std::span<const std::int32_t> columns) {
  keys_.assign(static_cast<std::size_t>(codes_.rows), 0);
  double reach = 1;
  for (const std::int32_t c : columns.subspan(1)) {
    const auto size = static_cast<double>(codes_.sizes[static_cast<std::size_t>(c)]);
    if (reach * size >= 0x1p62) {
      reach = static_cast<double>(rank_keys());
      for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = ranks_[i];
    }
    add_column(c);
    reach *= size;
  }
  const std::uint32_t strata = rank_keys();
  count_ranks(strata, strata_);
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = ranks_[i];
  add_column(columns[0]);
  count_ranks(rank_keys(), cells_);
}

template <class N>
void FamilyCounter<N>::add_column(std::int32_t column) {
  const auto size = static_cast<std::uint64_t>(codes_.sizes[static_cast<std::size_t>(column)]);
  codes_.with_column(column, [&](const auto* values) {
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = keys_[i] * size + values[i];
  });
}

// Ranks each row's key among the distinct ones, in the order of first occurrence; returns how many there are.
template <class N>
std::uint32_t FamilyCounter<N>::rank_keys() {
  constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();
  const std::size_t capacity = std::bit_ceil(2 * keys_.size() + 1);
  slots_.assign(capacity, empty);
  slot_ranks_.resize(capacity);
  ranks_.resize(keys_.size());
  std::uint32_t distinct = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t slot = mixed(keys_[i]) & (capacity - 1);
    while (slots_[slot] != keys_[i] && slots_[slot] != empty) slot = (slot + 1) & (capacity - 1);
    if (slots_[slot] == empty) {
      slots_[slot] = keys_[i];
      slot_ranks_[slot] = distinct++;
    }
    ranks_[i] = slot_ranks_[slot];
  }
  return distinct;
}

template <class N>
void FamilyCounter<N>::count_ranks(std::uint32_t distinct, std::vector<N>& out) const {
  out.assign(distinct, N{0});
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if constexpr (std::is_same_v<N, double>) {
      out[ranks_[i]] += codes_.weights[i];
    } else {
      ++out[ranks_[i]];
    }
  }
  std::ranges::sort(out);
}

template class FamilyCounter<std::uint32_t>;
template class FamilyCounter<double>;

}  // namespace deciban
