#include "count/families/counter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "run/clones.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 2048;
constexpr std::size_t ways = 4;           // tables that take turns, so that equal rows do not wait for one another
constexpr std::size_t small_table = 512;  // cells up to which that pays

template <class T>
const T* column_at(const CodeColumns& codes, std::int32_t column) {
  return static_cast<const T*>(codes.data) + static_cast<std::int64_t>(column) * codes.rows;
}

template <class T>
DECIBAN_INLINE void add_scaled(const T* values, std::int64_t count, std::uint32_t stride, std::uint32_t* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] += stride * static_cast<std::uint32_t>(values[i]);
}

DECIBAN_CLONES void add_block(const std::uint8_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}
DECIBAN_CLONES void add_block(const std::uint16_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}
DECIBAN_CLONES void add_block(const std::uint32_t* v, std::int64_t n, std::uint32_t stride, std::uint32_t* out) {
  add_scaled(v, n, stride, out);
}

// Calls f with a typed null pointer for the narrow kinds that codes have.
template <class F>
void with_code_type(Kind kind, F&& f) {
  if (kind == Kind::u8) {
    f(static_cast<const std::uint8_t*>(nullptr));
  } else if (kind == Kind::u16) {
    f(static_cast<const std::uint16_t*>(nullptr));
  } else {
    f(static_cast<const std::uint32_t*>(nullptr));
  }
}

const double* weights_from(const CodeColumns& codes, std::int64_t begin) {
  return codes.weights.empty() ? nullptr : codes.weights.data() + begin;
}

void add_rows(const std::uint32_t* at, std::size_t rows, const double* /*weights*/, std::size_t apart,
              std::uint32_t* table) {
  std::size_t i = 0;
  for (; i + ways <= rows; i += ways) {
    for (std::size_t way = 0; way < ways; ++way) ++table[apart * way + at[i + way]];
  }
  for (; i < rows; ++i) ++table[at[i]];
}
void add_rows(const std::uint32_t* at, std::size_t rows, const double* weights, std::size_t /*apart*/, double* table) {
  for (std::size_t i = 0; i < rows; ++i) table[at[i]] += weights[i];
}

std::uint64_t mixed(std::uint64_t key) {  // the finalizer of splitmix64
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ULL;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBULL;
  return key ^ (key >> 31);
}

}  // namespace

bool are_below_sizes(const CodeColumns& codes) {
  bool is_right = true;
  with_code_type(codes.kind, [&](auto type) {
    using T = std::remove_cvref_t<decltype(*type)>;
    for (std::int32_t c = 0; c < codes.cols; ++c) {
      T largest = 0;
      for (std::int64_t i = 0; i < codes.rows; ++i) largest = std::max(largest, column_at<T>(codes, c)[i]);
      is_right = is_right && static_cast<std::int64_t>(largest) < codes.sizes[static_cast<std::size_t>(c)];
    }
  });
  return is_right;
}

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
  const std::size_t tables = cells <= small_table ? ways : 1;
  cells_.assign(cells * tables, N{0});
  N* const table = cells_.data();
  const std::size_t apart = tables == ways ? cells : 0;
  std::array<std::uint32_t, block> at;
  for (std::int64_t begin = 0; begin < codes_.rows; begin += block) {
    const std::int64_t n = std::min(block, codes_.rows - begin);
    std::fill_n(at.begin(), n, 0U);
    std::uint32_t stride = 1;
    for (const std::int32_t c : columns) {
      with_code_type(codes_.kind, [&](auto type) {
        add_block(column_at<std::remove_cvref_t<decltype(*type)>>(codes_, c) + begin, n, stride, at.data());
      });
      stride *= static_cast<std::uint32_t>(codes_.sizes[static_cast<std::size_t>(c)]);
    }
    add_rows(at.data(), static_cast<std::size_t>(n), weights_from(codes_, begin), apart, table);
  }
  for (std::size_t way = 1; way < tables; ++way) {
    for (std::size_t cell = 0; cell < cells; ++cell) table[cell] += table[way * cells + cell];
  }
  cells_.resize(cells);
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
  with_code_type(codes_.kind, [&](auto type) {
    const auto* values = column_at<std::remove_cvref_t<decltype(*type)>>(codes_, column);
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = keys_[i] * size + values[i];
  });
}

// Ranks each row's key among the distinct ones, in the order in which they come; gives how many there are.
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
