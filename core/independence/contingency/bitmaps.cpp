#include "independence/contingency/bitmaps.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "run/instruction_set.hpp"

namespace deciban {
namespace {

constexpr std::int64_t most_states = 16;  // then the bitmaps take no more room than 16-bit codes
constexpr std::int64_t step = 8;          // words of the widest vectors

// Four bitmaps of b at a time, so that a is read once for all of them.
DECIBAN_INLINE void count_shared(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words, std::int64_t maps,
                                 std::uint32_t* out) {
  std::int64_t k = 0;
  for (; k + 4 <= maps; k += 4, b += 4 * words) {
    std::uint64_t sum[4] = {};
    for (std::int64_t w = 0; w < words; ++w) {
      sum[0] += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
      sum[1] += static_cast<std::uint64_t>(std::popcount(a[w] & b[w + words]));
      sum[2] += static_cast<std::uint64_t>(std::popcount(a[w] & b[w + 2 * words]));
      sum[3] += static_cast<std::uint64_t>(std::popcount(a[w] & b[w + 3 * words]));
    }
    for (std::int64_t i = 0; i < 4; ++i) out[k + i] = static_cast<std::uint32_t>(sum[i]);
  }
  for (; k + 2 <= maps; k += 2, b += 2 * words) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    for (std::int64_t w = 0; w < words; ++w) {
      first += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
      second += static_cast<std::uint64_t>(std::popcount(a[w] & b[w + words]));
    }
    out[k] = static_cast<std::uint32_t>(first);
    out[k + 1] = static_cast<std::uint32_t>(second);
  }
  for (; k < maps; ++k, b += words) {
    std::uint64_t sum = 0;
    for (std::int64_t w = 0; w < words; ++w) sum += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
    out[k] = static_cast<std::uint32_t>(sum);
  }
}

DECIBAN_INLINE std::uint32_t write_shared(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words,
                                          std::uint64_t* out) {
  std::uint64_t sum = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    const std::uint64_t both = a[w] & b[w];
    out[w] = both;
    sum += static_cast<std::uint64_t>(std::popcount(both));
  }
  return static_cast<std::uint32_t>(sum);
}

// Intersections of bitmaps, for this processor. `worth`: the number of cells up to which they are faster than reading
// every row.
struct Intersections {
  void (*count)(const std::uint64_t*, const std::uint64_t*, std::int64_t, std::int64_t, std::uint32_t*);
  std::uint32_t (*write)(const std::uint64_t*, const std::uint64_t*, std::int64_t, std::uint64_t*);
  std::int64_t worth;
};

// No level of x86-64 counts the bits of a vector, so these are chosen by hand.
#if DECIBAN_X86
#define DECIBAN_WIDE __attribute__((target("avx512f,avx512vpopcntdq")))
#define DECIBAN_POPCNT __attribute__((target("popcnt")))

DECIBAN_WIDE void count_wide(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words, std::int64_t maps,
                             std::uint32_t* out) {
  count_shared(a, b, words, maps, out);
}
DECIBAN_WIDE std::uint32_t write_wide(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words,
                                      std::uint64_t* out) {
  return write_shared(a, b, words, out);
}
DECIBAN_POPCNT void count_words(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words, std::int64_t maps,
                                std::uint32_t* out) {
  count_shared(a, b, words, maps, out);
}
DECIBAN_POPCNT std::uint32_t write_words(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words,
                                         std::uint64_t* out) {
  return write_shared(a, b, words, out);
}

Intersections intersections() {
  static const bool has_wide = __builtin_cpu_supports("avx512vpopcntdq") != 0;
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::v4 && has_wide) return {count_wide, write_wide, 320};
  if (set != InstructionSet::baseline) return {count_words, write_words, 64};
  return {count_shared, write_shared, 16};
}
#else
Intersections intersections() {
  return {count_shared, write_shared, 64};
}
#endif

