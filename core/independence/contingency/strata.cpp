#include "independence/contingency/strata.hpp"

#include <algorithm>

#include "run/instruction_set.hpp"

namespace deciban {
namespace {

template <class T>
void combine(const std::uint32_t* from, const T* column, std::int64_t rows, std::uint32_t size, std::uint32_t* to) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (std::int64_t i = 0; i < rows; ++i) to[i] = from[i] * size + column[i];
  });
}

template <class T>
void combine_known(const Strata& from, const T* column, std::int64_t size, Strata& to) {
  const auto gone = static_cast<std::uint32_t>(from.count * size);
  const auto old_gone = static_cast<std::uint32_t>(from.count);
  const auto width = static_cast<std::uint32_t>(size);
  bool dropped = false;
  for (std::size_t i = 0; i < from.codes.size(); ++i) {
    const bool out = from.codes[i] == old_gone || column[i] >= width;
    dropped |= out;
    to.codes[i] = out ? gone : from.codes[i] * width + column[i];
  }
  to.has_dropped = dropped;
}

// Renumbers the codes that occur, in their own order, so that the order of rows changes nothing.
void close_ranks(Strata& strata, std::vector<std::uint32_t>& scratch) {
  const auto gone = static_cast<std::uint32_t>(strata.count);
  scratch.assign(static_cast<std::size_t>(strata.count) + 1, 0);
  for (const std::uint32_t code : strata.codes) scratch[code] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t code = 0; code < gone; ++code) {
    const std::uint32_t used = scratch[code];
    scratch[code] = next;
    next += used;
  }
  scratch[gone] = next;
  for (std::uint32_t& code : strata.codes) code = scratch[code];
  strata.count = std::max<std::int64_t>(next, 1);
  if (next == 0) std::ranges::fill(strata.codes, 1U);  // every row is dropped
}

// The same for codes too wide for a table: 64-bit codes, sorted.
template <class T>
void split_wide(const Strata& from, const T* column, std::int64_t size, Strata& to) {
  constexpr std::uint64_t gone = ~std::uint64_t{0};
  std::vector<std::uint64_t> wide(from.codes.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const bool out = from.codes[i] == from.count || column[i] >= size;
    wide[i] = out ? gone : std::uint64_t{from.codes[i]} * static_cast<std::uint64_t>(size) + column[i];
  }
  std::vector<std::uint64_t> used = wide;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  to.has_dropped = !used.empty() && used.back() == gone;
  if (to.has_dropped) used.pop_back();
  for (std::size_t i = 0; i < wide.size(); ++i) {
    to.codes[i] = static_cast<std::uint32_t>(std::ranges::lower_bound(used, wide[i]) - used.begin());
  }
  to.count = std::max<std::int64_t>(static_cast<std::int64_t>(used.size()), 1);
  if (used.empty()) std::ranges::fill(to.codes, 1U);
}

template <class T>
void split_by(const Strata& from, const T* column, std::int64_t size, bool has_missing, Strata& to,
              std::vector<std::uint32_t>& scratch) {
  constexpr std::int64_t widest_table = 1 << 22;
  const auto rows = static_cast<std::int64_t>(from.codes.size());
  to.codes.resize(from.codes.size());
  to.has_dropped = from.has_dropped;
  const std::int64_t count = from.count * size;
  if (count > widest_table) return split_wide(from, column, size, to);
  if (has_missing || from.has_dropped) {
    combine_known(from, column, size, to);
  } else {
    combine(from.codes.data(), column, rows, static_cast<std::uint32_t>(size), to.codes.data());
  }
  to.count = count;
  if (count > std::max<std::int64_t>(64, rows / 64)) close_ranks(to, scratch);
}

}  // namespace

void split(const Strata& from, const CodeColumns& codes, std::int32_t column, bool has_missing, Strata& to,
           std::vector<std::uint32_t>& scratch) {
  const std::int64_t size = codes.sizes[static_cast<std::size_t>(column)];
  codes.with_column(column, [&](const auto* values) { split_by(from, values, size, has_missing, to, scratch); });
}

}  // namespace deciban