// The bitmaps of one column, `words` apart.
template <class T>
void set_bits(const T* column, std::int64_t rows, std::int64_t size, std::int64_t words, std::uint64_t* out) {
  std::uint64_t word[most_states + 1];
  const auto past = std::min(static_cast<std::size_t>(size), std::size_t{most_states});
  for (std::int64_t begin = 0; begin < rows; begin += 64) {
    std::fill_n(word, past + 1, 0U);
    const std::int64_t n = std::min<std::int64_t>(64, rows - begin);
    for (std::int64_t i = 0; i < n; ++i) {
      word[std::min<std::size_t>(column[begin + i], past)] |= std::uint64_t{1} << i;
    }
    for (std::int64_t k = 0; k < size; ++k) out[k * words + begin / 64] = word[k];
  }
}

}  // namespace

Bitmaps::Bitmaps(const CodeColumns& codes, std::size_t most) : rows_(codes.rows) {
  words_ = (rows_ + 64 * step - 1) / (64 * step) * step;
  std::int64_t end = 0;
  for (const std::int64_t size : codes.sizes) {
    const bool is_small = size <= most_states;
    starts_.push_back(is_small ? end : -1);
    end += is_small ? size * words_ : 0;
  }
  if (static_cast<std::size_t>(end) * sizeof(std::uint64_t) > most) {
    starts_.clear();
    return;
  }
  bits_.assign(static_cast<std::size_t>(end), 0);
  for (std::size_t c = 0; c < codes.sizes.size(); ++c) {
    if (starts_[c] < 0) continue;
    std::uint64_t* const own = bits_.data() + starts_[c];
    codes.with_column(static_cast<std::int32_t>(c),
                      [&](const auto* column) { set_bits(column, rows_, codes.sizes[c], words_, own); });
  }
}

void whole(const Bitmaps& data, Parts& out) {
  out.bits.assign(static_cast<std::size_t>(data.words()), 0);
  for (std::int64_t i = 0; i < data.rows() / 64; ++i) out.bits[static_cast<std::size_t>(i)] = ~std::uint64_t{0};
  const std::int64_t rest = data.rows() % 64;
  if (rest != 0) out.bits[static_cast<std::size_t>(data.rows() / 64)] = (std::uint64_t{1} << rest) - 1;
  out.rows.assign(1, static_cast<std::uint32_t>(data.rows()));
  out.owner.assign(1, 0);
  out.state.assign(1, 0);
}

void split(const Bitmaps& data, const Parts& from, std::int64_t column, std::int64_t states, Parts& out) {
  const std::int64_t words = data.words();
  const auto room = static_cast<std::size_t>((from.count() * states) * words);
  if (out.bits.size() < room) out.bits.resize(room);
  out.rows.clear();
  out.owner.clear();
  out.state.clear();
  const std::uint64_t* const own = data.of(column);
  for (std::int64_t s = 0; s < from.count(); ++s) {
    for (std::int64_t k = 0; k < states; ++k) {
      const std::uint32_t rows = intersections().write(from.bits.data() + s * words, own + k * words, words,
                                                       out.bits.data() + out.count() * words);
      if (rows == 0) continue;
      out.rows.push_back(rows);
      out.owner.push_back(static_cast<std::int32_t>(s));
      out.state.push_back(static_cast<std::int32_t>(k));
    }
  }
}

void count(const Bitmaps& data, const Parts& parts, std::int64_t width, std::int64_t column, std::int64_t states,
           bool is_known, std::uint32_t* table) {
  const std::int64_t words = data.words();
  const std::uint64_t* const own = data.of(column);
  for (std::int64_t s = 0; s < parts.count(); ++s) {
    const auto part = static_cast<std::size_t>(s);
    std::uint32_t* const row = table + (parts.owner[part] * width + parts.state[part]) * states;
    // Where every value is known, the last state has the remaining rows.
    const std::int64_t counted = is_known ? states - 1 : states;
    intersections().count(parts.bits.data() + s * words, own, words, counted, row);
    if (is_known) row[counted] = std::accumulate(row, row + counted, parts.rows[part], std::minus<>());
  }
}

std::int64_t cells_worth_bitmaps() {
  return intersections().worth;
}

}  // namespace deciban
